import Compression
import TestSupport
import Testing

/// One step of a decoded stream; neighbouring bytes are one step.
enum Piece: Equatable {
  case bytes([UInt8])
  case damage(StreamDamage)
}

/// The output of a decoder for a source.
struct Decoded: Equatable {
  var pieces: [Piece] = []

  var bytes: [UInt8] {
    pieces.flatMap { piece -> [UInt8] in
      if case .bytes(let bytes) = piece { bytes } else { [] }
    }
  }

  var damages: [StreamDamage] {
    pieces.compactMap { piece in
      if case .damage(let damage) = piece { damage } else { nil }
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func append(_ bytes: some Collection<UInt8>) {
    if case .bytes(var joined) = pieces.last {
      // Without its copy in the list, the array grows in place.
      pieces.removeLast()
      joined.append(contentsOf: bytes)
      pieces.append(.bytes(joined))
    } else {
      pieces.append(.bytes(Array(bytes)))
    }
  }
}

/// The sizes in which a source hands out its bytes.
enum Chunks: CaseIterable {
  case one, seven, large, mixed

  func size(_ generator: inout Generator) -> Int {
    switch self {
    case .one: 1
    case .seven: 7
    case .large: 64 << 10
    case .mixed: Int.random(in: 1...5000, using: &generator)
    }
  }
}

/// Returns a source that hands out `bytes` in chunks, and fails the test where it is asked beyond
/// its end.
func source(_ bytes: [UInt8], _ chunks: Chunks = .large) -> StreamDecoder.Read {
  var generator = Generator(7)
  var position = 0
  var hasEnded = false
  return { target in
    #expect(!hasEnded, "read again after the end")
    let count = min(target.count, bytes.count - position, chunks.size(&generator))
    unsafe target.copyBytes(from: bytes[position..<position + count])
    position += count
    hasEnded = count == 0
    return count
  }
}

/// Pulls everything out of a decoder.
func drain(_ decoder: StreamDecoder, room: Int = 200_000) throws -> Decoded {
  var decoded = Decoded()
  var output = [UInt8](repeating: 0, count: room)
  while true {
    switch try pull(decoder, into: &output) {
    case .bytes(let count):
      #expect(count > 0 && count <= room)
      decoded.append(output[..<count])
    case .damage(let damage): decoded.pieces.append(.damage(damage))
    case .end:
      #expect(try pull(decoder, into: &output) == .end, "the end is not the end")
      #expect(decoder.decodedByteCount == UInt64(decoded.bytes.count))
      return decoded
    }
  }
}

/// Returns the next event.
func pull(_ decoder: StreamDecoder, into output: inout [UInt8]) throws -> DecodeEvent {
  var span = output.mutableSpan
  return try decoder.next(into: &span)
}

/// Pulls everything out of a decoder whose stream is whole, and returns the number of bytes.
func countBytes(_ decoder: StreamDecoder, room: Int) throws -> UInt64 {
  var output = [UInt8](repeating: 0, count: room)
  while case .bytes = try pull(decoder, into: &output) {}
  #expect(try pull(decoder, into: &output) == .end)
  return decoder.decodedByteCount
}

/// Decodes `bytes` afresh.
func decode(
  _ bytes: [UInt8], format: StreamFormat? = nil, chunks: Chunks = .large, room: Int = 200_000,
  windowLimit: Int = 128 << 20
) throws -> Decoded {
  let decoder = unsafe StreamDecoder(
    format: format, windowLimit: windowLimit, read: source(bytes, chunks))
  return try drain(decoder, room: room)
}

/// Returns one zstd frame for each text.
func zstd(_ contents: [UInt8]..., checksum: Bool = true, windowLog: Int? = nil) throws -> [UInt8] {
  try Packed.zstd(frames: contents, checksum: checksum, windowLog: windowLog)
}

/// Returns one gzip member for each content.
func gzip(_ contents: [UInt8]..., level: Int = 6) throws -> [UInt8] {
  try Packed.gzip(members: contents, level: level)
}

/// Returns a skippable frame.
func skippable(_ content: [UInt8], variant: UInt8 = 3) -> [UInt8] {
  let count = UInt32(content.count)
  return [0x50 | variant, 0x2A, 0x4D, 0x18] + (0..<4).map { UInt8(count >> (8 * $0) & 255) }
    + content
}

/// Returns `count` lines of a log, told apart by `name`.
func lines(_ name: String, _ count: Int) -> [UInt8] {
  (0..<count).flatMap { Array("{\"\(name)\":\($0),\"n\":\($0 * 7919 % 1000)}\n".utf8) }
}

/// Returns bytes that cannot be compressed: raw blocks in zstd, stored ones in gzip.
func noise(_ count: Int, seed: UInt64 = 11) -> [UInt8] {
  var generator = Generator(seed)
  return generator.bytes(count)
}

extension [UInt8] {
  /// Returns true if `other` occurs in these bytes.
  func holds(_ other: [UInt8]) -> Bool {
    guard let first = other.first, count >= other.count else { return other.isEmpty }
    return (0...count - other.count).contains {
      self[$0] == first && self[$0..<$0 + other.count].elementsEqual(other)
    }
  }
}
