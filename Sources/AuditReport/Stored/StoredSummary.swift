internal import AppAttest
package import AuditEngine
internal import AuditLog

/// The contents of a report's `summary.json` that the program reads again.
package struct StoredSummary: Sendable {
  package private(set) var inputs: [InputRow] = []
  private(set) var totals = AuditTotals()
  /// The settings, or nil if the run kept none.
  package let settings: RecordedSettings?
  let silences: [InputSilence]
  let hasState: Bool
  let toolVersion: String
  /// The name and version of the program, such as `attest-audit 1.2.3`.
  package var tool: String { "\(Tool.name) \(toolVersion)" }
  /// The identifier and the start of the run, and the day that it is about.
  package let run: String
  package let startedAt: String
  package let day: String
  package private(set) var likelyCauses: [LikelyCause] = []
  package private(set) var blindSpots: [BlindSpot] = []
  let builds: BuildTotals
  /// The fingerprints of the findings that the run reported as new again.
  let newAgain: Set<UInt64>

  /// Reads a summary, or returns nil if the text is not a summary of this program, or is one of a
  /// later version.
  init?(_ text: [UInt8]) {
    guard let summary = StoredValue(text[...], JSONDocument()),
      summary["schemaVersion"]?.number(UInt64.self) == 1,
      summary["tool"]?["name"]?.string == Tool.name,
      let version = summary["tool"]?["version"]?.string
    else { return nil }
    toolVersion = version
    hasState = summary["state"] != nil
    builds = BuildTotals(stored: summary["builds"])
    newAgain = Set(
      (summary["state"]?["newAgain"]?.elements ?? []).compactMap {
        $0.string.flatMap { UInt64($0, radix: 16) }
      })
    run = summary["run"]?["id"]?.string ?? ""
    startedAt = summary["run"]?["startedAt"]?.string ?? ""
    day = summary["run"]?["day"]?.string ?? String(startedAt.prefix(10))
    silences = (summary["run"]?["silences"]?.elements ?? []).compactMap {
      InputSilence(stored: $0)
    }
    settings = summary["run"]?["settings"].flatMap(RecordedSettings.init(stored:))
    for input in summary["inputs"]?.elements ?? [] {
      guard let row = InputRow(stored: input) else { return nil }
      inputs.append(row)
    }
    readTotals(summary)
    likelyCauses = (summary["likelyCauses"]?.elements ?? []).compactMap(LikelyCause.init(stored:))
    blindSpots = (summary["blindSpots"]?.elements ?? []).compactMap(BlindSpot.init(stored:))
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

extension LikelyCause {
  /// Reads an element of `likelyCauses`.
  fileprivate init?(stored value: StoredValue) {
    guard let cause = value["cause"]?.string.flatMap(Cause.init(rawValue:)) else { return nil }
    self.init(
      cause, codes: value.codes, count: value["count"]?.number() ?? 0,
      evidence: value["evidence"]?.string ?? "", action: value["action"]?.string ?? "",
      source: value["source"]?.string ?? "", line: value["line"]?.number() ?? 0)
  }
}

extension BlindSpot {
  /// Reads an element of `blindSpots`.
  fileprivate init?(stored value: StoredValue) {
    guard let spot = value["spot"]?.string.flatMap(Spot.init(rawValue:)) else { return nil }
    self.init(
      spot, codes: value.codes, evidence: value["evidence"]?.string ?? "",
      action: value["action"]?.string ?? "")
  }
}

extension StoredValue {
  fileprivate var codes: [FindingCode] {
    (self["codes"]?.elements ?? []).compactMap { $0.string.flatMap(FindingCode.init(name:)) }
  }
}
