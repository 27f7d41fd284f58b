internal import AppAttest
internal import AuditEngine

/// `summary.json`: the totals, for machines. Only its `run` object differs from run to run.
enum SummaryJSON {
  static let name = "summary.json"

  static func write(
    inputs: [InputRow], totals: AuditTotals, run: RunFacts, to rows: inout RowBuffer
  ) {
    JSONTree.object([
      ("schemaVersion", .number(1)),
      ("tool", .object([("name", .string(Tool.name)), ("version", .string(Tool.version))])),
      ("run", tree(run)),
      ("inputs", .array(inputs.map(tree))),
      ("records", records(totals)),
      (
        "verdicts",
        .object([
          ("valid", .number(totals.valid)), ("failed", .number(totals.failed)),
          ("unverifiable", .number(totals.unverifiable)),
        ])
      ),
      (
        "keys",
        .object(
          KeyStatus.allCases.map { ($0.name, .number(totals.keys[Int($0.rawValue)])) })
      ),
      ("findings", findings(totals)),
    ]).write(to: &rows)
    rows.append(ascii: "\n")
  }

  private static func tree(_ run: RunFacts) -> JSONTree {
    .object([
      ("id", .string(run.id)),
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
    ])
  }

  private static func tree(_ input: InputRow) -> JSONTree {
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
    ])
  }

  private static func findings(_ totals: AuditTotals) -> JSONTree {
    let codes = FindingCode.allCases.filter { totals.findingsByCode[Int($0.rawValue)] > 0 }
    return .object([
      ("total", .number(totals.findings)),
      (
        "bySeverity",
        .object(
          Severity.allCases.map {
            ($0.name, .number(totals.findingsBySeverity[Int($0.rawValue)]))
          })
      ),
      (
        "byCode",
        .object(codes.map { ($0.name, .number(totals.findingsByCode[Int($0.rawValue)])) })
      ),
    ])
  }
}
