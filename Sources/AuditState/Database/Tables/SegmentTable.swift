internal import AuditEngine

/// A segment that the database names.
struct SegmentEntry: Equatable, Sendable {
  var kind = SegmentKind.hashes
  var run: Int64 = 1
  var rows: UInt64 = 0
  /// Bytes of the rows, with the lengths that they have.
  var bytes: UInt64 = 0
  /// SHA-256 of the sums of its blocks but for the header.
  var sha256 = [UInt8](repeating: 0, count: 32)
  /// The time at which the run began, in milliseconds since 1970.
  var created: Int64 = 0
  /// The latest time of a record in it, or nil if no record has a time.
  var latest: Int64?
  /// Whether one of the kept rows is of an assertion that named only its device.
  var namesDevices = false

  var path: String { kind.path(run) }

  /// The numbers of the blocks that have rows. The header is block 0.
  var blocks: Range<Int> { 1..<(1 + (Int(bytes) + kind.payloadBytes - 1) / kind.payloadBytes) }

  /// Returns the bytes of payload in a block.
  func payload(of block: Int) -> Int {
    guard block > 0 else { return SegmentBlock.payloadBytes }
    return min(kind.payloadBytes, Int(bytes) - (block - 1) * kind.payloadBytes)
  }

  var fileBytes: Int { blocks.upperBound * SegmentBlock.byteCount }

  /// Returns whether it is forgotten at `now` (``StateAge``) after `span` milliseconds. One made by
  /// a wrong clock counts by its latest record, unless that lies far in the future.
  func isExpired(now: Int64, span: Int64) -> Bool {
    func age(_ time: Int64) -> Int64 {
      let age = now.subtractingReportingOverflow(time)
      return age.overflow ? (time < now ? .max : .min) : age.partialValue
    }
    let farAhead = -max(span, Self.slack)
    guard let latest else { return age(created) > span }
    guard latest <= now else { return age(created) > span && age(latest) < farAhead }
    let isOfTheFuture = age(created) < farAhead
    return age(latest) > span && (isOfTheFuture || age(created) > span)
  }

  /// A run's clock may well be so far ahead of the latest record, in milliseconds.
  private static let slack: Int64 = 86_400_000
}

extension SegmentEntry: CodedRow {
  /// Larger numbers are no lengths of files.
  private static let limit: UInt64 = 1 << 56

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var word = kind.rawValue
    try coder.text(&word)
    try coder.number(&run)
    try coder.number(&rows)
    try coder.number(&bytes)
    try coder.counted(&sha256)
    try coder.number(&created)
    try coder.optional(&latest)
    let found = SegmentKind(rawValue: word)
    try coder.flag(&namesDevices)
    try coder.require(found != nil && run > 0 && sha256.count == 32)
    kind = found ?? kind
    try coder.require(max(rows, bytes) < Self.limit)
    if let unit = kind.rowBytes { try coder.require(bytes == rows * UInt64(unit)) }
  }
}

/// The segments that are part of the state: a file that is not named here is debris.
enum SegmentTable {
  static let table = CheckedTable("segments", key: "kind", "run", of: SegmentEntry.self)

  /// Returns all segments, of each kind in the order of runs.
  static func all(_ database: StateDatabase) throws(StateError) -> [SegmentEntry] {
    try table.rows(database, "ORDER BY kind, run")
  }

  /// Returns the segments that stay and those that are forgotten now. What a run kept of keys stays as long as what an
  /// earlier run kept: in front of that stands what was known before, and nothing of the runs behind it.
  static func parted(
    _ database: StateDatabase, _ facts: TransactionFacts
  ) throws(StateError) -> (kept: [SegmentEntry], expired: [SegmentEntry]) {
    let now = try StateAge.now(database, clock: facts.startedAt)
    var (kept, expired): ([SegmentEntry], [SegmentEntry]) = ([], [])
    for entry in try all(database) {
      let isBehind = entry.kind == .events && kept.last?.kind == .events
      if !isBehind, entry.isExpired(now: now, span: facts.span(entry.kind)) {
        expired.append(entry)
      } else {
        kept.append(entry)
      }
    }
    return (kept, expired)
  }

  /// Forgets a segment, and with the hashes of a run the lines of its inputs.
  static func forget(_ database: StateDatabase, _ entry: SegmentEntry) throws(StateError) {
    try database.run(
      "DELETE FROM segments WHERE kind = ? AND run = ?", .text(entry.kind.rawValue),
      .integer(entry.run))
    guard entry.kind == .hashes else { return }
    // The inputs stay known.
    try database.run(
      "DELETE FROM lines WHERE source IN (SELECT source FROM inputs WHERE run = ?)",
      .integer(entry.run))
  }
}
