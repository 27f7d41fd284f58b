package import AppAttest
package import AuditLog
package import RowShuffle

/// The memory of earlier runs, and of this one for later ones: the only way from an audit to a
/// state. What is remembered takes effect when the state is committed, never before.
package struct RunMemory: Sendable {
  /// The use that a run makes of a state.
  package enum Mode: String, Sendable, CaseIterable {
    /// A run that reads the state and adds itself to it: the nightly run.
    case advance
    /// A run that reads the state and leaves it as it is: incident and ad hoc runs.
    case reference
  }
  package var mode: Mode
  /// The number of this run's first source (``Position/source``); lower ones are of earlier runs.
  package var firstSource: UInt32
  package var sourceCount: UInt32 = 0
  /// Whether earlier runs saw an attestation.
  package var hasAttestations = false
  /// Returns the name of an earlier run's source.
  package var sourceName: @Sendable (UInt32) -> String
  /// Returns the order of all sources with those of this run, which have these names, by ``origins``.
  package var orderSources:
    @Sendable ([String], _ origins: [UInt32: UInt32]) throws(AuditError) -> SourceOrder = { _, _ in
      SourceOrder()
    }
  package var order = SourceOrder()
  /// The first sources of inputs that have grown (``SourceOrder/origins``).
  package var origins: [UInt32: UInt32] = [:]
  /// The lines of earlier runs that this run reads again, if it only refers to a state.
  package var rereads = RereadLines()
  /// Lines of damaged inputs, by source, that other inputs' lines have replaced: no event is there.
  package var replacedLines: [UInt32: Set<UInt64>] = [:]
  /// The sources that the last run found to be another log. What follows from them is not settled: this run judges
  /// the events of their keys and clientDataHashes again, whatever was found of them.
  package var unsettled: Set<UInt32> = []
  /// The lines among them that no earlier run replaced.
  private var newlyReplacedLines: [UInt32: Set<UInt64>] = [:]
  /// The damaged places of earlier runs' inputs that this run's inputs repair, by source.
  package var repairedPlaces: [UInt32: [LineDamage.Place]] = [:]
  package var keys: any KeyMemory
  package var hashes: any HashMemory
  package var events: any EventMemory
  package var findings: any FindingMemory
  /// Whether the hash of every event that an earlier run examined for replays, and of which a row is kept, is remembered.
  package var knowsKeptHashes = false
  /// The builds, or nil if nobody remembers them.
  package var builds: (any BuildMemory)?
  /// Marks in what earlier runs kept of keys, where several processes judge.
  var marks: [KeptRowMark] = []
  /// The destination of what is remembered if several processes judge, or nil if the state takes it.
  var rows: MemoryRows?

  package init(
    mode: Mode, firstSource: UInt32, sourceName: @escaping @Sendable (UInt32) -> String,
    keys: any KeyMemory, hashes: any HashMemory, events: any EventMemory,
    findings: any FindingMemory
  ) {
    self.mode = mode
    self.firstSource = firstSource
    self.sourceName = sourceName
    self.keys = keys
    self.hashes = hashes
    self.events = events
    self.findings = findings
  }

  /// Reads what earlier runs left through the memories of another one: each is read once, in order.
  mutating func read(through other: RunMemory) {
    (keys, hashes, events, findings) = (other.keys, other.hashes, other.events, other.findings)
  }

  /// Takes what this run's inputs explain of those of earlier runs.
  mutating func take(_ inputs: ReadInputs) {
    takeOrigins(inputs.entries)
    for explained in inputs.explained {
      let lines = Set(explained.superseded)
      newlyReplacedLines[explained.source, default: []].formUnion(lines)
      replacedLines[explained.source, default: []].formUnion(lines)
      repairedPlaces[explained.source] = explained.repaired
    }
  }

  /// Takes which of this run's inputs have grown.
  package mutating func takeOrigins(_ entries: [ReadInputs.Entry]) {
    for entry in entries {
      if let origin = entry.grownFrom { origins[entry.input.source] = origins[origin] ?? origin }
    }
  }

  /// Returns the keys, ascending, whose kept events are judged again even if the run has no record of
  /// them: those of its list, and of lists brought into the state.
  func wantedKeys(_ listed: [KnownKey]) throws(AuditError) -> [Digest256] {
    try (listed.map(\.keyID) + keys.broughtKeys()).sorted()
  }

  /// Calls `body`, ascending, for the other keys whose kept events are judged again: of events that damage made, and
  /// of those in another log of the last run. Of the latter nothing is settled.
  func forEachChangedKey(
    _ body: (Digest256, _ isUnsettled: Bool) throws(AuditError) -> Void
  ) throws(AuditError) {
    guard !unsettled.isEmpty || newlyReplacedLines.values.contains(where: { !$0.isEmpty }) else {
      return
    }
    var kept = try KeptRowReader(events.runs(), order)
    var last: [Bool: Digest256] = [:]
    while let bytes = unsafe kept.next {
      let event = unsafe EventRow(bytes)
      let isUnsettled = unsettled.contains(event.position.source)
      let isOfKey =
        (!event.flags.contains(.marks) || event.flags == .marks) && event.section != .device
      if isOfKey, isUnsettled || isNewlyReplaced(event.position),
        last[isUnsettled] != event.keyID
      {
        last[isUnsettled] = event.keyID
        try body(event.keyID, isUnsettled)
      }
      try kept.advance()
    }
  }

  /// Returns whether nothing counts that is remembered of a record: it is read again, or replaced.
  func leavesAside(_ position: Position) -> Bool {
    isReplaced(position) || isReread(position)
  }

  /// Returns whether this run reads a record of an earlier one again.
  func isReread(_ position: Position) -> Bool {
    !rereads.isEmpty && rereads.contains(source: position.source, line: position.line)
  }

  /// Returns the earlier source that a line of this run was read from first, or nil.
  func earlierSource(of position: Position) -> UInt32? {
    guard !rereads.isEmpty, position.source >= firstSource else { return nil }
    return rereads.source(ofIndex: Int(position.source - firstSource), line: position.line)
  }

  /// Stands for all lines of a source among those that are replaced: a run found the source to be
  /// another log, and the next run reads it again (`pipeline.R15`).
  package static let allLines: UInt64 = 0

  /// The sources, ascending, that a run found to be another log.
  var otherLogs: [UInt32] {
    replacedLines.filter { $0.value.contains(Self.allLines) }.keys.sorted()
  }

  /// Returns whether another input's line has replaced the line at a position of an earlier run.
  func isReplaced(_ position: Position) -> Bool {
    guard !replacedLines.isEmpty, let lines = replacedLines[position.source] else { return false }
    return lines.contains(position.line) || lines.contains(Self.allLines)
  }

  /// Returns whether this run replaces the line at a position of an earlier run.
  func isNewlyReplaced(_ position: Position) -> Bool {
    newlyReplacedLines[position.source]?.contains(position.line) ?? false
  }
}

// What later runs are to know.
extension RunMemory {
  func remember(_ key: KeptKey, isNew: Bool) throws(AuditError) {
    if let rows {
      try rows.add(.key, key.keyID, key.packed)
    } else {
      try keys.remember(key, isNew: isNew)
    }
  }

  func remember(_ device: KeptDevice) throws(AuditError) {
    if let rows {
      try rows.add(.device, device.device, device.packed)
    } else {
      try keys.remember(device)
    }
  }

  func keep(event row: UnsafeRawBufferPointer) throws(AuditError) {
    if let rows { unsafe try rows.add(.event, row) } else { unsafe try events.keep(row) }
  }

  func remember(hash record: UnsafeRawBufferPointer) throws(AuditError) {
    if let rows { unsafe try rows.add(.hash, record) } else { unsafe try hashes.remember(record) }
  }
}

/// The registry of keys from run to run.
package protocol KeyMemory: Sendable {
  /// Returns what is known of a key, or nil if no earlier run had an attestation of it. Asked
  /// with ascending identifiers, by one thread at a time.
  func key(_ keyID: Digest256) throws(AuditError) -> KeptKey?
  /// Returns what imported lists say of a key, or nil if none has it.
  func imported(_ keyID: Digest256) throws(AuditError) -> ImportedKey?
  /// Returns the keys that imported lists give a device (a SHA-256), ascending.
  func imported(ofDevice device: Digest256) throws(AuditError) -> [KnownKey]
  /// Returns the X9.62 uncompressed point of a known key, or nil. Asked by one thread at a time.
  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]?
  /// Returns the keys, ascending, that a list brought into the state since the last run.
  func broughtKeys() throws(AuditError) -> [Digest256]
  /// Takes what is to be known of a key, and whether nothing was; `advance` only, ascending, one thread at a time.
  func remember(_ key: KeptKey, isNew: Bool) throws(AuditError)
  /// Returns the keys that earlier attestations gave a device (a SHA-256), in the order of time.
  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice]
  /// Takes an attestation that names a device; `advance` only, one thread at a time.
  func remember(_ device: KeptDevice) throws(AuditError)
}

/// The clientDataHashes of the replay window.
///
/// A record is ``KeptRecord/byteCount`` bytes that begin with its group: the hash in 32 bytes
/// and its length in one (``HashRow/groupLength``).
package protocol HashMemory: Sendable {
  /// Calls `body` for each remembered record of a group, in the order of the runs and of what was
  /// remembered in each; the bytes are valid during the call. Groups are asked for in ascending
  /// order of their bytes, each once, by one thread.
  func forEach(
    _ group: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
  ) throws(AuditError)
  /// Calls `body` with the first 16 bytes of the groups of all remembered records, many at a time, in any order.
  func forEachFront(_ body: (UnsafeRawBufferPointer) -> Void) throws(AuditError)
  /// Takes a record of this run; `advance` only, in ascending order of groups, by one thread.
  func remember(_ record: UnsafeRawBufferPointer) throws(AuditError)
  /// Records that this run does not check all challenges of its events from `time` on: those that
  /// are missing can be in the unread rest of an input (`pipeline.R8`). The next run checks them.
  /// Used by `advance` only.
  func awaitChallenges(from time: Int64)
  /// Calls `body` for the hashes of records in another log of the last run (``RunMemory/unsettled``), and, if it
  /// `checksChallenges`, for those of 32 bytes of the events whose challenges an earlier run awaited. A length comes
  /// with a hash, as in ``KeptRecord``. Used by `advance` only, at most once.
  func forEachUnsettled(
    checksChallenges: Bool, _ body: (Digest256, _ length: UInt8) throws(AuditError) -> Void
  ) throws(AuditError)
}

/// Rows of the shuffle by key identifier that are kept for a few nights: assertions that wait for
/// their key's attestation, and judged ones that a late record may be compared with.
package protocol EventMemory: Sendable {
  /// Keeps a row of at most ``RowRun/maximumRowBytes`` bytes; `advance` only, keys ascending.
  func keep(_ row: UnsafeRawBufferPointer) throws(AuditError)
  /// Whether a kept row of an earlier run may be of an assertion that named only its device.
  var namesDevices: Bool { get }
  /// Returns marks in all kept rows of earlier runs, in their order.
  func marks() throws(AuditError) -> [KeptRowMark]
  /// Returns the kept rows of each earlier run, sorted, from its mark on if it has one. Called at most
  /// four times; the runs of one call are not read any more when the next is made.
  func runs(from marks: [KeptRowMark]) throws(AuditError) -> [any RowRunSource]
}

extension EventMemory {
  package var namesDevices: Bool { true }
  /// Returns whether a row to be kept is of an assertion that named only its device.
  package static func namesDevice(_ row: UnsafeRawBufferPointer) -> Bool {
    unsafe row.count >= EventRow.fixedLength && EventRow(row).namesDeviceOnly
  }
  package func marks() throws(AuditError) -> [KeptRowMark] { [] }
  package func runs() throws(AuditError) -> [any RowRunSource] { try runs(from: []) }
}

/// A place where a row begins in the kept rows of an earlier run.
package struct KeptRowMark: Sendable, Equatable {
  package var run: Int64
  /// The first 8 bytes of the row's key, as a number that sorts as they do.
  package var head: UInt64
  /// The bytes of all rows in front of it.
  package var position: Int

  package init(run: Int64, head: UInt64, position: Int) {
    self.run = run
    self.head = head
    self.position = position
  }

  /// Returns the last mark of each run that comes before all rows of a key.
  static func last(_ marks: [KeptRowMark], before keyID: Digest256) -> [KeptRowMark] {
    let head = keyID.bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    var last: [KeptRowMark] = []
    for mark in marks where mark.head < head {
      if last.last?.run == mark.run { last.removeLast() }
      last.append(mark)
    }
    return last
  }
}

/// The builds that earlier runs saw.
package protocol BuildMemory: Sendable {
  /// Returns on which nights a build was seen before this run, or nil if it is new.
  func sighting(_ digest: Digest256) throws(AuditError) -> BuildSighting?
  /// Takes a build; `advance` only. Returns false if it is new and there are ``BuildRow/limit``.
  func remember(_ build: Build, isNew: Bool) throws(AuditError) -> Bool
}

/// The nights on which a build was seen.
package struct BuildSighting: Sendable, Equatable {
  package var firstNight: String
  package var nights: UInt64

  package init(firstNight: String, nights: UInt64) {
    self.firstNight = firstNight
    self.nights = nights
  }
}

/// The findings that earlier runs reported.
package protocol FindingMemory: Sendable {
  /// Returns when a finding was reported before this run, or nil if it is new.
  func sighting(_ fingerprint: UInt64) throws(AuditError) -> Sighting?
  /// Returns a finding of earlier runs as the first of its most severe reports had it (``Finding/kept``), or nil.
  func finding(_ fingerprint: UInt64) throws(AuditError) -> Finding?
  /// Calls `body` for each open finding of earlier runs about an event, with its time.
  func forEachOpen(_ body: (Int64, FindingCode, _ fingerprint: UInt64) -> Void) throws(AuditError)
  /// Returns the findings of earlier runs that stand at a source of theirs, as ``finding(_:)`` does.
  func standing(at source: UInt32) throws(AuditError) -> [Finding]
  /// Takes a finding that this run reports or accepts; `advance` only.
  func remember(_ finding: Finding) throws(AuditError)
  /// Records that an earlier finding no longer stands. Used by `advance` only.
  func close(_ fingerprint: UInt64) throws(AuditError)
  /// Records that an earlier finding stands for so many records less. Used by `advance` only.
  func explain(_ fingerprint: UInt64, records: UInt64) throws(AuditError)
}

/// The time of the first report of a finding, and the number of its reports.
package struct Sighting: Sendable, Equatable {
  /// The day of the first report, `2026-11-20`: the run's `--date`.
  package var firstSeen: String
  /// The number of runs that reported it.
  package var times: UInt64
  /// The number of records that stand behind it and that are not explained.
  package var records: UInt64 = 0
  /// The most records that a report counted which the server did not reject.
  package var most: UInt64 = 0
  /// The worst severity that it was ever reported with.
  package var worst: Severity
  /// Whether an earlier run found it not to stand any more, and none reported it since.
  package var isClosed: Bool
  /// Whether every run that found it accepted it: nobody was told of it.
  package var isUntold = false
  /// Whether this run reports it as new although an earlier run reported it (`reports.R52`).
  package var isNewAgain = false

  package init(
    firstSeen: String, times: UInt64, worst: Severity = .info, isClosed: Bool = false
  ) {
    self.firstSeen = firstSeen
    self.times = times
    self.worst = worst
    self.isClosed = isClosed
  }

  /// Returns whether such a finding was withdrawn, or is more severe than it ever was.
  package func isNews(_ severity: Severity) -> Bool {
    isClosed || severity > worst
  }

  /// Returns the same of a whole finding. Of lines that are not audited, more than any run counted
  /// are news, those that the server rejected left aside: what was harmless once must not take
  /// others out of the audit in silence.
  package func isNews(_ finding: Finding) -> Bool {
    isUntold || isNews(finding.severity)
      || (finding.code == .recordNotAudited && finding.countToRemember > most)
  }
}

/// A finding of an earlier run that no longer stands.
package struct ClosedFinding: Sendable, Equatable {
  package var code: FindingCode
  /// The key; where only the device was known, the key that it turned out to have.
  package var keyID: Digest256
  package var fingerprint: UInt64
  package var firstSeen: String
}
