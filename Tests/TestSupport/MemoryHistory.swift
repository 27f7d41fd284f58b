package import AppAttest
package import AuditEngine
internal import Basics
internal import Files
internal import RowShuffle
internal import Synchronization

/// A state in memory: the data that runs leave behind, from one to the next, as a state on disk
/// would have it. It checks that every caller keeps the rules of the protocols, and throws an error
/// if one does not.
package final class MemoryHistory: Sendable {
  /// The days that hashes and kept rows are remembered beyond their run's, or nil for ever.
  private let windowDays: Int?
  private let pendingDays: Int?
  private let held = Mutex(MemoryState())
  private let open = Mutex<MemoryRun?>(nil)

  package init(windowDays: Int? = nil, pendingDays: Int? = nil) {
    self.windowDays = windowDays
    self.pendingDays = pendingDays
  }

  /// The data that all committed runs left.
  package var state: MemoryState { held.withLock { $0 } }

  /// Starts a run of the day `date`, such as `2026-11-20`, whose sources have these names. Windows
  /// are measured from `date`. A run that was neither committed nor abandoned is abandoned.
  package func beginRun(
    mode: RunMemory.Mode = .advance, date: String = "2026-11-20", names: [String] = ["log"]
  ) -> RunMemory {
    let state = held.withLock { state in
      let today = MemoryState.day(date)
      if let windowDays { state.recordParts.removeAll { $0.day + windowDays < today } }
      if let pendingDays { state.rowParts.removeAll { $0.day + pendingDays < today } }
      return state
    }
    let run = MemoryRun(state, mode: mode, date: date, names: names)
    open.withLock { $0 = run }
    let earlier = state.sources
    var memory = RunMemory(
      mode: mode, firstSource: UInt32(earlier.count),
      sourceName: { Int($0) < earlier.count ? earlier[Int($0)] : "" },
      keys: run, hashes: run, events: run, findings: run)
    memory.knowsKeptHashes = windowDays ?? .max >= pendingDays ?? .max
    return memory
  }

  /// Adds the data that the run remembered to the state. A run of the mode `reference` leaves
  /// nothing.
  package func commit() {
    let run = open.withLock { run in
      defer { run = nil }
      return run
    }
    guard let run, run.mode == .advance else { return }
    held.withLock { $0.take(run) }
  }

  /// Drops the data that the run remembered.
  package func abandon() {
    open.withLock { $0 = nil }
  }
}

/// The data that committed runs left in a ``MemoryHistory``.
package struct MemoryState: Sendable {
  /// The bytes that one run remembered, in ascending order, and the run's day, counted from 1970.
  typealias Part = (day: Int, rows: [[UInt8]])

  /// The names of the sources of all runs, by ``Position/source``.
  package fileprivate(set) var sources: [String] = []
  package fileprivate(set) var runs = 0
  package fileprivate(set) var keys: [Digest256: KeptKey] = [:]
  package fileprivate(set) var devices: [Digest256: [KeptDevice]] = [:]
  /// The findings that were reported.
  package fileprivate(set) var findings: [UInt64: Sighting] = [:]
  fileprivate var recordParts: [Part] = []
  fileprivate var rowParts: [Part] = []

  /// The remembered records of all runs that are not forgotten, one run's behind the other's.
  package var records: [[UInt8]] { recordParts.flatMap(\.rows) }
  /// The kept rows of all runs that are not forgotten, one run's behind the other's.
  package var keptRows: [[UInt8]] { rowParts.flatMap(\.rows) }

  fileprivate mutating func take(_ run: MemoryRun) {
    let (day, left) = (Self.day(run.date), run.left)
    runs += 1
    sources += run.names
    for key in left.keys { keys[key.keyID] = key }
    for device in left.devices { devices[device.device, default: []].append(device) }
    // In the order of insertion: of events at one instant, the one remembered first stays first.
    for (device, list) in devices {
      devices[device] = list.enumerated().sorted {
        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
      }.map(\.element)
    }
    if !left.records.isEmpty { recordParts.append((day, left.records)) }
    if !left.rows.isEmpty { rowParts.append((day, left.rows)) }
    for (fingerprint, records) in left.explained { findings[fingerprint]?.records -= records }
    for (fingerprint, finding) in left.findings {
      var sighting = findings[fingerprint] ?? Sighting(firstSeen: run.date, times: 0)
      sighting.times += 1
      if [.keyUnknown, .keyUntrusted].contains(finding.code) {
        let isNew = findings[fingerprint]?.isClosed ?? true
        sighting.records = (isNew ? 0 : sighting.records) + finding.count
      }
      sighting.worst = max(sighting.worst, finding.severity)
      sighting.isClosed = false
      findings[fingerprint] = sighting
    }
    for fingerprint in left.closed { findings[fingerprint]?.isClosed = true }
  }

  /// Returns the days from 1970 to a date such as `2026-11-20`, or 0 if the text is no date.
  fileprivate static func day(_ date: String) -> Int {
    Int((RFC3339.milliseconds(Array("\(date)T00:00:00Z".utf8).span) ?? 0) / 86_400_000)
  }
}

// Nothing is imported.
extension KeyMemory {
  package func imported(_ keyID: Digest256) throws(AuditError) -> ImportedKey? { nil }
  package func imported(ofDevice device: Digest256) throws(AuditError) -> [KnownKey] { [] }
  package func broughtKeys() throws(AuditError) -> [Digest256] { [] }
}

/// A run between its start and its commit: what earlier runs left, and what this one leaves.
private final class MemoryRun: KeyMemory, HashMemory, EventMemory, FindingMemory {
  /// The number of key bytes at the front of a row of the shuffle by key identifier.
  private static let keyLength = 57

  struct Left: Sendable {
    var keys: [KeptKey] = []
    var devices: [KeptDevice] = []
    var records: [[UInt8]] = []
    var rows: [[UInt8]] = []
    var findings: [UInt64: Finding] = [:]
    var explained: [UInt64: UInt64] = [:]
    var closed: Set<UInt64> = []
    /// The last key and the last group that were asked for, and how often rows were read.
    var askedKey: Digest256?
    var askedGroup: [UInt8] = []
    var reads = 0
  }

  let mode: RunMemory.Mode
  let date: String
  let names: [String]
  private let earlier: MemoryState
  private let groups: [ArraySlice<UInt8>: [[UInt8]]]
  private let state = Mutex(Left())

  init(_ earlier: MemoryState, mode: RunMemory.Mode, date: String, names: [String]) {
    self.earlier = earlier
    self.mode = mode
    self.date = date
    self.names = names
    groups = Dictionary(grouping: earlier.records) { $0.prefix(KeptRecord.groupLength) }
  }

  var left: Left { state.withLock { $0 } }

  /// Changes what the run leaves or was asked for. `change` returns whether the caller may do that.
  private func note(
    _ what: String, isAsked: Bool = false, _ change: (inout Left) -> Bool
  ) throws(AuditError) {
    guard isAsked || mode == .advance else {
      throw AuditError(.inconsistent, "\(what) without advance")
    }
    guard state.withLock({ change(&$0) }) else {
      throw AuditError(.inconsistent, "\(what) out of order, or not as it should be")
    }
  }

  private static func ascend(_ row: [UInt8], after last: [UInt8]?, by count: Int) -> Bool {
    last.map { !row.prefix(count).lexicographicallyPrecedes($0.prefix(count)) } ?? true
  }

  // MARK: Keys

  func key(_ keyID: Digest256) throws(AuditError) -> KeptKey? {
    try note("a key is asked for", isAsked: true) { left in
      defer { left.askedKey = keyID }
      return left.askedKey.map { $0 <= keyID } ?? true
    }
    return earlier.keys[keyID]
  }

  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]? {
    earlier.keys[keyID].flatMap { $0.publicKey.isEmpty ? nil : $0.publicKey }
  }

  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] {
    earlier.devices[device] ?? []
  }

  func remember(_ key: KeptKey, isNew: Bool) throws(AuditError) {
    try note("a key is remembered") { left in
      defer { left.keys.append(key) }
      return left.keys.last.map { $0.keyID < key.keyID } ?? true
    }
  }

  func remember(_ device: KeptDevice) throws(AuditError) {
    try note("a device is remembered") { left in
      left.devices.append(device)
      return true
    }
  }

  // MARK: Hashes

  func forEach(
    _ group: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
  ) throws(AuditError) {
    let group = unsafe Array(group)
    try note("a group is asked for", isAsked: true) { left in
      defer { left.askedGroup = group }
      return group.count == KeptRecord.groupLength
        && left.askedGroup.lexicographicallyPrecedes(group)
    }
    for record in groups[group[...]] ?? [] {
      try unsafe record.span.withUnsafeBytes { (bytes) throws(AuditError) in unsafe try body(bytes)
      }
    }
  }

  func forEachFront(_ body: (UnsafeRawBufferPointer) -> Void) throws(AuditError) {
    let fronts = earlier.records.flatMap { $0.prefix(16) }
    unsafe fronts.withUnsafeBytes { unsafe body($0) }
  }

  func remember(_ record: UnsafeRawBufferPointer) throws(AuditError) {
    let record = unsafe Array(record)
    try note("a record is remembered") { left in
      defer { left.records.append(record) }
      return record.count == KeptRecord.byteCount
        && Self.ascend(record, after: left.records.last, by: KeptRecord.groupLength)
    }
  }

  func awaitChallenges(from time: Int64) {}
  func forEachUnsettled(
    checksChallenges: Bool, _ body: (Digest256, _ length: UInt8) throws(AuditError) -> Void
  ) throws(AuditError) {}

  // MARK: Rows

  func runs(from marks: [KeptRowMark]) throws(AuditError) -> [any RowRunSource] {
    try note("kept rows are read again and again", isAsked: true) { left in
      left.reads += 1
      return left.reads <= 4
    }
    return earlier.rowParts.map { MemoryRowRun($0.rows) }
  }

  func keep(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    let row = unsafe Array(row)
    try note("a row is kept") { left in
      defer { left.rows.append(row) }
      return (Self.keyLength...RowRun.maximumRowBytes).contains(row.count)
        && Self.ascend(row, after: left.rows.last, by: Self.keyLength)
    }
  }

  // MARK: Findings

  func sighting(_ fingerprint: UInt64) throws(AuditError) -> Sighting? {
    earlier.findings[fingerprint]
  }

  func finding(_ fingerprint: UInt64) throws(AuditError) -> Finding? { nil }

  func standing(at source: UInt32) throws(AuditError) -> [Finding] { [] }

  func standing(atTime time: Int64) throws(AuditError) -> [Finding] { [] }

  func remember(_ finding: Finding) throws(AuditError) {
    try note("a finding is remembered") { left in
      let other = left.findings[finding.fingerprint]
      if other.map({ $0.severity <= finding.severity }) ?? true {
        left.findings[finding.fingerprint] = finding
      }
      return true
    }
  }

  func explain(_ fingerprint: UInt64, records: UInt64) throws(AuditError) {
    try note("a finding is explained") { left in
      left.explained[fingerprint, default: 0] += records
      return true
    }
  }

  func close(_ fingerprint: UInt64) throws(AuditError) {
    try note("a finding is closed") { left in
      left.closed.insert(fingerprint)
      return earlier.findings[fingerprint]?.isClosed == false
    }
  }
}
