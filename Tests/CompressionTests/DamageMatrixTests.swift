import TestSupport
import Testing

@testable import Compression

/// Every kind of damage to every kind of stream, some thousands of cases: no line is lost or
/// changed without a damage that says so, and what lies in parts that are whole comes out whole.
struct DamageMatrixTests {
  /// Some frames or members of whole lines, one behind the other.
  private struct Stream {
    var name: String
    var parts: [[UInt8]]
    var contents: [[UInt8]]
    /// Whether a checksum stands behind each part.
    var isChecked: Bool
    var bytes: [UInt8] { Array(parts.joined()) }
    var content: [UInt8] { Array(contents.joined()) }

    /// Returns the part in which a byte of the stream lies.
    func part(at offset: Int) -> Int {
      var left = offset
      for (index, part) in parts.enumerated() {
        if left < part.count { return index }
        left -= part.count
      }
      return parts.count - 1
    }
  }

  private static let contents: [[UInt8]] = {
    var random = Generator(97)
    return (0..<6).map { part in
      (0..<30).flatMap { line -> [UInt8] in
        let digits = Array("0123456789abcdef".utf8)
        let filling = (0..<24).map { _ in digits[random.below(digits.count)] }
        return Array("{\"part\":\(part),\"line\":\(line),\"x\":\"".utf8) + filling
          + Array("\"}\n".utf8)
      }
    }
  }()

  private static let streams: [Stream] = {
    let whole = Array(contents.joined())
    return [
      Stream(
        name: "zstd frames", parts: contents.map { Packed.zstd($0) },
        contents: contents, isChecked: true),
      Stream(
        name: "gzip members", parts: contents.map { Packed.gzip($0) },
        contents: contents, isChecked: true),
      Stream(
        name: "one zstd frame", parts: [Packed.zstd(whole)], contents: [whole],
        isChecked: true),
      Stream(
        name: "one gzip member", parts: [Packed.gzip(whole)], contents: [whole],
        isChecked: true),
      Stream(name: "plain", parts: [whole], contents: [whole], isChecked: false),
    ]
  }()

  private static func read(_ bytes: [UInt8]) throws -> DecodedStream {
    // Odd pieces: what comes out must not depend on them.
    try DecodedStream(bytes, room: 1 << 13, piece: { 509 })
  }

  /// Returns the lines of some parts. Each line holds its part's number.
  private static func lines(_ stream: Stream, _ parts: some Sequence<Int>) -> Set<[UInt8]> {
    Set(parts.flatMap { stream.contents[$0].split(separator: 0x0A).map(Array.init) })
  }

  @Test(arguments: streams.indices)
  func `a stream that ends early gives what lies before its end, and says so`(
    _ index: Int
  ) throws {
    let stream = Self.streams[index]
    let bytes = stream.bytes
    var ends = Set((0...97).map { bytes.count * $0 / 97 })
    var start = 0
    for part in stream.parts {
      ends.formUnion([start, start + 1, start + 4, start + part.count - 1, start + part.count - 5])
      start += part.count
    }
    // Fewer bytes than a magic number are text like any other.
    for end in ends.sorted() where end == 0 || end >= 4 {
      let read = try Self.read(Array(bytes[..<end]))
      let whole = stream.part(at: end)
      let begin = stream.parts[..<whole].reduce(0) { $0 + $1.count }
      let isBetween = end == bytes.count || begin == end
      let count = end == bytes.count ? stream.parts.count : whole
      let expected = Array(stream.contents[..<count].joined())
      #expect(read.content.starts(with: expected), "\(stream.name) \(end)")
      #expect(stream.content.starts(with: read.content), "\(stream.name) \(end)")
      if stream.name != "plain" {
        #expect(read.damages.isEmpty == isBetween, "\(stream.name) \(end)")
        if !isBetween, end - 4 > begin {
          #expect(read.damages.allSatisfy { $0.kind == .truncated }, "\(stream.name) \(end)")
        }
      }
    }
  }

  @Test(arguments: [0, 1])
  func `a bit that changes costs lines of its own part alone, and is told`(_ index: Int) throws {
    let stream = Self.streams[index]
    let bytes = stream.bytes
    let all = Self.lines(stream, 0..<stream.parts.count)
    var random = Generator(UInt64(index))
    var nextLost = 0
    var cases = 0
    // Without its magic number in front a stream is text, whose lines are no records.
    for offset in stride(from: 4, to: bytes.count, by: 11) {
      var damaged = bytes
      damaged[offset] ^= 1 << UInt8(random.below(8))
      let part = stream.part(at: offset)
      let read = try Self.read(damaged)
      let found = Set(read.lines.map(Array.init))
      cases += 1
      // A window that the settings do not allow ends the reading, and says which setting does.
      if read.damages.contains(where: { $0.kind == .unreadable }) { continue }
      // A line that is missing or changed never is so in silence.
      if found != all { #expect(!read.damages.isEmpty, "\(stream.name) \(offset)") }
      let before = Self.lines(stream, 0..<part)
      #expect(before.isSubset(of: found), "\(stream.name) \(offset)")
      // A part that lost its end may run into the next one; those behind that are found again.
      if part + 1 < stream.parts.count {
        if !Self.lines(stream, [part + 1]).isSubset(of: found) { nextLost += 1 }
        let behind = Self.lines(stream, (part + 2)..<max(part + 2, stream.parts.count))
        #expect(behind.isSubset(of: found), "\(stream.name) \(offset)")
      }
    }
    #expect(cases > 300)
    #expect(nextLost * 20 < cases, "\(nextLost) of \(cases)")
  }

  /// Changes the header, window, dictionary and content size in front, and the checksum and gzip's
  /// length behind.
  @Test(arguments: [0, 1])
  func `every bit of a header or a checksum costs no other part, and none in silence`(
    _ index: Int
  ) throws {
    let stream = Self.streams[index]
    let bytes = stream.bytes
    var cases = 0
    var start = 0
    for part in stream.parts.indices {
      let count = stream.parts[part].count
      defer { start += count }
      // Those in the middle are alike.
      guard part < 2 || part == stream.parts.count - 1 else { continue }
      let places = Array(0..<14) + Array((count - 12)..<count)
      // Without its magic number the first part would be text.
      for place in places where part > 0 || place > 3 {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[start + place] ^= 1 << UInt8(bit)
          let read = try Self.read(damaged)
          cases += 1
          let found = Set(read.lines.map(Array.init))
          let comment = "\(stream.name) \(part) \(place) \(bit)"
          #expect(Self.lines(stream, 0..<part).isSubset(of: found), "\(comment)")
          guard !read.damages.contains(where: { $0.kind == .unreadable }) else { continue }
          let others = Self.lines(stream, stream.parts.indices.filter { $0 != part })
          #expect(others.isSubset(of: found), "\(comment)")
          if found != Self.lines(stream, stream.parts.indices) {
            #expect(!read.damages.isEmpty, "\(comment)")
            #expect(
              read.damages.allSatisfy { $0.byteOffset >= UInt64(start) }, "\(comment)")
          }
        }
      }
    }
    #expect(cases > 500)
  }

  @Test(arguments: [0, 1])
  func `parts may stand in any order, be empty, and have junk between them`(_ index: Int) throws {
    let stream = Self.streams[index]
    var random = Generator(UInt64(7 + index))
    let empty = index == 0 ? Packed.zstd([]) : Packed.gzip([])
    for round in 0..<80 {
      let order = Array(0..<stream.parts.count).shuffled(using: &random)
      var bytes: [UInt8] = []
      var isDirty = false
      for (place, part) in order.enumerated() {
        switch random.below(4) {
        case 0: bytes += empty
        case 1 where place > 0:
          // No beginning of a part.
          bytes += (0..<(1 + random.below(40))).map { _ in UInt8(1 + random.below(20)) }
          isDirty = true
        default: break
        }
        bytes += stream.parts[part]
      }
      let read = try Self.read(bytes)
      #expect(read.content == order.flatMap { stream.contents[$0] }, "\(stream.name) \(round)")
      #expect(read.damages.isEmpty == !isDirty, "\(stream.name) \(round)")
    }
  }
}

extension DecodedStream {
  /// The lines that came whole: none of them goes on across a damage.
  fileprivate var lines: [ArraySlice<UInt8>] {
    pieces.enumerated().flatMap { index, piece -> [ArraySlice<UInt8>] in
      guard case .bytes(let bytes) = piece else { return [] }
      let lines = bytes.split(separator: 0x0A)
      // What a damage cuts is no line.
      let isCut = index + 1 < pieces.count && bytes.last != 0x0A
      return isCut ? lines.dropLast() : lines
    }
  }
}
