import Compression
import Testing

/// Gzip with whole blocks decoded without zlib, beside zlib alone.
@Suite struct `Gzip blocks` {
  /// What comes out both ways.
  private func both(_ bytes: [UInt8], room: Int = 200_000) throws -> (Decoded, Decoded) {
    func decoder(_ decodesBlocks: Bool) -> StreamDecoder {
      unsafe StreamDecoder(
        format: .gzip, windowLimit: 1 << 20, decodesBlocks: decodesBlocks, read: source(bytes))
    }
    return (try drain(decoder(true), room: room), try drain(decoder(false), room: room))
  }

  /// Content of some kind: text, noise, few letters, and long runs.
  private static func content(_ generator: inout Generator) -> [UInt8] {
    let count = Int.random(in: 0...90_000, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return lines("text", count / 25)
    case 1: return generator.bytes(count)
    case 2: return generator.bytes(count).map { 0x61 + $0 % 3 }
    default:
      return (0..<(count / 300)).flatMap { _ in
        [UInt8](
          repeating: UInt8.random(in: 0...255, using: &generator),
          count: Int.random(in: 1...600, using: &generator))
      }
    }
  }

  private static func members(_ generator: inout Generator) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      bytes += try gzip(
        content(&generator), level: Int.random(in: 0...9, using: &generator))
    }
    return bytes
  }

  @Test func `whole members come out as zlib decodes them`() throws {
    var generator = Generator(1)
    for _ in 0..<60 {
      let bytes = try Self.members(&generator)
      let (blocks, zlib) = try both(
        bytes, room: Int.random(in: 1...300_000, using: &generator))
      #expect(blocks == zlib && blocks.damages.isEmpty)
    }
  }

  @Test func `a member of many blocks, longer than any buffer`() throws {
    var generator = Generator(2)
    let content = lines("long", 90_000) + generator.bytes(900_000) + lines("more", 40_000)
    let (blocks, zlib) = try both(try gzip(content))
    #expect(blocks == zlib && blocks.bytes == content)
  }

  @Test func `damaged and cut members come out as zlib decodes them`() throws {
    var generator = Generator(3)
    for index in 0..<300 {
      var bytes = try Self.members(&generator)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let isNear = Bool.random(using: &generator)
        let place = Int.random(in: 0..<min(bytes.count, isNear ? 120 : .max), using: &generator)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      if index % 4 == 0 {
        bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
      }
      let (blocks, zlib) = try both(bytes)
      #expect(blocks == zlib, "\(index)")
    }
  }

  @Test func `every damaged bit of a dynamic block is found where zlib finds it`() throws {
    let whole = try gzip(lines("one", 40)) + gzip(lines("two", 30))
    for place in 10..<whole.count {
      for bit in 0..<8 {
        var bytes = whole
        bytes[place] ^= 1 << UInt8(bit)
        let (blocks, zlib) = try both(bytes)
        #expect(blocks == zlib, "\(place) \(bit)")
      }
    }
  }

  @Test func `many small blocks that only zlib takes cost no more than a few times zlib's work`()
    throws
  {
    // Fixed blocks with a match that reaches in front of the stream come last; before it, blocks that
    // are empty.
    let head = Array(try gzip([1])[..<10])
    let empty = [UInt8](repeating: 0, count: 300_000).enumerated().map { index, _ in
      [UInt8]([0x00, 0x00, 0x00, 0xFF, 0xFF])[index % 5]
    }
    let (blocks, zlib) = try both(head + empty + [0x03, 0x02])
    #expect(blocks == zlib)
  }
}
