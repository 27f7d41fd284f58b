import Foundation
import TestSupport
import Testing

@testable import AuditLog

/// Files that grow from night to night, cut anywhere, come to the same records as they do whole.
@Suite struct `Growing inputs` {
  /// Lines of records, blanks between and behind them, with any line end.
  private static func text(_ random: inout Generator) -> [UInt8] {
    var text = random.below(3) == 0 ? "\u{FEFF}" : ""
    for index in 0..<(1 + random.below(60)) {
      if random.below(6) == 0 { text += ["", " ", "\t\r", "  "][random.below(4)] + "\n" }
      let value = String(repeating: "v", count: random.below(400))
      text += "{\"n\":\(index),\"v\":\"\(value)\"}"
      text += ["", "", " ", " \t"][random.below(4)] + ["\n", "\r\n"][random.below(2)]
    }
    if random.below(3) == 0 { text.removeLast() }
    return Array(text.utf8)
  }

  /// A line that is a record: a whole JSON object, with blanks around it.
  private static func record(_ line: SeenLine) -> String? {
    let text = line.string.trimmingCharacters(in: .whitespaces.union(.newlines))
    guard line.state == .whole, text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
    return "\(line.number)@\(line.offset) \(text)"
  }

  private static func pack(_ bytes: [UInt8], _ random: inout Generator) throws -> [UInt8] {
    let cut = random.below(bytes.count + 1)
    let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
    return switch random.below(4) {
    case 0: try gzip(parts)
    case 1: try zstd(parts)
    default: bytes
    }
  }

  @Test(arguments: 0..<60)
  func `every record is read once`(_ seed: Int) throws {
    var random = Generator(UInt64(seed) &+ 77)
    let scratch = try Scratch()
    let nights = Nights()
    let text = Self.text(&random)
    let whole = try read(text)
    var lengths = (0..<random.below(6)).map { _ in random.below(text.count + 1) }
    // Just before and behind line ends it is most easily got wrong.
    let ends = text.indices.filter { text[$0] == 0x0A }
    for _ in 0..<random.below(4) {
      if let end = ends.randomElement(using: &random) {
        lengths.append(min(text.count, max(0, end - 2 + random.below(4))))
      }
    }
    var seen: [String] = []
    var (name, previous) = ("log", 0)
    for (night, length) in (lengths.sorted() + [text.count]).enumerated() {
      // A content too short to have a head is known again by its path alone.
      if previous >= AccountedInput.headBytes { name = "log.\(night)" }
      previous = length
      let path = try scratch.write(name, try Self.pack(Array(text.prefix(length)), &random))
      let batchBytes = [64, 100, 4096][random.below(3)]
      let result = try nights.run([path], batchBytes: batchBytes)
      seen += result.lines.compactMap(Self.record)
    }
    #expect(seen == whole.lines.compactMap(Self.record))
  }

  @Test(arguments: 0..<30)
  func `the same where a compressed stream is found cut off`(_ seed: Int) throws {
    var random = Generator(UInt64(seed) &+ 4711)
    let scratch = try Scratch()
    let nights = Nights()
    let text = Self.text(&random)
    let whole = try read(text)
    let packed = seed.isMultiple(of: 2) ? try gzip([text], level: 1) : try zstd([text])
    var seen: [String] = []
    let lengths = (0..<4).map { _ in 10 + random.below(packed.count - 10) }.sorted()
    for length in lengths + [packed.count] {
      let path = try scratch.write("log", Array(packed.prefix(length)))
      seen += try nights.run([path]).lines.compactMap(Self.record)
    }
    #expect(seen == whole.lines.compactMap(Self.record))
  }
}
