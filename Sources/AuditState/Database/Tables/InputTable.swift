internal import AuditLog
internal import GRDB

/// The ledger of inputs: sources of all runs with their names, what was in those that were
/// accounted for, and the files that these were read from.
enum InputTable {
  static let sources = CheckedTable("sources", key: ["source"], ["run", "name"])
  static let inputs = CheckedTable(
    "inputs", key: ["source"],
    ["run", "name", "sha256", "bytes", "lines", "resume_bytes", "resume_lines", "head", "damaged"])
  static let lines = CheckedTable("lines", key: ["source", "part"], ["digests"])
  static let replaced = CheckedTable("replaced", key: ["source"], ["lines"])
  static let waiting = CheckedTable("waiting", key: ["path"], ["since"])
  static let order = CheckedTable("source_order", key: ["part"], ["sources"])
  static let stamps = CheckedTable(
    "stamps", key: ["path", "device", "inode", "size", "modified", "changed"], ["source"])

  /// The most inputs of one kind that a file is compared with
  /// (``InputLedger/beginnings(head:stamp:)``).
  private static let mostBeginnings = 1024
  /// Digests of lines in a row.
  private static let digestsPerRow = 1 << 16
  /// Numbers of sources in a row of their order.
  private static let sourcesPerRow = 1 << 16

  static func name(_ database: Database, _ source: UInt32) throws(StateError) -> String? {
    try sources.row(database, "WHERE source = ?", [.integer(Int64(source))])?.text(2)
  }

  /// A source by its number among those of all runs.
  struct Source {
    var number: UInt32
    var name: String

    fileprivate init(_ row: CheckedRow) throws(StateError) {
      number = try row.number(0)
      name = try row.text(2)
    }
  }

  /// Returns the source whose name is the last up to this one, the last of several.
  static func source(_ database: Database, upTo name: String) throws(StateError) -> Source? {
    try sources.row(
      database, "WHERE name <= ? ORDER BY name DESC, source DESC LIMIT 1", [.text(name)]
    ).map { row throws(StateError) in try Source(row) }
  }

  /// Returns the source whose name is the first behind this one, the first of several.
  static func source(_ database: Database, behind name: String) throws(StateError) -> Source? {
    try sources.row(
      database, "WHERE name > ? ORDER BY name, source LIMIT 1", [.text(name)]
    ).map { row throws(StateError) in try Source(row) }
  }

  /// Returns the numbers of sources in their order, or an empty list if that is the order of the
  /// numbers.
  static func order(_ database: Database) throws(StateError) -> [UInt32] {
    var numbers: [UInt32] = []
    try order.each(database, "ORDER BY part") { row throws(StateError) in
      let bytes = try row.blob(1)
      guard bytes.count.isMultiple(of: 4) else { throw row.nonsense }
      for index in stride(from: 0, to: bytes.count, by: 4) {
        numbers.append(bytes[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) })
      }
    }
    return numbers
  }

  /// Replaces the order of sources.
  static func put(_ database: Database, order numbers: [UInt32]) throws(StateError) {
    for start in stride(from: 0, to: numbers.count, by: sourcesPerRow) {
      let part = numbers[start..<min(start + sourcesPerRow, numbers.count)]
      let bytes = part.flatMap { number in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
      }
      try order.put(database, [.integer(Int64(start / sourcesPerRow)), .blob(bytes)])
    }
  }

  static func input(
    _ database: Database, content sha256: [UInt8]
  ) throws(StateError) -> AccountedInput? {
    // What is whole stands for itself, whatever damaged copies there were.
    let condition = "WHERE sha256 = ? ORDER BY damaged IS NOT NULL, source LIMIT 1"
    return try inputs.row(database, condition, [.blob(sha256)])
      .map { row throws(StateError) in try input(row) }
  }

  static func input(
    _ database: Database, untouched stamp: FileStamp
  ) throws(StateError) -> AccountedInput? {
    let condition = """
      WHERE path = ? AND device = ? AND inode = ? AND size = ? AND modified = ? AND changed = ?
      """
    guard let row = try stamps.row(database, condition, key(stamp)) else { return nil }
    return try input(database, source: try row.integer(6))
  }

  static func beginnings(
    _ database: Database, head: [UInt8]?, stamp: FileStamp
  ) throws(StateError) -> [AccountedInput] {
    var found: [UInt32: AccountedInput] = [:]
    let limit = SQLValue.integer(Int64(mostBeginnings))
    if let head {
      try inputs.each(
        database, "WHERE head = ? ORDER BY bytes DESC LIMIT ?", [.blob(head), limit]
      ) { row throws(StateError) in
        let input = try input(row)
        found[input.source] = input
      }
    }
    // A file that many runs saw grow has many stamps: its latest inputs are its longest.
    for (condition, values) in [
      ("path = ?", [SQLValue.text(stamp.path)]),
      ("device = ? AND inode = ?", [.bits(stamp.device), .bits(stamp.inode)]),
    ] {
      var numbers: [Int64] = []
      try stamps.each(
        database, "WHERE \(condition) ORDER BY source DESC LIMIT ?", values + [limit]
      ) { row throws(StateError) in numbers.append(try row.integer(6)) }
      for number in numbers {
        let input = try input(database, source: number)
        found[input.source] = input
      }
    }
    return found.values.sorted { ($0.bytes, $0.source) > ($1.bytes, $1.source) }
  }

  /// The values of the column `damaged`: so an input is as long as no whole copy has replaced it, so behind
  /// that, and so as the first if damage may have garbled its head.
  private static let (open, replacedByWhole, openAndGarbled): (Int64, Int64, Int64) = (1, 2, 3)

  /// The most inputs that ``damaged(_:)`` gives.
  private static let mostDamaged = 1024

  /// Returns the latest damaged inputs that no whole copy has replaced, the earliest first.
  static func damaged(_ database: Database) throws(StateError) -> [AccountedInput] {
    var found: [AccountedInput] = []
    try inputs.each(
      database, "WHERE damaged IN (?, ?) ORDER BY source DESC LIMIT ?",
      [.integer(open), .integer(openAndGarbled), .integer(Int64(mostDamaged))]
    ) { row throws(StateError) in found.append(try input(row)) }
    return found.reversed()
  }

  /// Returns what was kept of an input (``InputLedger/lines(of:)``).
  static func lines(_ database: Database, of source: UInt32) throws(StateError) -> [UInt64] {
    var digests: [UInt64] = []
    try lines.each(database, "WHERE source = ? ORDER BY part", [.integer(Int64(source))]) {
      row throws(StateError) in
      let bytes = try row.blob(2)
      guard bytes.count.isMultiple(of: 8) else { throw row.nonsense }
      for index in stride(from: 0, to: bytes.count, by: 8) {
        digests.append(SortedLog.number(bytes, at: index))
      }
    }
    return digests
  }

  /// Returns the lines of damaged inputs that whole copies have replaced, by source.
  static func replacedLines(
    _ database: Database
  ) throws(StateError) -> [UInt32: Set<UInt64>] {
    var found: [UInt32: Set<UInt64>] = [:]
    try replaced.each(database) { row throws(StateError) in
      let bytes = try row.blob(1)
      guard bytes.count.isMultiple(of: 8) else { throw row.nonsense }
      for index in stride(from: 0, to: bytes.count, by: 8) {
        found[try row.number(0), default: []].insert(SortedLog.number(bytes, at: index))
      }
    }
    return found
  }

  /// Records that a whole copy replaces an input, and which lines of it.
  static func put(_ database: Database, _ input: ReplacedInput) throws(StateError) {
    let condition = "WHERE source = ? AND damaged IS NOT NULL"
    if let row = try inputs.row(database, condition, [.integer(Int64(input.source))]) {
      let known = try Self.input(row)
      try inputs.put(
        database, values(known, run: try row.integer(1), damaged: .integer(replacedByWhole)))
    }
    guard !input.lines.isEmpty else { return }
    var lines = Set(input.lines)
    if let known = try replaced.row(
      database, "WHERE source = ?", [.integer(Int64(input.source))])
    {
      let bytes = try known.blob(1)
      for index in stride(from: 0, to: bytes.count - 7, by: 8) {
        lines.insert(SortedLog.number(bytes, at: index))
      }
    }
    try replaced.put(
      database,
      [.integer(Int64(input.source)), .blob(lines.sorted().flatMap(SortedLog.big))])
  }

  /// Returns the time since which a file waits, in milliseconds since 1970, or nil if it does not
  /// wait.
  static func waitingSince(_ database: Database, _ path: String) throws(StateError) -> Int64? {
    try waiting.row(database, "WHERE path = ?", [.text(path)])
      .map { row throws(StateError) in try row.integer(1) }
  }

  /// Replaces the files that wait.
  static func put(_ database: Database, waits: [AccountedSources.Wait]) throws(StateError) {
    try SQLStatement(database, "DELETE FROM waiting").run()
    for wait in waits {
      try waiting.put(database, [.text(wait.path), .integer(wait.since)])
    }
  }

  static func insert(
    _ database: Database, source: UInt32, name: String, run: Int64
  ) throws(StateError) {
    try sources.insert(database, [.integer(Int64(source)), .integer(run), .text(name)])
  }

  static func insert(
    _ database: Database, _ entry: AccountedSources.Entry, run: Int64
  ) throws(StateError) {
    let input = entry.input
    let damaged = input.head == nil || input.isHeadProven ? open : openAndGarbled
    try inputs.insert(
      database, values(input, run: run, damaged: input.isDamaged ? .integer(damaged) : .null))
    for start in stride(from: 0, to: entry.digests.count, by: digestsPerRow) {
      let end = min(start + digestsPerRow, entry.digests.count)
      try lines.insert(
        database,
        [
          .integer(Int64(input.source)), .integer(Int64(start / digestsPerRow)),
          .blob(entry.digests[start..<end].flatMap(SortedLog.big)),
        ])
    }
    try insertStamp(database, entry)
  }

  /// Returns the values of an input's row.
  private static func values(
    _ input: AccountedInput, run: Int64, damaged: SQLValue
  ) -> [SQLValue] {
    [
      .integer(Int64(input.source)), .integer(run), .text(input.name), .blob(input.sha256),
      .bits(input.bytes), .bits(input.lines), .bits(input.resumeBytes), .bits(input.resumeLines),
      input.head.map(SQLValue.blob) ?? .null, damaged,
    ]
  }

  /// Remembers the file of an entry, where it has one; its input has its row already.
  static func insertStamp(
    _ database: Database, _ entry: AccountedSources.Entry
  ) throws(StateError) {
    guard let stamp = entry.stamp else { return }
    try stamps.put(database, key(stamp) + [.integer(Int64(entry.input.source))])
  }

  private static func key(_ stamp: FileStamp) -> [SQLValue] {
    [
      .text(stamp.path), .bits(stamp.device), .bits(stamp.inode), .bits(stamp.size),
      .integer(stamp.modified), .integer(stamp.changed),
    ]
  }

  private static func input(
    _ database: Database, source: Int64
  ) throws(StateError) -> AccountedInput {
    guard let row = try inputs.row(database, "WHERE source = ?", [.integer(source)]) else {
      throw .damaged(StateFormat.database, "a file's input has no row in the table inputs")
    }
    return try input(row)
  }

  private static func input(_ row: CheckedRow) throws(StateError) -> AccountedInput {
    var input = AccountedInput(
      source: try row.number(0), name: try row.text(2), sha256: try row.blob(3, count: 32),
      bytes: try row.bits(4), lines: try row.bits(5), resumeBytes: try row.bits(6),
      resumeLines: try row.bits(7), head: row.isNull(8) ? nil : try row.blob(8))
    input.isDamaged = !row.isNull(9)
    if input.isDamaged {
      let damaged = try row.integer(9)
      input.isReplaced = damaged == replacedByWhole
      if damaged == openAndGarbled { input.isHeadProven = false }
    }
    return input
  }
}
