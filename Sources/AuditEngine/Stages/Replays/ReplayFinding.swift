/// A finding about an event that is settled by clientDataHash, with its words.
struct ReplayFinding {
  var code: FindingCode
  var expected: UInt32?
  var related: Position?
  var detail: String

  /// Makes the finding of the replay table.
  static func replay(_ code: FindingCode, of first: Position?) -> ReplayFinding {
    ReplayFinding(code: code, related: first, detail: sentence(code))
  }

  /// Makes `key.reattested`.
  static func reattested(after first: Position?) -> ReplayFinding {
    ReplayFinding(
      code: .keyReattested, related: first,
      detail: "The key was attested again, for another clientDataHash.")
  }

  /// `decision.rejected_valid`.
  static let rejectedValid = ReplayFinding(
    code: .decisionRejectedValid,
    detail: "The server rejected the request, although nothing is wrong with it.")

  /// Returns what stands of an event's counters unless it is an exact replay.
  static func counters(_ row: HashRow) -> [ReplayFinding] {
    guard row.hasTentative || row.hasServerMismatch else { return [] }
    let rest = row.rest
    var findings: [ReplayFinding] = []
    if let tentative = rest.tentative {
      findings.append(
        ReplayFinding(
          code: tentative.code, expected: tentative.expected, related: tentative.related,
          detail: tentative.sentence(row.counter)))
    }
    if let mismatch = rest.serverMismatch {
      findings.append(
        ReplayFinding(
          code: .counterServerMismatch, expected: mismatch.expected, detail: mismatch.sentence))
    }
    return findings
  }

  private static func sentence(_ code: FindingCode) -> String {
    switch code {
    case .recordDuplicate: "The same request was logged twice."
    case .replayRetry: "The same request came again, as a retry does."
    case .replayAssertion: "The same assertion was used before."
    case .replayAttestation: "The same attestation was used before."
    case .replayCrossKey: "The clientDataHash was used before under another key."
    default: "The clientDataHash was used before under this key, with another signature."
    }
  }
}
