import AuditLog
import Testing

@testable import AuditEngine

@Suite struct `Severity policy` {
  private let plain = SeverityPolicy(overrides: [:])

  /// Returns the severity in the tables of `detection.md` (`detection.R55` to `R63`, `R66`).
  private func written(_ code: FindingCode) -> Severity {
    switch code.name {
    case "counter.repeated", "replay.assertion", "replay.attestation": .critical
    case "counter.server_mismatch", "key.reattested",
      "key.subject_changed",
      "challenge.expired", "record.malformed_json", "record.missing_field",
      "record.bad_encoding", "record.ambiguous_field", "record.platform_mismatch",
      "record.client_data_lossy",
      "attestation.receipt_invalid", "attestation.time_disagrees":
      .medium
    case "challenge.weak", "decision.rejected_valid", "record.odd_encoding", "record.odd_json": .low
    case "counter.reordered", "counter.gap", "record.duplicate", "replay.retry": .info
    default: .high
    }
  }

  /// Returns true if the code is one of requests that could not be audited.
  private func isHidden(_ code: FindingCode) -> Bool {
    [
      "record.missing_field", "record.bad_encoding", "record.ambiguous_field",
      "record.client_data_lossy",
    ].contains(code.name)
  }

  /// Returns true if the code is one of verification, keys, counters or replays.
  private func isJudged(_ code: FindingCode) -> Bool {
    ["attestation.", "assertion.", "key.", "counter.", "replay."].contains {
      code.name.hasPrefix($0)
    } || code.name == "record.client_data_hash_mismatch"
  }

  @Test(arguments: FindingCode.allCases)
  func `without a decision a code has the severity of its table`(_ code: FindingCode) {
    #expect(code.defaultSeverity == written(code))
    // Such client data stands beside a token (detection.R50).
    let isLossy = code == .recordClientDataLossy
    #expect(plain.severity(code, .unknown) == (isLossy ? .high : written(code)))
  }

  // detection.R49, R51.
  @Test(arguments: FindingCode.allCases)
  func `a finding is more severe if accepted, less severe if rejected`(_ code: FindingCode) {
    let severity = written(code)
    let accepted =
      isHidden(code) ? .high : isJudged(code) && severity == .high ? Severity.critical : severity
    let rejected = isJudged(code) && severity > .low ? Severity.low : severity
    #expect(plain.severity(code, .accepted) == accepted)
    #expect(plain.severity(code, .rejected) == rejected)
  }

  // detection.R54.
  @Test(arguments: FindingCode.allCases)
  func `a severity that the pipeline file sets is neither raised nor lowered`(_ code: FindingCode) {
    for severity in Severity.allCases {
      let policy = SeverityPolicy(overrides: [code: severity])
      for decision in [Decision.unknown, .accepted, .rejected] {
        #expect(policy.severity(code, decision) == severity)
        for other in FindingCode.allCases where other != code {
          #expect(policy.severity(other, decision) == plain.severity(other, decision))
        }
      }
    }
  }

  @Test func `a rejected record may have info and a weak challenge and still be harmless`() {
    let harmless: Set<String> = [
      "challenge.weak", "counter.gap", "counter.reordered", "record.duplicate", "replay.retry",
    ]
    func found(_ policy: SeverityPolicy) -> Set<String> {
      Set(FindingCode.allCases.filter { !policy.faults.contains($0) }.map(\.name))
    }
    #expect(found(plain) == harmless)
    let policy = SeverityPolicy(overrides: [
      .keyReattested: .info, .replayRetry: .high, .challengeWeak: .critical,
    ])
    #expect(found(policy) == harmless.subtracting(["replay.retry"]).union(["key.reattested"]))
  }

  @Test func `severities rise, and are found by their names`() {
    #expect(Severity.allCases == Severity.allCases.sorted())
    #expect(Severity.allCases.map(\.name) == ["info", "low", "medium", "high", "critical"])
    for severity in Severity.allCases { #expect(Severity(name: severity.name) == severity) }
    for name in ["", "High", "high ", "none", "warning"] { #expect(Severity(name: name) == nil) }
  }

  @Test(arguments: [Decision.unknown, .accepted, .rejected])
  func `a record with a token is high unless the server rejected it (detection.R50)`(
    _ decision: Decision
  ) {
    for code in FindingCode.allCases where isHidden(code) {
      #expect(
        plain.severity(code, decision, hasToken: true) == (decision == .rejected ? .medium : .high))
      #expect(
        plain.severity(code, decision, hasToken: false) == (decision == .accepted ? .high : .medium)
      )
      let set = SeverityPolicy(overrides: [code: .low])
      #expect(set.severity(code, decision, hasToken: true) == .low)
    }
    #expect(plain.severity(.recordMalformedJSON, decision, hasToken: true) == .medium)
  }
}
