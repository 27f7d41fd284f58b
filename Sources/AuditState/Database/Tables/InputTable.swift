internal import AuditEngine
internal import AuditLog

/// The ledger of inputs: the sources of all runs, and the lines and files that were read.
enum InputTable {
  /// A source by its number among those of all runs.
  struct Source: CodedRow {
    var number: UInt32 = 0
    var run: Int64 = 0
    var name = ""

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&number)
      try coder.number(&run)
      try coder.text(&name)
    }
  }

  struct Input: CodedRow {
    var input = KnownInput()
    var run: Int64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try input.fields(&coder)
      try coder.number(&run)
    }
  }

  /// Digests of lines of a source.
  struct Lines: CodedRow {
    var source: UInt32 = 0
    var part = 0
    var digests: [LineDigest] = []

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&source)
      try coder.number(&part)
      try coder.digests(&digests)
    }
  }

  /// The replaced lines of a source, from 1; the source that has grown to it; or sources in order.
  struct Numbers: CodedRow {
    var number: UInt32 = 0
    var list: [UInt64] = []

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&number)
      try coder.numbers(&list)
    }
  }

  /// The facts of a file that was read to its end.
  struct Stamp: CodedRow {
    var stamp = FileStamp()
    var source: UInt32 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try stamp.fields(&coder)
      try coder.number(&source)
    }
  }

  static let sources = CheckedTable("sources", key: "source", of: Source.self)
  static let inputs = CheckedTable("inputs", key: "source", of: Input.self)
  static let lines = CheckedTable("lines", key: "source", "part", of: Lines.self)
  static let replaced = CheckedTable("replaced", key: "source", of: Numbers.self)
  static let grown = CheckedTable("grown", key: "source", of: Numbers.self)
  static let order = CheckedTable("source_order", key: "part", of: Numbers.self)
  static let stamps = CheckedTable(
    "stamps", key: "path", "device", "inode", "size", "modified", "changed", of: Stamp.self)

  private static let digestsPerRow = 1 << 16
  private static let sourcesPerRow = 1 << 16

  static func name(_ database: StateDatabase, _ source: UInt32) throws(StateError) -> String? {
    try sources.row(database, "WHERE source = ?", .number(source), as: Source.self)?.name
  }

  static func run(_ database: StateDatabase, of source: UInt32) throws(StateError) -> Int64? {
    try sources.row(database, "WHERE source = ?", .number(source), as: Source.self)?.run
  }

  /// Returns the names of the inputs that runs from one on accounted for.
  static func names(_ database: StateDatabase, from run: Int64) throws(StateError) -> [String] {
    try inputs.rows(database, "WHERE run >= ? ORDER BY source", .number(run), as: Input.self)
      .map(\.input.name)
  }

  /// Returns the source whose name is the last up to this one, the last of several.
  static func source(_ database: StateDatabase, upTo name: String) throws(StateError) -> Source? {
    try sources.row(
      database, "WHERE name <= ? ORDER BY name DESC, source DESC LIMIT 1", .text(name))
  }

  /// Returns the source whose name is the first after this one, the first of several.
  static func source(_ database: StateDatabase, behind name: String) throws(StateError) -> Source? {
    try sources.row(database, "WHERE name > ? ORDER BY name, source LIMIT 1", .text(name))
  }

  /// Returns the numbers of sources in their order, or an empty list if they are in it.
  static func order(_ database: StateDatabase) throws(StateError) -> [UInt32] {
    try order.rows(database, "ORDER BY part", as: Numbers.self).flatMap(\.list)
      .map { UInt32(clamping: $0) }
  }

  static func put(_ database: StateDatabase, order numbers: [UInt32]) throws(StateError) {
    for start in stride(from: 0, to: numbers.count, by: sourcesPerRow) {
      let part = numbers[start...].prefix(sourcesPerRow).map { UInt64($0) }
      try order.put(database, Numbers(number: UInt32(start / sourcesPerRow), list: part))
    }
  }

  /// Returns whether a file with this stamp was read, by whatever path.
  static func isKnown(_ database: StateDatabase, _ stamp: FileStamp) throws(StateError) -> Bool {
    try stamps.row(
      database,
      "WHERE device = ? AND inode = ? AND size = ? AND modified = ? AND changed = ? LIMIT 1",
      .number(stamp.device), .number(stamp.inode), .number(stamp.size), .number(stamp.modified),
      .number(stamp.changed), as: Stamp.self) != nil
  }

  /// Returns all inputs in the order of their numbers, without the lines that some `runs` read.
  static func known(
    _ database: StateDatabase, without runs: Set<Int64>
  ) throws(StateError) -> [KnownInput] {
    let replaced = try replacedLines(database)
    var tables: Set<UInt32> = []
    try database.rows("SELECT DISTINCT source FROM lines") { row in
      if let source: UInt32 = row.first?.number() { tables.insert(source) }
      return true
    }
    return try inputs.rows(database, "ORDER BY source", as: Input.self).map { row in
      var input = row.input
      input.hasTable =
        input.lines == 0 || tables.contains(input.source) && !runs.contains(row.run)
      if let lines = replaced[input.source] {
        input.superseded = LineRanges(lines: lines.map { Int(clamping: $0) - 1 })
      }
      return input
    }
  }

  /// Calls `body` with the digests of an input's lines, a row at a time.
  static func digests(
    _ database: StateDatabase, of source: UInt32, _ body: ([LineDigest]) -> Void
  ) throws(StateError) {
    try lines.each(database, "WHERE source = ? ORDER BY part", [.number(source)]) { (row: Lines) in
      body(row.digests)
    }
  }

  /// Returns the first sources of inputs that have grown.
  static func origins(_ database: StateDatabase) throws(StateError) -> [UInt32: UInt32] {
    var origins: [UInt32: UInt32] = [:]
    for row in try grown.rows(database, "ORDER BY source", as: Numbers.self) {
      guard let origin = row.list.first.flatMap({ UInt32(exactly: $0) }) else { continue }
      origins[row.number] = origins[origin] ?? origin
    }
    return origins
  }

  /// Returns the lines that other inputs' lines have replaced, by source.
  static func replacedLines(
    _ database: StateDatabase
  ) throws(StateError) -> [UInt32: Set<UInt64>] {
    let rows = try replaced.rows(database, as: Numbers.self)
    return Dictionary(rows.map { ($0.number, Set($0.list)) }) { $0.union($1) }
  }

  /// Records that other inputs' lines replace lines of a source, counted from 1.
  static func put(
    _ database: StateDatabase, replaced more: [UInt64], of source: UInt32
  ) throws(StateError) {
    guard !more.isEmpty else { return }
    let known = try replaced.row(
      database, "WHERE source = ?", .number(source), as: Numbers.self)
    let list = Set((known?.list ?? []) + more).sorted()
    try replaced.put(database, Numbers(number: source, list: list))
  }

  static func insert(
    _ database: StateDatabase, _ entry: ReadInputs.Entry, run: Int64
  ) throws(StateError) {
    let input = entry.input
    try inputs.insert(database, Input(input: input, run: run))
    for start in stride(from: 0, to: entry.digests.count, by: digestsPerRow) {
      let part = Array(entry.digests[start...].prefix(digestsPerRow))
      try lines.insert(
        database, Lines(source: input.source, part: start / digestsPerRow, digests: part))
    }
    try put(
      database, replaced: input.superseded.lines.map { UInt64($0) + 1 },
      of: input.source)
    if let origin = entry.grownFrom {
      try grown.put(database, Numbers(number: input.source, list: [UInt64(origin)]))
    }
    guard let stamp = entry.stamp else { return }
    try stamps.put(database, Stamp(stamp: stamp, source: input.source))
  }
}
