import Compression
import TestSupport
import Testing

@Suite struct `Gzip decoder` {
  static let first = lines("first", 80)
  static let second = lines("second", 60)
  static let third = lines("third", 70)

  /// A member with a header that has these flags and fields.
  static func member(_ content: [UInt8], flags: UInt8, fields: [UInt8]) throws -> [UInt8] {
    let plain = try gzip(content)
    return Array(plain[..<3]) + [flags] + plain[4..<10] + fields + plain[10...]
  }

  @Test(arguments: Chunks.allCases)
  func `members, empty members and zero padding are one stream`(chunks: Chunks) throws {
    let bytes =
      try gzip(Self.first, [], noise(140_000)) + [UInt8](repeating: 0, count: 5000)
      + gzip(Self.second) + [0]
    let content = Self.first + noise(140_000) + Self.second
    #expect(try decode(bytes, chunks: chunks).pieces == [.bytes(content)])
    #expect(try decode(bytes, chunks: chunks, room: 1000).pieces == [.bytes(content)])
  }

  @Test(arguments: Chunks.allCases)
  func `every field of a header is passed over`(chunks: Chunks) throws {
    let extra: [UInt8] = [0x2C, 0x01] + noise(300)
    let name = [UInt8](repeating: 0x61, count: 200_000) + [0]
    let comment = Array("a comment".utf8) + [0]
    for (flags, fields) in [
      (0x04, extra), (0x08, name), (0x10, comment), (0x1D, extra + name + comment),
    ] {
      let bytes = try Self.member(Self.first, flags: UInt8(flags), fields: fields)
      #expect(
        try decode(bytes + gzip(Self.second), chunks: chunks).pieces
          == [.bytes(Self.first + Self.second)])
    }
  }

  @Test func `a failed checksum or size stands at the member's end`() throws {
    let one = try gzip(Self.first)
    let three = try gzip(Self.third)
    for place in 1...8 {
      var two = try gzip(Self.second)
      two[two.count - place] ^= 0x10
      let damage = StreamDamage(
        .corrupt, at: UInt64(one.count + two.count),
        "the checksum or the size of a gzip member does not match its content",
        unprovenFrom: UInt64(Self.first.count))
      #expect(
        try decode(one + two + three).pieces == [
          .bytes(Self.first + Self.second), .damage(damage), .bytes(Self.third),
        ])
    }
  }

  @Test func `a file of false candidates is searched in a moment`() throws {
    let fake: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0xBF, 0xFF]
    let file = try gzip(Self.first) + [1] + (0..<100_000).flatMap { _ in fake }
    let clock = ContinuousClock()
    let time = try clock.measure { try #require(try decode(file).damages.count >= 1) }
    #expect(time < .seconds(60))
  }

  @Test func `a bomb streams`() throws {
    let zeroes = [UInt8](repeating: 0, count: 1 << 20)
    let bytes = Packed.gzip(members: Array(repeating: zeroes, count: 200), level: 1)
    #expect(try countBytes(bytes, windowLimit: 1 << 20, room: 1 << 18) == 200 << 20)
  }
}
