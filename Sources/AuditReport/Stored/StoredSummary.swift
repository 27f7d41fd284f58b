internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Foundation

/// The contents of a report's `summary.json` that the program reads again.
struct StoredSummary {
  private(set) var inputs: [InputRow] = []
  private(set) var totals = AuditTotals()
  /// The settings, or nil if the run kept none.
  let settings: RecordedSettings?
  let silences: [InputSilence]
  let hasState: Bool
  let toolVersion: String
  /// The number of findings that were accepted.
  private(set) var accepted: UInt64 = 0

  /// Reads a summary, or returns nil if the text is no summary of this program, or is one of a
  /// later version.
  init?(_ text: [UInt8]) {
    guard let summary = StoredValue(text[...], JSONDocument()),
      summary["schemaVersion"]?.number(UInt64.self) == 1,
      summary["tool"]?["name"]?.string == Tool.name,
      let version = summary["tool"]?["version"]?.string
    else { return nil }
    toolVersion = version
    hasState = summary["state"] != nil
    silences = (summary["run"]?["silences"]?.elements ?? []).compactMap {
      InputSilence(stored: $0)
    }
    settings = summary["run"]?["settings"].flatMap { value in
      try? JSONDecoder().decode(RecordedSettings.self, from: Data(value.raw))
    }
    for input in summary["inputs"]?.elements ?? [] {
      guard let row = InputRow(stored: input) else { return nil }
      inputs.append(row)
    }
    readTotals(summary)
  }

  private mutating func readTotals(_ summary: StoredValue) {
    func number(_ object: String, _ name: String) -> UInt64 {
      summary[object]?[name]?.number() ?? 0
    }
    totals.lines = number("records", "lines")
    totals.blank = number("records", "blank")
    totals.attestations = number("records", "attestations")
    totals.assertions = number("records", "assertions")
    totals.challenges = number("records", "challenges")
    totals.deviceCheckTokens = number("records", "deviceCheckTokens")
    totals.skipped = number("records", "skipped")
    totals.unreadable = number("records", "unreadable")
    totals.known = number("records", "known")
    totals.items = number("records", "items")
    totals.notAudited = number("records", "notAudited")
    totals.ambiguousTimes = number("records", "ambiguousTimes")
    for verdict in Verdict.allCases {
      totals.verdicts[Int(verdict.rawValue)] = number("verdicts", verdict.name)
    }
    for status in KeyStatus.allCases {
      totals.keys[Int(status.rawValue)] = number("keys", status.name)
    }
    let findings = summary["findings"]
    for severity in Severity.allCases {
      totals.findingsBySeverity[Int(severity.rawValue)] =
        findings?["bySeverity"]?[severity.name]?.number() ?? 0
    }
    for code in FindingCode.allCases {
      totals.findingsByCode[Int(code.rawValue)] = findings?["byCode"]?[code.name]?.number() ?? 0
    }
    // The page shows only the sum of all entries, so that their targets make no difference.
    for entry in summary["accepted"]?.elements ?? [] {
      guard let count = entry["count"]?.number(UInt64.self) else { continue }
      var accepted = AcceptedCount(
        AcceptedFinding(.fingerprint(0), severity: .info, reason: "", expires: ""))
      accepted.count = count
      totals.accepted.append(accepted)
    }
  }
}

extension InputRow {
  /// Reads an element of `inputs`.
  fileprivate init?(stored input: StoredValue) {
    guard let source = input["source"]?.string,
      let status = input["status"]?.string.flatMap(Status.init(rawValue:))
    else { return nil }
    self.init(source, status)
    bytes = input["bytes"]?.number() ?? 0
    decompressedBytes = input["decompressedBytes"]?.number() ?? 0
    lines = input["lines"]?.number() ?? 0
    sha256 = input["sha256"]?.hexBytes.flatMap { Digest256($0) }
  }
}
