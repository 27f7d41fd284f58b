internal import AppAttest
internal import AuditEngine

/// The file `summary.json`. Only its `run` object differs from run to run.
enum SummaryJSON {
  static let name = "summary.json"
  /// The largest number of closed findings that are listed. All are counted.
  static let closedLimit = 1000

  static var tool: JSONTree { ["name": .string(Tool.name), "version": .string(Tool.version)] }

  /// Returns the document, whose inputs are made while they are written. `review` is nil without a state.
  static func tree(
    _ result: any AuditResult, run: RunFacts, contents: ReportContents,
    silences: [InputSilence], builds: BuildTotals, review: FindingReview?
  ) throws -> JSONTree {
    let (totals, inputs) = (result.totals, result.inputs)
    var members: [(String, JSONTree)] = [
      ("schemaVersion", .number(1)), ("tool", tool),
      ("run", tree(run, contents, silences, result.likelyCauses)),
      ("inputs", .list(inputs.count) { SummaryColumns.inputs.tree(inputs[$0]) }),
      ("records", SummaryColumns.records.tree(totals.records)),
      ("verdicts", counts(Verdict.allCases, totals.verdicts)),
      ("keys", counts(KeyStatus.allCases, totals.keys)), ("builds", builds.tree),
      ("findings", findings(totals, review?.news)),
      ("likelyCauses", SummaryColumns.causes.tree(result.likelyCauses)),
      ("blindSpots", SummaryColumns.spots.tree(result.blindSpots)),
    ]
    if review != nil || !totals.accepted.isEmpty {
      members.append(("accepted", .array(totals.accepted.map(tree))))
    }
    if let review { members.append(("state", try tree(review, result))) }
    return .object(members)
  }

  private static func tree(
    _ run: RunFacts, _ contents: ReportContents, _ silences: [InputSilence],
    _ causes: [LikelyCause]
  ) -> JSONTree {
    [
      "id": .string(run.id), "day": .string(contents.day),
      "pipeline": run.pipeline.map(JSONTree.string) ?? .null,
      "startedAt": .time(run.startedAt), "finishedAt": .time(run.finishedAt),
      "seconds": .seconds(run.elapsed), "threads": .number(UInt64(clamping: run.threads)),
      "peakMemoryBytes": .number(run.peakMemoryBytes), "spilledBytes": .number(run.spilledBytes),
      "verifier": .string(run.verifier.rawValue),
      "signatures": [
        "batch": .number(run.signatures.batch), "openssl": .number(run.signatures.openssl),
        "confirmed": .number(run.signatures.confirmed),
        "undecided": .number(run.signatures.undecided),
        "crossChecked": .number(run.signatures.crossChecked),
      ],
      "silences": SummaryColumns.silences.tree(silences),
      "causes": SummaryColumns.causeInputs.tree(causes.flatMap(\.inputs)),
      "settings": contents.settings?.tree ?? .null,
    ]
  }

  private static func counts(_ values: [some NamedValue], _ counts: [UInt64]) -> JSONTree {
    .object(zip(values, counts).map { ($0.name, .number($1)) })
  }

  private static func findings(_ totals: AuditTotals, _ news: FindingNews?) -> JSONTree {
    let codes = zip(FindingCode.allCases, totals.findingsByCode).filter { $0.1 > 0 }
    var members: [(String, JSONTree)] = [
      ("total", .number(totals.findings)),
      ("bySeverity", counts(Severity.allCases, totals.findingsBySeverity)),
      ("byCode", counts(codes.map(\.0), codes.map(\.1))),
    ]
    if let news {
      members.append(("new", .number(news.count)))
      members.append(("newBySeverity", counts(Severity.allCases, news.bySeverity)))
    }
    if news != nil || !totals.accepted.isEmpty {
      members.append(("accepted", .number(totals.acceptedFindings)))
    }
    return .object(members)
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

  private static func tree(_ review: FindingReview, _ result: any AuditResult) throws -> JSONTree {
    let figures = try review.figures()
    return [
      "mode": .string(review.mode.rawValue), "runs": .number(figures.runs),
      "keys": .number(figures.keys), "rememberedHashes": .number(figures.rememberedHashes),
      "waiting": .number(result.totals.count(.unverifiable)),
      "newAgain": .array(review.newAgain.map { .string(Fingerprint.text($0)) }),
      "closed": .array(
        result.closed.prefix(closedLimit).map {
          [
            "code": .string($0.code.name), "key_id": .string($0.keyID.hex),
            "fingerprint": .string(Fingerprint.text($0.fingerprint)),
            "first_seen": .string($0.firstSeen),
          ]
        }),
      "closedCount": .number(result.closedCount),
    ]
  }
}

/// The member `builds` of `summary.json`, written and read: totals, and the builds of the page.
extension BuildTotals {
  var tree: JSONTree {
    [
      "total": .number(builds), "unlisted": .number(unlisted),
      "byCategory": .object(
        byCategory.sorted { $0.key < $1.key }.map { ($0.key, .number($0.value)) }),
      "withCategory": .number(withCategory), "withBundleVersion": .number(withBundleVersion),
      "withCodeHash": .number(withCodeHash), "byHour": .array(uses.map(\.tree)),
      "notByHour": .number(furtherUses),
    ]
  }

  init(stored value: StoredValue?) {
    self.init()
    func number(_ name: String) -> UInt64 { value?[name]?.number() ?? 0 }
    builds = number("total")
    unlisted = number("unlisted")
    for (name, count) in value?["byCategory"]?.members ?? [] {
      byCategory[String(decoding: name, as: UTF8.self)] = count.number() ?? 0
    }
    withCategory = number("withCategory")
    withBundleVersion = number("withBundleVersion")
    withCodeHash = number("withCodeHash")
    uses = (value?["byHour"]?.elements ?? []).prefix(Self.useLimit).compactMap(
      BuildUse.init(stored:))
    furtherUses = number("notByHour")
  }
}

extension BuildUse {
  /// The bins of an hour or several are one text: `INDEX:UNKNOWN,ACCEPTED,REJECTED` each.
  fileprivate var tree: JSONTree {
    let bins = hours.bins.map { bin in
      "\(bin.index):" + bin.counts.map { String($0) }.joined(separator: ",")
    }
    return .object(
      BuildColumns.identity.members(of: ReportedBuild(BuildRow(build), nil)) + [
        ("keys", .number(keys)), ("keyPrefixes", .array(keyPrefixes.map(JSONTree.string))),
        ("outside", .number(outside)), ("hours", .integer(hours.width)),
        ("counts", .string(bins.joined(separator: " "))),
      ])
  }

  fileprivate init?(stored value: StoredValue) {
    var reported = ReportedBuild(BuildRow(Build(appID: "")), nil)
    guard BuildColumns.identity.read(value, into: &reported) == nil else { return nil }
    self.init(reported.row.build)
    keys = value["keys"]?.number() ?? 0
    keyPrefixes = (value["keyPrefixes"]?.elements ?? []).prefix(Self.keyLimit).compactMap(\.string)
    outside = value["outside"]?.number() ?? 0
    let bins = (value["counts"]?.string ?? "").split(separator: " ").compactMap { text in
      let parts = text.split(separator: ":")
      return parts.first.flatMap { Int64($0) }.map { index in
        TimeBins.Bin(
          index: index, counts: parts[1...].joined().split(separator: ",").compactMap { UInt64($0) }
        )
      }
    }
    guard
      let hours = TimeBins(
        kinds: 3, limit: Self.binLimit, width: value["hours"]?.number() ?? 1, bins: bins)
    else { return nil }
    self.hours = hours
  }
}
