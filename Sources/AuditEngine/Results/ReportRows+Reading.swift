package import AppAttest
internal import AuditLog

/// Rows with what each has in any case, for those who read a report and fill in the rest.
extension Finding {
  /// Makes a finding of which nothing else is known.
  package init(
    _ code: FindingCode, _ severity: Severity, at position: Position, fingerprint: UInt64
  ) {
    self.init(
      severity: severity, code: code, time: nil, kind: nil, keyID: nil, appID: "",
      clientDataHash: [], counter: nil, expected: nil, position: position, related: nil, count: 1,
      requestID: "", decision: .unknown, subject: "", detail: "", fingerprint: fingerprint)
  }
}

extension KeyRow {
  /// Makes the row of a key of which nothing else is known.
  package init(_ keyID: Digest256, _ status: KeyStatus, firstSeen: Int64, lastSeen: Int64) {
    self.init(
      keyID: keyID, appID: "", environment: nil, status: status, attestedAt: nil,
      firstSeen: firstSeen, lastSeen: lastSeen, attestations: 0, assertions: 0, verified: 0,
      failed: 0, firstCounter: nil, lastCounter: nil, missingCounters: nil, findings: 0,
      worstSeverity: nil, subject: "", osVersion: "", category: nil, bundleVersion: "",
      receiptType: "", receiptCreated: nil, riskMetric: "")
  }
}

extension InputRow {
  /// Makes the row of an input of which nothing else is known.
  package init(_ source: String, _ status: Status) {
    self.init(
      source: source, bytes: 0, decompressedBytes: 0, lines: 0, sha256: nil, status: status)
  }
}
