internal import AppAttest

/// The findings of earlier runs that this run found to stand no more. Used by one thread at a time.
final class ClosedFindings {
  /// How many are kept in memory; all are counted.
  static let limit = 100_000

  private let findings: (any FindingMemory)?
  private(set) var first: [ClosedFinding] = []
  private(set) var count: UInt64 = 0

  /// `history` is nil where the run stands alone; a run that only refers to a state closes nothing.
  init(_ history: RunHistory?) {
    findings = history?.mode == .advance ? history?.findings : nil
  }

  /// Closes a finding, if an earlier run reported it and it stands.
  func close(
    _ code: FindingCode, of keyID: Digest256, fingerprint: UInt64
  ) throws(AuditError) {
    guard let findings, let sighting = try findings.sighting(fingerprint), !sighting.isClosed
    else { return }
    try findings.close(fingerprint)
    count += 1
    guard first.count < Self.limit else { return }
    first.append(
      ClosedFinding(
        code: code, keyID: keyID, fingerprint: fingerprint, firstSeen: sighting.firstSeen))
  }
}
