internal import AuditLog
internal import GRDB

/// The ledger of inputs: sources of all runs with their names, the lines of those that were read, and the
/// files that these were read from.
enum InputTable {
  static let sources = CheckedTable("sources", key: ["source"], ["run", "name"])
  static let inputs = CheckedTable(
    "inputs", key: ["source"],
    ["run", "name", "lines", "content", "first", "earliest", "latest", "damage"])
  static let lines = CheckedTable("lines", key: ["source", "part"], ["digests"])
  static let replaced = CheckedTable("replaced", key: ["source"], ["lines"])
  static let order = CheckedTable("source_order", key: ["part"], ["sources"])
  static let stamps = CheckedTable(
    "stamps", key: ["path", "device", "inode", "size", "modified", "changed"], ["source"])

  /// Digests of lines in a row.
  private static let digestsPerRow = 1 << 16
  /// Numbers of sources in a row of their order.
  private static let sourcesPerRow = 1 << 16

  static func name(_ database: Database, _ source: UInt32) throws(StateError) -> String? {
    try sources.row(database, "WHERE source = ?", [.integer(Int64(source))])?.text(2)
  }

  /// Returns the names of the inputs that runs from one on accounted for.
  static func names(_ database: Database, from run: Int64) throws(StateError) -> [String] {
    var names: [String] = []
    try inputs.each(database, "WHERE run >= ? ORDER BY source", [.integer(run)]) {
      row throws(StateError) in names.append(try row.text(2))
    }
    return names
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

  /// Returns whether a file with this stamp was read, by whatever path.
  static func isKnown(_ database: Database, _ stamp: FileStamp) throws(StateError) -> Bool {
    let condition =
      "WHERE device = ? AND inode = ? AND size = ? AND modified = ? AND changed = ? LIMIT 1"
    return try stamps.row(database, condition, Array(key(stamp)[1...])) != nil
  }

  /// Returns all inputs in the order of their numbers.
  static func known(_ database: Database) throws(StateError) -> [KnownInput] {
    let replaced = try replacedLines(database)
    var tables: Set<Int64> = []
    try SQLStatement(database, "SELECT DISTINCT source FROM lines").each([]) { row in
      tables.insert(row.integer(0))
    }
    var found: [KnownInput] = []
    try inputs.each(database, "ORDER BY source") { row throws(StateError) in
      var input = try input(row)
      input.hasTable = input.lines == 0 || tables.contains(Int64(input.source))
      if let lines = replaced[input.source] {
        input.superseded = LineRanges(lines.map { Int(clamping: $0) - 1 }.map { $0..<($0 + 1) })
      }
      found.append(input)
    }
    return found
  }

  /// Calls `body` with the digests of an input's lines, a row at a time.
  static func digests(
    _ database: Database, of source: UInt32, _ body: ([LineDigest]) throws(StateError) -> Void
  ) throws(StateError) {
    try lines.each(database, "WHERE source = ? ORDER BY part", [.integer(Int64(source))]) {
      row throws(StateError) in
      try body(try numbers(row, 2).map(LineDigest.init(bits:)))
    }
  }

  /// Returns the numbers of a column, 8 bytes each.
  private static func numbers(_ row: CheckedRow, _ column: Int) throws(StateError) -> [UInt64] {
    let bytes = try row.blob(column)
    guard bytes.count.isMultiple(of: 8) else { throw row.nonsense }
    return stride(from: 0, to: bytes.count, by: 8).map { SortedLog.number(bytes, at: $0) }
  }

  /// Returns the lines that other inputs' lines have replaced, by source.
  static func replacedLines(
    _ database: Database
  ) throws(StateError) -> [UInt32: Set<UInt64>] {
    var found: [UInt32: Set<UInt64>] = [:]
    try replaced.each(database) { row throws(StateError) in
      found[try row.number(0)] = Set(try numbers(row, 1))
    }
    return found
  }

  /// Records that other inputs' lines replace lines of a source, counted from 1.
  static func put(
    _ database: Database, replaced more: [UInt64], of source: UInt32
  ) throws(StateError) {
    guard !more.isEmpty else { return }
    let key = SQLValue.integer(Int64(source))
    let known = try replaced.row(database, "WHERE source = ?", [key])
    let before = try known.map { row throws(StateError) in try numbers(row, 1) } ?? []
    try replaced.put(
      database, [key, .blob(Set(before + more).sorted().flatMap(SortedLog.big))])
  }

  /// Forgets the lines of the inputs of a run. The inputs stay known.
  static func forgetLines(_ database: Database, ofRun run: Int64) throws(StateError) {
    try SQLStatement(
      database, "DELETE FROM lines WHERE source IN (SELECT source FROM inputs WHERE run = ?)"
    ).run([.integer(run)])
  }

  static func insert(
    _ database: Database, source: UInt32, name: String, run: Int64
  ) throws(StateError) {
    try sources.insert(database, [.integer(Int64(source)), .integer(run), .text(name)])
  }

  static func insert(
    _ database: Database, _ entry: ReadInputs.Entry, run: Int64
  ) throws(StateError) {
    let input = entry.input
    try inputs.insert(
      database,
      [
        .integer(Int64(input.source)), .integer(run), .text(input.name), .bits(input.lines),
        .blob(input.content), .blob(input.first.map(\.bits).flatMap(SortedLog.big)),
        .optional(input.span?.lowerBound), .optional(input.span?.upperBound),
        .blob(input.damage.numbers.flatMap(SortedLog.big)),
      ])
    for start in stride(from: 0, to: entry.digests.count, by: digestsPerRow) {
      let part = entry.digests[start...].prefix(digestsPerRow)
      try lines.insert(
        database,
        [
          .integer(Int64(input.source)), .integer(Int64(start / digestsPerRow)),
          .blob(part.map(\.bits).flatMap(SortedLog.big)),
        ])
    }
    try put(
      database, replaced: input.superseded.ranges.joined().map { UInt64($0) + 1 },
      of: input.source)
    guard let stamp = entry.stamp else { return }
    try stamps.put(database, key(stamp) + [.integer(Int64(input.source))])
  }

  private static func key(_ stamp: FileStamp) -> [SQLValue] {
    [
      .text(stamp.path), .bits(stamp.device), .bits(stamp.inode), .bits(stamp.size),
      .integer(stamp.modified), .integer(stamp.changed),
    ]
  }

  private static func input(_ row: CheckedRow) throws(StateError) -> KnownInput {
    var span: ClosedRange<Int64>?
    if let earliest = try row.optionalInteger(6), let latest = try row.optionalInteger(7) {
      guard earliest <= latest else { throw row.nonsense }
      span = earliest...latest
    }
    guard let damage = LineDamage(numbers: try numbers(row, 8)) else { throw row.nonsense }
    return KnownInput(
      source: try row.number(0), name: try row.text(2), lines: try row.bits(3),
      content: try row.blob(4, count: 16), first: try numbers(row, 5).map(LineDigest.init(bits:)),
      span: span, damage: damage)
  }
}
