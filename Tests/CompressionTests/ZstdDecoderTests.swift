import Compression
import TestSupport
import Testing

@Suite struct `Zstd decoder` {
  static let first = lines("first", 80)
  static let second = lines("second", 60)
  static let third = lines("third", 70)

  @Test(arguments: Chunks.allCases)
  func `frames, empty frames and skippable frames are one stream`(chunks: Chunks) throws {
    let bytes =
      try skippable([]) + zstd(Self.first, []) + skippable(noise(500), variant: 15)
      + zstd(Self.second, checksum: false) + zstd([], checksum: false) + zstd(noise(140_000))
      + skippable(Array("end".utf8))
    let content = Self.first + Self.second + noise(140_000)
    #expect(try decode(bytes, chunks: chunks).pieces == [.bytes(content)])
    #expect(try decode(bytes, chunks: chunks, room: 1000).pieces == [.bytes(content)])
  }

  @Test func `damage is at the block that does not decode`() throws {
    // Raw and compressed blocks of 128 KiB: the third block's content is damaged.
    let content = lines("block", 40_000)
    var bytes = try zstd(content)
    var starts: [Int] = []
    var place = 6
    while true {
      let word = Int(bytes[place]) | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2]) << 16
      starts.append(place)
      place += 3 + (word >> 1 & 3 == 1 ? 1 : word >> 3)
      if word & 1 == 1 { break }
    }
    try #require(starts.count > 4 && place + 4 == bytes.count)
    for index in starts[2] + 3..<starts[2] + 9 { bytes[index] = 0xFF }
    let next = try zstd(Self.third)
    let decoded = try decode(bytes + next)
    #expect(
      decoded.pieces == [
        .bytes(Array(content[..<(256 << 10)])),
        .damage(
          StreamDamage(.corrupt, at: UInt64(starts[2]), "a zstd block cannot be decoded")),
        .bytes(Self.third),
      ])
  }

  @Test func `a file of false candidates is searched in a moment`() throws {
    // Each claims a raw block that reaches far, and the same bytes are many candidates' blocks.
    let fake: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38, 0x04, 0x00, 0x08]
    let file = try zstd(Self.first) + [1] + (0..<200_000).flatMap { _ in fake }
    let clock = ContinuousClock()
    let time = try clock.measure { try #require(try decode(file).damages.count >= 1) }
    #expect(time < .seconds(60))
  }

  @Test func `a long skippable frame is passed over, and its wrong size hides little`() throws {
    let content = noise(700_000)
    let good = try zstd(Self.first) + skippable(content) + zstd(Self.third)
    #expect(try decode(good, chunks: .mixed).pieces == [.bytes(Self.first + Self.third)])
    // Its end falls into the last frame, behind it, or behind the file.
    for extra: UInt8 in [3, 20, 255] {
      var bad = good
      let size = try zstd(Self.first).count + 4
      bad[size] = bad[size] | extra
      if extra == 255 { bad[size + 3] = 0x7F }
      let decoded = try decode(bad, chunks: .mixed)
      #expect(decoded.content == Self.first + Self.third)
      #expect(decoded.damages.map(\.kind) == [.corrupt])
      #expect(decoded == (try decode(bad)))
    }
  }

  @Test func `a window beyond all limits is never allocated`() throws {
    // 3.75 TiB, and a single segment of 2^63 bytes.
    let huge: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xFF, 0x01, 0, 0]
    let segment: [UInt8] =
      [0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0, 0]
    for frame in [huge, segment] {
      let decoded = try decode(frame + zstd(Self.third), windowLimit: .max)
      #expect(decoded.damages.map(\.kind) == [.unreadable])
      #expect(decoded.content == Self.third)
    }
  }

  @Test func `a bomb streams`() throws {
    // 2 GiB of zeroes in blocks of four bytes.
    let count = 16_384
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
    for index in 0..<count { frame += [index == count - 1 ? 0x03 : 0x02, 0x00, 0x10, 0x00] }
    #expect(try countBytes(frame, windowLimit: 128 << 20, room: 1 << 20) == 2 << 30)
  }
}
