internal import AppAttest

/// What of the findings of earlier runs stands no more. Used by one thread at a time.
///
/// Two events of one instant may share a fingerprint: withdrawals wait for ``settle()``, behind the last
/// event that may share it, and are made unless the finding stands for another one.
final class Withdrawals {
  /// How many are kept in memory; all are counted.
  static let limit = 100_000
  /// How many wait for ``settle()``: honest keys and hashes have a few. Beyond that findings stay.
  private static let pendingLimit = 1 << 16

  private struct Pending {
    var code: FindingCode
    /// The key, or the device.
    var owner: Digest256
    var fingerprint: UInt64
  }

  /// Nil where the run stands alone.
  private let findings: (any FindingMemory)?
  private let isAdvance: Bool
  private(set) var first: [ClosedFinding] = []
  private(set) var count: UInt64 = 0
  /// The fingerprints of `first`.
  private var withdrawn: Set<UInt64> = []
  private var pending: [Pending] = []
  private var asked: Set<UInt64> = []
  private var standing: Set<UInt64> = []
  private var isBlocked = false

  /// `history` is nil where the run stands alone; a run that only refers to a state withdraws nothing.
  init(_ history: RunHistory?) {
    findings = history?.findings
    isAdvance = history?.mode == .advance
  }

  // MARK: What was reported

  /// Whether a finding of an event that earlier runs judged is to be reported: unless it stands already,
  /// as grave as it is.
  func isNews(_ fingerprint: UInt64, _ severity: Severity) throws(AuditError) -> Bool {
    guard let sighting = try findings?.sighting(fingerprint) else { return true }
    return sighting.isNews(severity)
  }

  // MARK: What stands no more

  /// Takes note that a finding is not found any more of an event of the key or device `owner`.
  func withdraw(_ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64) {
    guard isAdvance, pending.count < Self.pendingLimit, asked.insert(fingerprint).inserted else {
      return
    }
    pending.append(Pending(code: code, owner: owner, fingerprint: fingerprint))
  }

  /// Takes note that a finding is found of an event.
  func stands(_ fingerprint: UInt64) {
    guard isAdvance else { return }
    if standing.count < Self.pendingLimit { standing.insert(fingerprint) } else { isBlocked = true }
  }

  /// Withdraws what stands for none of the events since the last call.
  func settle() throws(AuditError) {
    defer {
      if !asked.isEmpty {
        pending.removeAll(keepingCapacity: true)
        asked.removeAll(keepingCapacity: true)
      }
      if !standing.isEmpty { standing.removeAll(keepingCapacity: true) }
      isBlocked = false
    }
    guard !isBlocked else { return }
    for entry in pending where !standing.contains(entry.fingerprint) {
      try withdrawNow(entry.code, of: entry.owner, entry.fingerprint)
    }
  }

  // MARK: Findings that count records

  /// A finding of which some records are explained.
  private struct Explained {
    var code: FindingCode
    var owner: Digest256
    var count: UInt64
  }

  /// By fingerprint; beyond ``limit`` findings stay.
  private var explained: [UInt64: Explained] = [:]
  /// Those of them that this run reports, too.
  private var counted: Set<UInt64> = []

  /// Takes note that some of the records that a finding counts are explained: it stands for those that
  /// are left, and is withdrawn with the last.
  func explain(
    _ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64, count: UInt64
  ) {
    guard isAdvance, explained[fingerprint] != nil || explained.count < Self.limit else { return }
    explained[fingerprint, default: Explained(code: code, owner: owner, count: 0)].count += count
  }

  /// Takes note that this run reports a finding of which records may be explained.
  func stands(counted fingerprint: UInt64) {
    if isAdvance, counted.count < Self.limit { counted.insert(fingerprint) }
  }

  /// Withdraws those findings of which every record is explained; behind all events of the run.
  func finish() throws(AuditError) {
    for (fingerprint, entry) in explained.sorted(by: { $0.key < $1.key }) {
      guard let findings, let sighting = try findings.sighting(fingerprint), !sighting.isClosed
      else { continue }
      // What earlier versions reported has no number of records.
      if !counted.contains(fingerprint), sighting.records ?? 0 <= entry.count {
        try withdrawNow(entry.code, of: entry.owner, fingerprint)
      } else {
        try findings.explain(fingerprint, records: entry.count)
      }
    }
    explained = [:]
    counted = []
  }

  private func withdrawNow(
    _ code: FindingCode, of owner: Digest256, _ fingerprint: UInt64
  ) throws(AuditError) {
    guard isAdvance, let findings, !withdrawn.contains(fingerprint),
      let sighting = try findings.sighting(fingerprint), !sighting.isClosed
    else { return }
    try findings.close(fingerprint)
    count += 1
    guard first.count < Self.limit else { return }
    withdrawn.insert(fingerprint)
    first.append(
      ClosedFinding(
        code: code, keyID: owner, fingerprint: fingerprint, firstSeen: sighting.firstSeen))
  }
}
