internal import AppAttest
internal import AuditEngine
internal import Basics

/// The file `summary.json`: the totals, for machines. Only its `run` object differs from run to
/// run.
enum SummaryJSON {
  static let name = "summary.json"
  /// The largest number of closed findings that are listed. All are counted.
  static let closedLimit = 1000

  /// The facts that a run with a state adds.
  struct State {
    var mode: RunMemory.Mode
    var figures: StateFigures
    var news: FindingNews
    var newAgain: [UInt64]
  }

  /// Returns the document. Its inputs, of which there may be very many, are made while they are
  /// written.
  static func tree(
    _ result: any AuditResult, run: RunFacts, contents: ReportContents,
    silences: [InputSilence], builds: BuildTotals, state: State?
  ) -> JSONTree {
    let totals = result.totals
    let inputs = result.inputs
    var members: [(String, JSONTree)] = [
      ("schemaVersion", .number(1)),
      ("tool", .object([("name", .string(Tool.name)), ("version", .string(Tool.version))])),
      ("run", tree(run, contents, silences)),
      ("inputs", .list(inputs.count) { tree(inputs[$0]) }),
      ("records", records(totals)),
      (
        "verdicts",
        .object(Verdict.allCases.map { ($0.name, .number(totals.count($0))) })
      ),
      (
        "keys",
        .object(
          KeyStatus.allCases.map { ($0.name, .number(totals.keys[Int($0.rawValue)])) })
      ),
      ("builds", builds.tree),
      ("findings", findings(totals, state?.news)),
      ("likelyCauses", .array(result.likelyCauses.map(tree))),
      ("blindSpots", .array(result.blindSpots.map(tree))),
    ]
    if state != nil || !totals.accepted.isEmpty {
      members.append(("accepted", .array(totals.accepted.map(tree))))
    }
    if let state { members.append(("state", tree(state, result))) }
    return .object(members)
  }

  private static func tree(
    _ run: RunFacts, _ contents: ReportContents, _ silences: [InputSilence]
  ) -> JSONTree {
    .object([
      ("id", .string(run.id)),
      ("day", .string(contents.day)),
      ("pipeline", run.pipeline.map(JSONTree.string) ?? .null),
      ("startedAt", .string(CivilTime(milliseconds: run.startedAt).text)),
      ("finishedAt", .string(CivilTime(milliseconds: run.finishedAt).text)),
      ("seconds", .seconds(run.elapsed)),
      ("threads", .number(UInt64(clamping: run.threads))),
      ("peakMemoryBytes", .number(run.peakMemoryBytes)),
      ("spilledBytes", .number(run.spilledBytes)),
      ("verifier", .string(run.verifier.rawValue)),
      (
        "signatures",
        .object([
          ("batch", .number(run.signatures.batch)), ("openssl", .number(run.signatures.openssl)),
          ("confirmed", .number(run.signatures.confirmed)),
          ("undecided", .number(run.signatures.undecided)),
          ("crossChecked", .number(run.signatures.crossChecked)),
        ])
      ),
      ("silences", .array(silences.map(\.tree))),
      ("settings", contents.settings?.tree ?? .null),
    ])
  }

  private static func tree(_ cause: LikelyCause) -> JSONTree {
    .object([
      ("cause", .string(cause.cause.rawValue)), ("codes", names(cause.codes)),
      ("count", .number(cause.count)), ("evidence", .string(cause.evidence)),
      ("action", .string(cause.action)),
      ("source", cause.source.isEmpty ? .null : .string(cause.source)),
      ("line", cause.line == 0 ? .null : .number(cause.line)),
    ])
  }

  private static func tree(_ spot: BlindSpot) -> JSONTree {
    .object([
      ("spot", .string(spot.spot.rawValue)), ("codes", names(spot.codes)),
      ("evidence", .string(spot.evidence)), ("action", .string(spot.action)),
    ])
  }

  static func names(_ codes: [FindingCode]) -> JSONTree {
    .array(codes.map { .string($0.name) })
  }

  static func tree(_ input: InputRow) -> JSONTree {
    .object([
      ("source", .string(input.source)),
      ("bytes", .number(input.bytes)),
      ("decompressedBytes", .number(input.decompressedBytes)),
      ("lines", .number(input.lines)),
      ("sha256", input.sha256.map { .string($0.hex) } ?? .null),
      ("status", .string(input.status.rawValue)),
    ])
  }

  private static func records(_ totals: AuditTotals) -> JSONTree {
    .object([
      ("lines", .number(totals.lines)),
      ("blank", .number(totals.blank)),
      ("attestations", .number(totals.attestations)),
      ("assertions", .number(totals.assertions)),
      ("challenges", .number(totals.challenges)),
      ("deviceCheckTokens", .number(totals.deviceCheckTokens)),
      ("skipped", .number(totals.skipped)),
      ("unreadable", .number(totals.unreadable)),
      ("known", .number(totals.known)),
      ("notAudited", .number(totals.notAudited)),
      ("items", .number(totals.items)),
      ("ambiguousTimes", .number(totals.ambiguousTimes)),
    ])
  }

  private static func findings(_ totals: AuditTotals, _ news: FindingNews?) -> JSONTree {
    let codes = FindingCode.allCases.filter { totals.findingsByCode[Int($0.rawValue)] > 0 }
    var members: [(String, JSONTree)] = [
      ("total", .number(totals.findings)),
      ("bySeverity", bySeverity(totals.findingsBySeverity)),
      (
        "byCode",
        .object(codes.map { ($0.name, .number(totals.findingsByCode[Int($0.rawValue)])) })
      ),
    ]
    if let news {
      members.append(("new", .number(news.count)))
      members.append(("newBySeverity", bySeverity(news.bySeverity)))
    }
    if news != nil || !totals.accepted.isEmpty {
      members.append(("accepted", .number(totals.acceptedFindings)))
    }
    return .object(members)
  }

  private static func bySeverity(_ counts: [UInt64]) -> JSONTree {
    .object(Severity.allCases.map { ($0.name, .number(counts[Int($0.rawValue)])) })
  }

  private static func tree(_ accepted: AcceptedCount) -> JSONTree {
    let finding = accepted.finding
    let target: [(String, JSONTree)] =
      switch finding.target {
      case .fingerprint(let value): [("fingerprint", .string(Fingerprint.text(value)))]
      case .key(let code, let keyID):
        [("code", .string(code.name)), ("key_id", .string(keyID.hex))]
      case .app(let code, let appID): [("code", .string(code.name)), ("app_id", .string(appID))]
      case .code(let code): [("code", .string(code.name))]
      }
    return .object(
      target + [
        ("severity", .string(finding.severity.name)),
        ("reason", .string(finding.reason)), ("expires", .string(finding.expires)),
        ("count", .number(accepted.count)), ("moreSevere", .number(accepted.moreSevere)),
      ])
  }

  private static func tree(_ state: State, _ result: any AuditResult) -> JSONTree {
    .object([
      ("mode", .string(state.mode.rawValue)),
      ("runs", .number(state.figures.runs)),
      ("keys", .number(state.figures.keys)),
      ("rememberedHashes", .number(state.figures.rememberedHashes)),
      ("waiting", .number(state.figures.waiting)),
      ("newAgain", .array(state.newAgain.map { .string(Fingerprint.text($0)) })),
      ("closed", .array(result.closed.prefix(closedLimit).map(tree))),
      ("closedCount", .number(result.closedCount)),
    ])
  }

  private static func tree(_ closed: ClosedFinding) -> JSONTree {
    .object([
      ("code", .string(closed.code.name)), ("key_id", .string(closed.keyID.hex)),
      ("fingerprint", .string(Fingerprint.text(closed.fingerprint))),
      ("first_seen", .string(closed.firstSeen)),
    ])
  }
}
