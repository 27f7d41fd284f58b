import Foundation
import LogForge
import TestSupport
import Testing

/// An audit by stages in a forged day, whose rows are shuffled as an engine would do it.
struct StagePlay {
  let day: ForgedDay
  var flags: [String] = []
  /// The number of children that read inputs, and of those that judge keys and hashes.
  var parts = 3
  /// Whether clientDataHashes are counted, and the rows of few are shuffled.
  var countsHashes = false
  /// The shell command that runs every stage.
  var limit = "exec \"$@\""

  private var scratch: Scratch { day.scratch }

  /// The settings of every stage.
  private var settings: [String] { ["--pipeline", "day/pipeline.yaml", "--quiet"] + flags }

  /// The results of a stage.
  struct Outcome {
    var status: Int32
    var errors: String
    var output: [UInt8]
    /// The rows, or nil if the stream is not whole.
    var stream: RowStream? { RowStream(output) }
  }

  /// Runs a stage on the bytes of a stream. The report goes to `staged` by default.
  func run(_ stage: String, _ input: [UInt8], _ more: [String] = []) throws -> Outcome {
    let out = stage == "report" && !more.contains("--out") ? ["--out", "staged"] : []
    let output = "output-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: "\(scratch.path)/\(output)") }
    let outcome = try Program.run(
      ["stage", stage] + settings + out + more, in: scratch.path, shell: "\(limit) >\(output)",
      input: input)
    return Outcome(
      status: outcome.status, errors: outcome.errors, output: try scratch.bytes(output))
  }

  /// Runs a stage that is to succeed.
  func stream(_ stage: String, _ input: RowStream?, _ more: [String] = []) throws -> RowStream {
    let outcome = try run(stage, input?.bytes() ?? [], more)
    #expect(outcome.status == 0, "\(stage): \(outcome.errors)")
    return try #require(outcome.stream, "\(stage)")
  }

  /// Expects a stage to refuse these bytes with such words, and to leave neither rows nor a report.
  func expectRefused(
    _ stage: String, _ input: [UInt8], _ words: String = "hint: ", status: Int32 = 70,
    _ more: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try run(stage, input, more)
    #expect(
      outcome.status == status && outcome.errors.contains(words) && outcome.stream == nil,
      "\(stage) of \(input.count) bytes: \(outcome.errors)", sourceLocation: sourceLocation)
    #expect(try !scratch.names.contains("staged"), sourceLocation: sourceLocation)
  }

  /// Returns the sources of the day or of these inputs, the rows that reading them gives, and the
  /// rows of the state. It calls `meanwhile` once the inputs are found.
  func mapped(
    _ inputs: [String] = [], meanwhile: () throws -> Void = {}
  ) throws -> (sources: RowStream, rows: [[UInt8]]) {
    let plan = try run("plan", [], inputs)
    #expect(plan.status == 0, "\(plan.errors)")
    let sources = try #require(plan.stream)
    try meanwhile()
    // Behind the sources stands what all stages are told.
    let (files, facts) = (sources.rows.filter { $0[0] == 0 }, sources.rows.filter { $0[0] != 0 })
    var rows: [[UInt8]] = []
    for part in 0..<parts {
      let mine = files.indices.filter { $0 % parts == part }.map { files[$0] }
      guard !mine.isEmpty else { continue }
      rows += try stream(
        "map", RowStream(header: sources.header, rows: mine + facts),
        countsHashes ? ["--count-hashes"] : []
      ).rows
    }
    if sources.header[12] & 2 != 0 { rows += try stream("recall", sources).rows }
    return (sources, rows)
  }

  /// Returns the parts of a shuffle. Rows that begin with the same 33 bytes stand together, in
  /// order.
  func shuffled(_ rows: [[UInt8]]) -> [[[UInt8]]] {
    var all = [[[UInt8]]](repeating: [], count: parts)
    for row in rows {
      let place = row.prefix(33).reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % parts
      all[place].append(row)
    }
    return all.filter { !$0.isEmpty }.map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
  }

  /// Returns the stages between reading and the report.
  static func stages(_ sources: RowStream) -> [String] {
    (sources.header[12] & 1 != 0 ? ["devices"] : []) + ["keys", "hashes"]
  }

  /// Returns the input of a stage: sources, and rows in order.
  static func input(_ sources: RowStream, _ rows: [[UInt8]]) -> RowStream {
    RowStream(
      header: sources.header,
      rows: sources.rows + rows.sorted { $0.lexicographicallyPrecedes($1) })
  }

  /// Returns the input of `keys` from an engine that has counted hashes: in front of other rows,
  /// the places that several records have.
  func judging(_ sources: RowStream, _ rows: [[UInt8]]) -> RowStream {
    Self.input(sources, Self.repeated(rows) + rows.filter { $0[0] != 2 })
  }

  /// Returns the rows of places that several records have, by the page of the documentation.
  private static func repeated(_ rows: [[UInt8]]) -> [[UInt8]] {
    var counts: [[UInt8]: Int] = [:]
    for row in rows where row[0] == 2 && row[1] == 0 {
      for start in stride(from: 3, to: row.count, by: 5) {
        counts[[row[2]] + row[start..<(start + 5)], default: 0] += 1
      }
    }
    return [[2, 1, 0]] + counts.filter { $0.value > 1 }.map { [2, 1] + $0.key }
  }

  /// Plays all stages; the report goes to the folder `report`. Returns the status.
  func play(
    _ inputs: [String] = [], report: String = "staged", meanwhile: () throws -> Void = {}
  ) throws -> Int32 {
    var (sources, rows) = try mapped(inputs, meanwhile: meanwhile)
    let repeated = countsHashes ? Self.repeated(rows) : []
    rows.removeAll { $0[0] == 2 }
    for stage in Self.stages(sources) {
      let front = stage == "keys" ? Self.input(sources, repeated) : sources
      rows = try shuffled(rows).flatMap { part in
        try stream(stage, RowStream(header: sources.header, rows: front.rows + part)).rows
      }
    }
    let outcome = try run("report", Self.input(sources, rows).bytes(), ["--out", report])
    return outcome.status
  }

  /// Expects the report in `staged` to be that of one machine, which lies in `report`.
  func expectSame(
    _ report: String = "report", _ staged: String = "staged",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (one, many) = (try scratch.report(report).lasting, try scratch.report(staged).lasting)
    #expect(one.keys.sorted() == many.keys.sorted(), sourceLocation: sourceLocation)
    for (name, text) in one {
      #expect(many[name] == text, "\(name)", sourceLocation: sourceLocation)
    }
  }
}

/// A stream of rows as `attest-audit stage` reads and writes it, taken apart by the page of the
/// documentation and not by the program.
struct RowStream {
  /// 48 bytes, the same in all streams of an audit.
  var header: [UInt8]
  var rows: [[UInt8]]

  init(header: [UInt8], rows: [[UInt8]]) {
    self.header = header
    self.rows = rows
  }

  /// Reads a whole stream. Returns nil if it is cut or damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 48, Array(bytes[..<8]) == Array("AUDITROW".utf8) else { return nil }
    header = Array(bytes[..<48])
    rows = []
    var at = 48
    func number(_ offset: Int) -> Int? {
      guard offset + 4 <= bytes.count else { return nil }
      return (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    while let count = number(at), let length = number(at + 4), count > 0 {
      let start = at + 8 + 4 * (count + 1)
      guard start + length <= bytes.count else { return nil }
      for index in 0..<count {
        guard let from = number(at + 8 + 4 * index), let to = number(at + 12 + 4 * index),
          from <= to, to <= length
        else { return nil }
        rows.append(Array(bytes[(start + from)..<(start + to)]))
      }
      at = start + length
    }
    let trailer = Array(bytes[at...])
    guard trailer.count == 28,
      trailer == Self(header: header, rows: rows).trailer(behind: bytes[..<at])
    else { return nil }
  }

  /// Changes one of the rows from `first` on as somebody would on purpose: the checksum is right.
  func changed(from first: Int = 0, _ random: inout Generator) -> Self {
    var changed = self
    let index = first + random.below(rows.count - first)
    var row = rows[index]
    switch random.below(4) {
    case 0: row.removeLast(1 + random.below(row.count))
    case 1: row += random.bytes(1 + random.below(40))
    case 2: for _ in 0..<3 { row[random.below(row.count)] = [0, 255, 254, 127][random.below(4)] }
    default: row[random.below(row.count)] ^= UInt8(1 << random.below(8))
    }
    changed.rows[index] = row
    let rest = changed.rows[first...].sorted { $0.lexicographicallyPrecedes($1) }
    changed.rows = changed.rows[..<first] + rest
    return changed
  }

  /// Returns the stream, with so many rows in a block.
  func bytes(blocks: Int = 100) -> [UInt8] {
    var all = header
    for start in stride(from: 0, to: rows.count, by: blocks) {
      let block = rows[start..<min(start + blocks, rows.count)]
      var end = 0
      var offsets = Self.little(UInt32(0))
      for row in block {
        end += row.count
        offsets += Self.little(UInt32(end))
      }
      all += Self.little(UInt32(block.count)) + Self.little(UInt32(end)) + offsets
      for row in block { all += row }
    }
    return all + trailer(behind: all[...])
  }

  private func trailer(behind bytes: ArraySlice<UInt8>) -> [UInt8] {
    let size = rows.reduce(0) { $0 + $1.count }
    let trailer =
      Self.little(UInt32(0)) + Self.little(UInt32(20)) + Self.little(UInt64(rows.count))
      + Self.little(UInt64(size))
    return trailer + Self.little(Self.checksum(Array(bytes) + trailer))
  }

  static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }

  /// Returns the CRC-32 by its definition.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }
}
