import AuditSettings
import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// Lines of logs with the same schema, and what is read in each: a part of `Tests/Cases/reading.txt`.
///
///     # what the lines show
///     @ the schema in YAML, or the pointers that are looked for; without it, the default schema
///     | a line
///     | another line in which the same is read
///     = what is read
///
/// A further schema, with lines behind it, shows the same. In a line, `⟦a¦b⟧` are two lines, one with each; `⟨0a⟩` is a
/// byte, and `⟨[×3⟩` is `[[[`.
struct ReadingCase: CustomTestStringConvertible, Sendable {
  /// The pointers that are looked for without a schema.
  struct Places: Decodable {
    var places: [String]
    var headers: [String]?
    var wanted: UInt64?
  }

  var title = ""
  var schema = ""
  var rows: [(line: String, outcome: String)] = []
  var testDescription: String { "\(title) \(schema)" }

  static let all: [ReadingCase] = {
    let text = (try? Repository.text("Tests/Cases/reading.txt")) ?? ""
    return text.components(separatedBy: "\n\n").flatMap { part in
      var cases = [ReadingCase()]
      var lines: [String] = []
      for line in part.split(separator: "\n") {
        let rest = String(line.dropFirst(2))
        switch line.first {
        case "#": cases[0].title = rest
        case "@" where cases[0].schema.isEmpty && cases[0].rows.isEmpty: cases[0].schema = rest
        case "@": cases.append(ReadingCase(title: cases[0].title, schema: rest))
        case "|": lines += alternatives(rest)
        default:
          cases[cases.count - 1].rows += lines.map { ($0, rest) }
          lines = []
        }
      }
      return cases
    }
  }()

  /// Returns the lines that a line with alternatives stands for.
  static func alternatives(_ line: String) -> [String] {
    guard let start = line.firstIndex(of: "⟦"), let end = line.firstIndex(of: "⟧") else {
      return [line]
    }
    let rests = alternatives(String(line[line.index(after: end)...]))
    return line[line.index(after: start)..<end].components(separatedBy: "¦").flatMap { choice in
      rests.map { line[..<start] + choice + $0 }
    }
  }

  /// Returns the bytes of a line.
  static func bytes(_ line: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, part) in line.components(separatedBy: "⟨").enumerated() {
      let halves = part.components(separatedBy: "⟩")
      guard index > 0, let code = halves.first else {
        bytes += part.utf8
        continue
      }
      let factors = code.components(separatedBy: "×")
      if factors.count == 2, let count = Int(factors[1]) {
        bytes += (0..<count).flatMap { _ in factors[0].utf8 }
      } else {
        bytes.append(UInt8(code, radix: 16) ?? 0)
      }
      bytes += halves.dropFirst().joined().utf8
    }
    return bytes
  }

  /// Returns a function that says what is read in a line.
  func reading() throws -> ([UInt8]) -> String {
    if schema.hasPrefix("{\"places\"") {
      let places = try JSONDecoder().decode(Places.self, from: Data(schema.utf8))
      return { line in
        readPlaces(
          line, places.places, headers: places.headers ?? [], wanted: places.wanted ?? .max
        ).joined(separator: ", ")
      }
    }
    var compiled = CompiledSchema.standard
    let context = PipelineNode.Context(file: "reading.txt")
    if !schema.isEmpty {
      let root = try YAMLFile.read(schema, context: context)
      compiled = try SchemaFileReader.read(root, name: "test").compiled
    }
    let reader = RecordReader(schema: compiled) { $0.count > 0 && $0[0] == 0xA1 }
    var buffer = ByteBuffer()
    return { line in withLine(line) { unsafe Self.read($0, reader, &buffer) } }
  }

  private static func read(
    _ line: UnsafeBufferPointer<UInt8>, _ reader: RecordReader, _ buffer: inout ByteBuffer
  ) -> String {
    var found: [String] = []
    var next: RecordOutcome? = unsafe reader.read(line, into: &buffer)
    while let outcome = next {
      let signs = reader.signs(outcome)
      let all: [(LineSigns, String)] = [
        (.endsEarly, "endsEarly"), (.nullRecord, "nullRecord"), (.tokenless, "tokenless"),
        (.part, "part"),
      ]
      found.append(
        ([describe(outcome, reader, buffer)]
          + all.filter { signs.contains($0.0) }.map(\.1)).joined(separator: "; "))
      next = reader.next(into: &buffer)
    }
    return found.joined(separator: " + ")
  }

  private static func describe(
    _ outcome: RecordOutcome, _ reader: RecordReader, _ buffer: ByteBuffer
  ) -> String {
    switch outcome {
    case .deviceCheckToken: "deviceCheckToken"
    case .skipped(let reason): "skipped: \(reason), \(reader.decision())"
    case .reject(let reject):
      "\(reject.code): \(reject.reason) \(reject.decision)\(reject.hasToken ? ", a token" : "")"
    case .record: describe(reader.record, buffer)
    }
  }

  private static func describe(_ record: Record, _ buffer: ByteBuffer) -> String {
    var words = ["\(record.kind), time \(record.time)"]
    func add(_ name: String, _ range: Range<Int>?) {
      if let range { words.append("\(name) \(shown(Array(buffer.storage[range])))") }
    }
    func add(_ name: String, if isSo: Bool) { if isSo { words.append(name) } }
    add("keyId", record.keyID)
    if record.kind != .challenge { add("token", record.token) }
    add(record.isChallenge ? "challenge" : "data", record.clientData)
    add("is the hash", if: record.clientDataIsHash)
    add("hash", record.clientDataHash)
    add("appId", record.appID)
    for text in RequestText.allCases { add("\(text)", record[text]) }
    add("deviceId", record.deviceID)
    add("counter \(record.serverCounter ?? 0)", if: record.serverCounter != nil)
    add("\(record.decision)", if: record.decision != .unknown)
    add("foreign", record.foreignName)
    add("odd \(record.oddFieldNames.joined(separator: " "))", if: record.isOdd)
    add("odd JSON", record.oddJSON)
    add("ambiguous by \(record.ambiguity)", if: record.ambiguity != 0)
    add("inferred", if: record.isKindInferred)
    return words.joined(separator: ", ")
  }

  /// Returns text in quotes, and other bytes in hex.
  private static func shown(_ bytes: [UInt8]) -> String {
    if let first = bytes.first, bytes.count > 15, bytes.allSatisfy({ $0 == first }) {
      return "\(String(first, radix: 16))×\(bytes.count)"
    }
    if bytes.count < 200, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 > 0xA0 }),
      let text = String(validating: bytes, as: UTF8.self)
    {
      return "\"\(text)\""
    }
    let digits = bytes.prefix(80).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return digits + (bytes.count > 80 ? "… of \(bytes.count)" : "")
  }
}

@Suite struct `Reading of lines` {
  @Test func `there are cases`() { #expect(ReadingCase.all.count > 200) }

  @Test(arguments: ReadingCase.all) func `a line is read as its case says`(_ one: ReadingCase)
    throws
  {
    let read = try one.reading()
    for (line, outcome) in one.rows { #expect(read(ReadingCase.bytes(line)) == outcome, "\(line)") }
  }
}
