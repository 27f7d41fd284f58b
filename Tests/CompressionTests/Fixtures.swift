import Compression
import TestSupport
import Testing

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

/// Decodes `bytes` afresh.
func decode(
  _ bytes: [UInt8], format: StreamFormat? = nil, chunks: Chunks = .large, room: Int = 200_000,
  windowLimit: Int = 128 << 20
) throws -> DecodedStream {
  var generator = Generator(7)
  return try DecodedStream(
    bytes, format: format, windowLimit: windowLimit, room: room,
    piece: { chunks.size(&generator) })
}

/// Returns the number of bytes of a stream that is whole, and too large to be kept.
func countBytes(_ bytes: [UInt8], windowLimit: Int, room: Int) throws -> UInt64 {
  var left = bytes[...]
  let decoder = unsafe StreamDecoder(windowLimit: windowLimit) { target in
    let count = min(target.count, left.count)
    unsafe target.copyBytes(from: left.prefix(count))
    left = left.dropFirst(count)
    return count
  }
  var output = [UInt8](repeating: 0, count: room)
  var event = DecodeEvent.bytes(0)
  while case .bytes = event { event = try pull(decoder, into: &output) }
  #expect(event == .end)
  return decoder.decodedByteCount
}

/// Returns the next event.
func pull(_ decoder: StreamDecoder, into output: inout [UInt8]) throws -> DecodeEvent {
  var span = output.mutableSpan
  return try decoder.next(into: &span)
}

/// Returns one zstd frame for each text.
func zstd(_ contents: [UInt8]..., checksum: Bool = true, windowLog: Int? = nil) throws -> [UInt8] {
  Packed.zstd(frames: contents, checksum: checksum, windowLog: windowLog)
}

/// Returns one gzip member for each content.
func gzip(_ contents: [UInt8]..., level: Int = 6) throws -> [UInt8] {
  Packed.gzip(members: contents, level: level)
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
func noise(_ count: Int) -> [UInt8] {
  var generator = Generator(11)
  return generator.bytes(count)
}
