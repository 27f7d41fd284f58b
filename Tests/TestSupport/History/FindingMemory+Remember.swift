package import AppAttest
package import AuditEngine

extension FindingMemory {
  /// Remembers a finding of which little is known.
  package func remember(
    _ fingerprint: UInt64, _ code: FindingCode, keyID: Digest256?, severity: Severity = .high
  ) throws(AuditError) {
    try remember(Finding(code, severity, keyID: keyID, fingerprint: fingerprint))
  }
}
