internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// The findings of earlier runs that no longer stand. Two events of one instant may share a
/// fingerprint: withdrawals wait for ``settle()``, and are made unless another one has it.
final class Withdrawals {
  /// The number of withdrawals that are kept in memory. All are counted.
  static let limit = 100_000
  /// The most withdrawals that wait for ``settle()``. Findings beyond that stay.
  private static let pendingLimit = 1 << 16

  /// The findings of earlier runs, or nil if the run stands alone.
  private let findings: (any FindingMemory)?
  private let isAdvance: Bool
  /// Whether an earlier run read another log.
  private let hasOtherLogs: Bool
  /// The destination of withdrawals that the run settles as a whole, or nil.
  private let elsewhere: MemoryRows?
  /// The key, device or clientDataHash that is examined.
  var group = Digest256()
  private(set) var first: [ClosedFinding] = []
  private(set) var count: UInt64 = 0
  /// The fingerprints of `first`.
  private var withdrawn: Set<UInt64> = []
  private var pending: [FindingNote] = []
  private var asked: Set<UInt64> = []
  private var standing: Set<UInt64> = []
  private var isBlocked = false

  private let shuffles: Shuffles?
  /// The rows of what is withdrawn, in the order of the report, if there are any.
  private(set) var rows: RowSorter?
  private static let rowMemory = 1 << 20

  /// Makes the withdrawals of a run: none if it only refers to a state, or there is none.
  init(_ history: RunMemory?, _ shuffles: Shuffles? = nil) {
    findings = history?.findings
    isAdvance = history?.mode == .advance
    hasOtherLogs = history?.otherLogs.isEmpty == false
    elsewhere = history?.rows
    self.shuffles = shuffles
  }

  // MARK: What was reported

  /// Returns whether a finding of an event that earlier runs judged does not stand yet as grave.
  func isNews(_ fingerprint: UInt64, _ severity: Severity) throws(AuditError) -> Bool {
    guard let sighting = try findings?.sighting(fingerprint) else { return true }
    return sighting.isNews(severity)
  }

  /// Returns a finding of earlier runs as they reported it, if it is about this event.
  func stored(_ subject: Finding, _ fingerprint: UInt64) throws(AuditError) -> Finding? {
    let stored = try findings?.finding(fingerprint)
    return stored?.position == subject.position ? stored : nil
  }

  /// Returns those of the codes whose findings about an event stand.
  func standing(_ codes: CodeSet, _ subject: Finding) throws(AuditError) -> CodeSet {
    var standing = CodeSet()
    for code in codes.codes
    where try findings?.sighting(subject.fingerprint(code))?.isClosed == false {
      standing.insert(code)
    }
    return standing
  }

  // MARK: What stands no more

  /// Records that a finding is not found any more of an event of the key or device `owner`.
  func withdraw(_ code: FindingCode, of owner: Digest256, _ subject: Finding) {
    guard isAdvance, pending.count < Self.pendingLimit else { return }
    let fingerprint = subject.fingerprint(code)
    guard asked.insert(fingerprint).inserted else { return }
    pending.append(FindingNote(.withdrawn, code, of: owner, fingerprint, subject))
  }

  /// Records that a finding is found of an event.
  func stands(_ fingerprint: UInt64) {
    guard isAdvance else { return }
    if standing.count < Self.pendingLimit { standing.insert(fingerprint) } else { isBlocked = true }
  }

  /// Records that not all events are known that a finding may be found of.
  func withdrawNothing() { isBlocked = true }

  /// Withdraws what stands for none of the events since the last call.
  func settle() throws(AuditError) {
    guard isAdvance else { return }
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
      try withdrawNow(entry, count: 1, reason: Self.reason(entry.code))
    }
  }

  /// Withdraws a finding about damage, or about what damage made of a line, unless other records stand behind it: `count`
  /// of its records are explained. `isSeen` is true if this run finds it of another record.
  func withdraw(replaced finding: Finding, of count: UInt64, isSeen: Bool) throws(AuditError) {
    if isSeen { try stands(counted: finding.fingerprint) }
    // Where its records are kept, its first one was explained with the others.
    if explained[finding.fingerprint]?.replacedCount ?? 0 > 0 { return }
    try explain(FindingNote(.replaced, finding), count)
  }

  /// Withdraws a finding about an input that was another log and is read again (`pipeline.R15`), unless
  /// it is also about a record of another input (`detection.R26`). `isSeen` is true if this run finds it.
  func withdraw(reread finding: Finding, isSeen: Bool) throws(AuditError) {
    guard !isSeen, try findings?.sighting(finding.fingerprint)?.records == 0 else { return }
    try withdrawNow(FindingNote(.withdrawn, finding), count: nil, reason: Self.reread)
  }

  // MARK: What another log of the last run made (``RunMemory/unsettled``)

  /// Withdraws what stands about an event and is not `found` of it: of the codes `among`, or, of an event that this run
  /// read, of all codes if only another log had it.
  func withdraw(
    unsettled subject: Finding, of owner: Digest256, among codes: CodeSet?, found: CodeSet
  ) throws(AuditError) {
    guard isAdvance, let findings, let time = subject.time else { return }
    for finding in try findings.standing(atTime: time)
    where codes?.contains(finding.code) ?? true
      && subject.fingerprint(finding.code) == finding.fingerprint
    {
      guard !found.contains(finding.code) else {
        stands(finding.fingerprint)
        continue
      }
      var stored = subject
      if codes == nil {
        guard try findings.sighting(finding.fingerprint)?.records == 0 else { continue }
        stored.position = finding.position
      }
      withdraw(finding.code, of: owner, stored)
    }
  }

  /// Records that a finding counts none of the key's assertions that are at hand. Others may stand behind it.
  func explain(all finding: Finding, of keyID: Digest256) throws(AuditError) {
    try explain(FindingNote(.unsettled, finding.code, of: keyID, finding.fingerprint, finding))
  }

  /// Returns the finding of a code that counts assertions of a key or device, if earlier runs read another log.
  func counting(
    _ code: FindingCode, of keyID: Digest256, device: String? = nil
  ) throws(AuditError) -> Finding? {
    hasOtherLogs ? try findings?.finding(Fingerprint.key(code, keyID, device: device)) : nil
  }

  // MARK: Findings that count records

  /// A finding of which some records are explained, with the first of them.
  private struct Explained {
    var note: FindingNote
    var count: UInt64 = 0
    /// The number of those that damage had made.
    var replacedCount: UInt64 = 0
  }

  /// The findings that are explained, by fingerprint. Findings beyond ``limit`` stay.
  private var explained: [UInt64: Explained] = [:]
  /// The findings among them that this run reports, too.
  private var counted: Set<UInt64> = []

  /// Records that some of the records that a finding counts are explained, or replaced.
  func explain(_ note: FindingNote, _ count: UInt64 = 1) throws(AuditError) {
    if let elsewhere { return try elsewhere.add(note, of: group) }
    let count = note.fate == .unsettled ? 0 : count
    let known = explained[note.fingerprint]
    guard isAdvance, known != nil || explained.count < Self.limit else { return }
    var entry = known ?? Explained(note: note)
    entry.count += count
    if note.fate == .replaced { entry.replacedCount += count }
    explained[note.fingerprint] = entry
  }

  /// Records that this run reports a finding of which records may be explained.
  func stands(counted fingerprint: UInt64) throws(AuditError) {
    if let elsewhere {
      let note = FindingNote(owner: group, fingerprint: fingerprint)
      return try elsewhere.add(note, of: group)
    }
    if isAdvance, counted.count < Self.limit { counted.insert(fingerprint) }
  }

  /// Withdraws those findings of which every record is explained; behind all events of the run.
  func finish() throws(AuditError) {
    for (fingerprint, entry) in explained.sorted(by: { $0.key < $1.key }) {
      guard let findings, let sighting = try findings.sighting(fingerprint), !sighting.isClosed
      else { continue }
      if !counted.contains(fingerprint), sighting.records <= entry.count {
        try withdrawNow(
          entry.note, count: sighting.records > 0 ? sighting.records : nil,
          reason: entry.replacedCount > 0 && entry.replacedCount == entry.count
            ? Self.replaced : Self.reason(entry.note.code))
      } else {
        try findings.explain(fingerprint, records: entry.count)
      }
    }
    explained = [:]
    counted = []
  }

  /// Takes what a stage said that was carried out elsewhere, in the order of stages.
  func take(_ note: FindingNote) throws(AuditError) {
    switch note.fate {
    case .withdrawn: try withdrawNow(note, count: 1, reason: Self.reason(note.code))
    case .explained, .replaced, .unsettled: try explain(note)
    case .counted: try stands(counted: note.fingerprint)
    }
  }

  /// Withdraws a finding that counts so many records, or nil for as many as it counted.
  private func withdrawNow(
    _ entry: FindingNote, count records: UInt64?, reason: String
  ) throws(AuditError) {
    let fingerprint = entry.fingerprint
    guard isAdvance, let findings, !withdrawn.contains(fingerprint),
      let sighting = try findings.sighting(fingerprint), !sighting.isClosed
    else { return }
    if let elsewhere {
      var note = entry
      note.fate = .withdrawn
      return try elsewhere.add(note, of: group)
    }
    try findings.close(fingerprint)
    count += 1
    try write(
      entry, sighting, records, reason: reason)
    guard first.count < Self.limit else { return }
    withdrawn.insert(fingerprint)
    first.append(
      ClosedFinding(
        code: entry.code, keyID: entry.owner, fingerprint: fingerprint,
        firstSeen: sighting.firstSeen))
  }

  /// Writes the row of the report, with the reason.
  private func write(
    _ entry: FindingNote, _ sighting: Sighting, _ records: UInt64?, reason: String
  ) throws(AuditError) {
    guard let shuffles else { return }
    let sorter =
      rows
      ?? RowSorter(
        RowSorter.Settings(
          keyLength: FindingRow.keyLength, writers: 1, memory: Self.rowMemory,
          space: shuffles.space))
    rows = sorter
    let row = RowBuilder(texts: shuffles.texts)
    var finding = try stored(entry.subject, entry.fingerprint) ?? entry.subject
    finding.isAccepted = false
    finding.severity = sighting.worst
    finding.code = entry.code
    if let records { finding.count = records }
    finding.detail = "Withdrawn, first reported on \(sighting.firstSeen). \(reason)"
    finding.fingerprint = entry.fingerprint
    try FindingRow(finding: finding).write(row)
    unsafe try sorter.writer(0).append(row.row)
  }

  private static let replaced =
    "The input was damaged then. Another input contains its lines undamaged."

  private static let reread =
    "Too many lines of the input could not be read then. It was read again, without this finding."

  private static func reason(_ code: FindingCode) -> String {
    switch code {
    case .keyUnknown, .keyUntrusted:
      return "The key has an attestation now. Each of its assertions was judged again."
    case .decisionRejectedValid:
      return "Records that arrived later show a fault of the request."
    default: return "With the records that arrived later, the finding does not follow any more."
    }
  }
}
