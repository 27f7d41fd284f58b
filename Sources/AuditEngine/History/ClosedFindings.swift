internal import AppAttest

/// The findings of earlier runs that this run found to stand no more, each once. Used by one thread at
/// a time.
final class ClosedFindings {
  /// How many are kept in memory; all are counted.
  static let limit = 100_000

  private let findings: (any FindingMemory)?
  private(set) var first: [ClosedFinding] = []
  private(set) var count: UInt64 = 0
  /// The fingerprints of `first`.
  private var closed: Set<UInt64> = []
  /// The fingerprints that `decision.rejected_valid` has of those records of earlier runs of which the
  /// reduce by key found only now that something is wrong with them.
  private var blamed: Set<UInt64> = []

  /// `history` is nil where the run stands alone; a run that only refers to a state closes nothing.
  init(_ history: RunHistory?) {
    findings = history?.mode == .advance ? history?.findings : nil
  }

  /// Takes note that a record that the server rejected was not valid after all.
  func blame(_ rejectedValid: UInt64) {
    if blamed.count < Self.limit { blamed.insert(rejectedValid) }
  }

  /// Whether that was found of a record, or may have been.
  func isBlamed(_ rejectedValid: UInt64) -> Bool {
    blamed.count == Self.limit || blamed.contains(rejectedValid)
  }

  /// Closes a finding, if an earlier run reported it and it stands.
  func close(
    _ code: FindingCode, of keyID: Digest256, fingerprint: UInt64
  ) throws(AuditError) {
    guard let findings, let sighting = try findings.sighting(fingerprint), !sighting.isClosed
    else { return }
    guard !closed.contains(fingerprint) else { return }
    try findings.close(fingerprint)
    count += 1
    guard first.count < Self.limit else { return }
    closed.insert(fingerprint)
    first.append(
      ClosedFinding(
        code: code, keyID: keyID, fingerprint: fingerprint, firstSeen: sighting.firstSeen))
  }
}
