package import AppAttest
import AuditLog

@testable package import AuditEngine

extension FindingMemory {
  /// Takes a finding of which little is known.
  package func remember(
    _ fingerprint: UInt64, _ code: FindingCode, keyID: Digest256?, severity: Severity = .high
  ) throws(AuditError) {
    try remember(
      Finding(
        severity: severity, code: code, time: nil, kind: nil, keyID: keyID, appID: "",
        clientDataHash: [], counter: nil, expected: nil, position: Position(source: 0, line: 1),
        related: nil, count: 1, requestID: "", decision: .unknown, subject: "", detail: "",
        fingerprint: fingerprint))
  }
}
