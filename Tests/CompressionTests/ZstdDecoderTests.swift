import Compression
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

  @Test func `a failed checksum stands at the frame's end and says what it covers`() throws {
    let one = try zstd(Self.first)
    var two = try zstd(Self.second)
    let three = try zstd(Self.third)
    two[two.count - 1] ^= 1
    let decoded = try decode(one + two + three)
    let damage = StreamDamage(
      .corrupt, at: UInt64(one.count + two.count),
      "the checksum of a zstd frame does not match its content",
      unprovenFrom: UInt64(Self.first.count))
    #expect(
      decoded.pieces == [
        .bytes(Self.first + Self.second), .damage(damage), .bytes(Self.third),
      ])
  }

  @Test func `two failed checksums are two places`() throws {
    var bad = try zstd(Self.second)
    bad[bad.count - 2] ^= 8
    let decoded = try decode(bad + bad)
    #expect(decoded.damages.map(\.byteOffset) == [UInt64(bad.count), UInt64(2 * bad.count)])
    #expect(decoded.damages.map(\.unprovenFrom) == [0, UInt64(Self.second.count)])
  }

  @Test func `damage behind a failed checksum is another place unless it begins there`() throws {
    var bad = try zstd(Self.second)
    bad[bad.count - 2] ^= 8
    let junk = Array("junk, not a frame".utf8)
    let here = try decode(bad + junk + zstd(Self.third))
    #expect(here.damages.map(\.isChecksum) == [true])
    #expect(here.bytes == Self.second + Self.third)
    let frame = try zstd(Self.first)
    let later = try decode(bad + frame[..<(frame.count / 2)])
    #expect(later.damages.map(\.kind) == [.corrupt, .truncated])
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

  @Test func `a block whose size runs past the file does not hide the next frame`() throws {
    let one = try zstd(Self.first)
    var two = try zstd(noise(300), checksum: false)
    let start = one.count + 6
    two[7] ^= 0x80  // The size of the only block grows beyond the file.
    let decoded = try decode(one + two + zstd(Self.third))
    #expect(
      decoded.pieces == [
        .bytes(Self.first),
        .damage(
          StreamDamage(
            .corrupt, at: UInt64(start),
            "a zstd frame is damaged, and another begins before its end")),
        .bytes(Self.third),
      ])
  }

  @Test func `trailing bytes are one damaged place, found behind the last frame`() throws {
    let one = try zstd(Self.first)
    for junk in [[0], Array("0123456789".utf8), [UInt8](repeating: 0, count: 300_000)] {
      let damage = StreamDamage(
        .corrupt, at: UInt64(one.count), "the bytes here are trailing bytes and not a zstd frame")
      #expect(try decode(one + junk).pieces == [.bytes(Self.first), .damage(damage)])
      #expect(
        try decode(one + junk + zstd(Self.third)).pieces
          == [.bytes(Self.first), .damage(damage), .bytes(Self.third)])
    }
  }

  @Test func `false candidates are passed over without another event`() throws {
    let fakes: [[UInt8]] = [
      [0x28, 0xB5, 0x2F, 0xFD], [0x28, 0xB5, 0x2F, 0xFD, 0x08, 0, 1, 0, 0],
      [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x00, 0xFF, 0xFF, 0xFF],
      [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x00, 0x25, 0, 0, 9, 9, 9, 9],
      [0x50, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0xFF], [0x50, 0x2A, 0x4D, 0x18, 5, 0, 0, 0],
      [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xFF], [0x28, 0xB5, 0x2F, 0xFD, 0x03, 0x00, 1, 2, 3, 4],
    ]
    let one = try zstd(Self.first)
    let junk: [UInt8] = [1] + fakes.flatMap { $0 + [7, 7] }
    let decoded = try decode(one + junk + zstd(Self.third) + junk)
    #expect(decoded.damages.count == 2)
    #expect(decoded.bytes == Self.first + Self.third)
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
      #expect(decoded.bytes == Self.first + Self.third)
      #expect(decoded.damages.map(\.kind) == [.corrupt])
      #expect(decoded == (try decode(bad)))
    }
  }

  @Test func `blocks of no size and of too large a size are judged by the format`() throws {
    let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x00]
    func frame(_ blocks: [UInt8]...) -> [UInt8] { head + blocks.flatMap(\.self) }
    // Raw and run-length blocks of size 0 give nothing.
    let empty = frame([0, 0, 0], [0x02, 0, 0, 9], [0x09, 0, 0, 0x41])
    #expect(try decode(empty).pieces == [.bytes([0x41])])
    let bad: [[UInt8]] = [
      [0x05, 0, 0],  // A compressed block without content.
      [0x0D, 0, 0, 0],  // One of a single byte.
      [0x07, 0, 0, 0],  // The reserved type.
      [0x09, 0x20, 0] + [UInt8](repeating: 1, count: 1025),  // More than the window of 1 KiB.
      [0x0B, 0x20, 0, 1],  // The same, as a run.
    ]
    for block in bad {
      let good = frame([0x08, 0, 0, 0x41])
      let decoded = try decode(good + block + zstd(Self.third))
      #expect(decoded.damages.map(\.byteOffset) == [UInt64(good.count)])
      #expect(decoded.damages.map(\.kind) == [.corrupt])
      #expect(decoded.bytes == [0x41] + Self.third)
    }
  }

  @Test func `an empty last block does not hide that a frame lost its end`() throws {
    // A single segment whose size takes two bytes, a raw block, and an empty one, the last.
    func frame(says size: Int) -> [UInt8] {
      let content = [UInt8](repeating: 0x0A, count: 300)
      let field = size - 256
      return [0x28, 0xB5, 0x2F, 0xFD, 0x60, UInt8(field & 255), UInt8(field >> 8)]
        + [UInt8(300 << 3 & 255), UInt8(300 >> 5), 0] + content + [1, 0, 0]
    }
    let behind = try zstd(Self.third)
    let whole = try decode(frame(says: 300) + behind)
    #expect(whole.damages == [])
    for size in [301, 600] {
      let decoded = try decode(frame(says: size) + behind)
      let damage = StreamDamage(
        .corrupt, at: 310,
        "the zstd frame ends after 300 bytes, and its header says \(size)")
      #expect(decoded.damages == [damage])
      #expect(decoded.bytes == whole.bytes)
    }
  }

  @Test func `a window above the limit names the setting and the size`() throws {
    let big = try zstd(lines("big", 100_000), windowLog: 20)
    let bytes = try zstd(Self.first, windowLog: 12) + big + zstd(Self.third, windowLog: 12)
    let start = UInt64(try zstd(Self.first, windowLog: 12).count)
    let decoded = try decode(bytes, windowLimit: (1 << 20) - 1)
    let damage = StreamDamage(
      .unreadable, at: start,
      "the zstd frame needs a window of 1048576 bytes, more than limits.zstdWindowBytes allows"
        + " (1048575)")
    #expect(decoded.pieces == [.bytes(Self.first), .damage(damage), .bytes(Self.third)])
    #expect(try decode(bytes, windowLimit: 1 << 20).damages.isEmpty)
  }

  @Test func `a window beyond all limits is never allocated`() throws {
    // 3.75 TiB, and a single segment of 2^63 bytes.
    let huge: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xFF, 0x01, 0, 0]
    let segment: [UInt8] =
      [0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0, 0]
    for frame in [huge, segment] {
      let decoded = try decode(frame + zstd(Self.third), windowLimit: .max)
      #expect(decoded.damages.map(\.kind) == [.unreadable])
      #expect(decoded.bytes == Self.third)
    }
  }

  @Test func `a frame that needs a dictionary is passed over to its end`() throws {
    let frame: [UInt8] =
      [0x28, 0xB5, 0x2F, 0xFD, 0x03, 0x00, 0x78, 0x56, 0x34, 0x12, 0x10, 0, 0, 1, 2, 0x0B, 0, 0, 9]
    let decoded = try decode(zstd(Self.first) + frame + zstd(Self.third))
    #expect(decoded.damages.map(\.detail) == ["the zstd frame needs the dictionary 305419896"])
    #expect(decoded.damages.map(\.kind) == [.unreadable])
    #expect(decoded.bytes == Self.first + Self.third)
  }

  @Test func `a bomb streams`() throws {
    // 2 GiB of zeroes in blocks of four bytes.
    let count = 16_384
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
    for index in 0..<count { frame += [index == count - 1 ? 0x03 : 0x02, 0x00, 0x10, 0x00] }
    let decoder = unsafe StreamDecoder(windowLimit: 128 << 20, read: source(frame))
    #expect(try countBytes(decoder, room: 1 << 20) == 2 << 30)
  }
}
