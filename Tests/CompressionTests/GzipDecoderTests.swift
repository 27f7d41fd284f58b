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

  @Test func `a header's own checksum is checked`() throws {
    // CRC-32 of 1F 8B 08 02, six header bytes as zlib writes them; its lower half.
    var header = Array(try gzip(Self.first)[..<10])
    header[3] = 0x02
    let crc = crc32(header)
    let low = [UInt8(crc & 255), UInt8(crc >> 8 & 255)]
    let good = try Self.member(Self.first, flags: 0x02, fields: low)
    #expect(try decode(good).pieces == [.bytes(Self.first)])
    let bad = try Self.member(Self.first, flags: 0x02, fields: [low[0] ^ 1, low[1]])
    let damage = StreamDamage(.corrupt, at: 12, "the checksum of a gzip header does not match")
    #expect(try decode(bad).pieces == [.damage(damage), .bytes(Self.first)])
  }

  @Test(arguments: [0x20, 0x40, 0x80] as [UInt8])
  func `a header with a reserved flag is no member (RFC 1952, section 2.3.1.2)`(flag: UInt8) throws
  {
    let one = try gzip(Self.first)
    let two = try Self.member(Self.second, flags: flag, fields: [])
    let detail = "the bytes here are trailing bytes and not a gzip member"
    #expect(
      try decode(one + two + gzip(Self.third)).pieces == [
        .bytes(Self.first),
        .damage(StreamDamage(.corrupt, at: UInt64(one.count), detail)), .bytes(Self.third),
      ])
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

  @Test func `damage is where inflating stopped`() throws {
    // A stored block whose length and its complement disagree.
    let head = Array(try gzip(Self.first)[..<10])
    let bad: [UInt8] = head + [0x00, 0x02, 0x00, 0xFD, 0xFF, 0x41, 0x42, 0x01, 0x05, 0, 0, 0]
    let decoded = try decode(bad + gzip(Self.third))
    #expect(
      decoded.pieces == [
        .bytes([0x41, 0x42]),
        .damage(
          StreamDamage(.corrupt, at: 22, "the deflate data of a gzip member are not valid")),
        .bytes(Self.third),
      ])
  }

  @Test func `trailing bytes are one damaged place`() throws {
    let one = try gzip(Self.first)
    let fakes: [UInt8] = [
      9, 0x1F, 0x8B, 0x08, 0x00, 1, 2, 3, 4, 5, 6, 0xFF, 0x1F, 0x8B, 0x08, 0x08,
    ]
    for junk in [[9], fakes, noise(1000), [0, 0, 0, 5] + [UInt8](repeating: 0, count: 300_000)] {
      let start = one.count + (junk.firstIndex { $0 != 0 } ?? 0)
      let damage = StreamDamage(
        .corrupt, at: UInt64(start), "the bytes here are trailing bytes and not a gzip member")
      #expect(try decode(one + junk).pieces == [.bytes(Self.first), .damage(damage)])
      #expect(
        try decode(one + junk + gzip(Self.third)).pieces
          == [.bytes(Self.first), .damage(damage), .bytes(Self.third)])
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
    let bytes = try Packed.gzip(members: Array(repeating: zeroes, count: 200), level: 1)
    let decoder = unsafe StreamDecoder(windowLimit: 1 << 20, read: source(bytes))
    #expect(try countBytes(decoder, room: 1 << 18) == 200 << 20)
  }

  /// CRC-32, bit by bit: a second opinion on the library's.
  private func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
