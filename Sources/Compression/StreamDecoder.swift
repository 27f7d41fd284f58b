/// A decoder of one source, in half a MiB and the largest window of a zstd frame, for one thread at
/// a time. Every byte that can be decoded is delivered, in order, and damage is an event between
/// bytes, however the source hands these out. After an error the decoder is of no more use.
package final class StreamDecoder {
  /// A closure that fills the front of a buffer and returns the number of bytes, 0 at the end.
  package typealias Read = (UnsafeMutableRawBufferPointer) throws -> Int

  package static let largestWindow = 2 << 30

  /// The format of the source: as given, or as found by the first call of ``next(into:)``.
  package private(set) var format: StreamFormat?
  package private(set) var decodedByteCount: UInt64 = 0
  /// Whether bytes that follow the last damage in the same place could not be decoded either.
  package private(set) var isDamageContinued = false

  /// The offset in the decompressed stream at which the current frame's content began.
  package var contentStart: UInt64 { current?.place.contentStart ?? 0 }

  /// The offset in the source at which the current frame begins, or 0 if it is not compressed.
  package var frameStart: UInt64 { current?.place.frameStart ?? 0 }

  private let input: InputWindow
  private let windowLimit: UInt64
  /// The decoder of this source, or nil if it is not compressed, and before its format is known.
  private var current: (any FrameDecoder)?
  private var lastDamage: (damage: StreamDamage, decoded: UInt64)?

  /// Makes a decoder with the largest window of a zstd frame in bytes. A nil format is detected.
  package init(format: StreamFormat? = nil, windowLimit: Int, read: @escaping Read) {
    self.format = format
    self.windowLimit = UInt64(max(0, min(windowLimit, Self.largestWindow)))
    unsafe input = InputWindow(read: read)
  }

  /// Returns the next event. `output` has room for a byte, or better 128 KiB.
  package func next(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent {
    precondition(output.count > 0, "an output without room")
    while true {
      let event = try unsafe decode(into: output)
      switch event {
      case .bytes(let count): decodedByteCount &+= UInt64(count)
      case .damage(let damage):
        isDamageContinued = isSamePlace(damage)
        if isDamageContinued { continue }
        lastDamage = (damage, decodedByteCount)
      case .end: break
      }
      return event
    }
  }

  package func next(into output: inout MutableSpan<UInt8>) throws -> DecodeEvent {
    try unsafe output.withUnsafeMutableBytes { try unsafe next(into: $0) }
  }

  /// Returns whether nothing was delivered since the damage before, so that both are one place.
  private func isSamePlace(_ damage: StreamDamage) -> Bool {
    guard let lastDamage, lastDamage.decoded == decodedByteCount else { return false }
    return !lastDamage.damage.isChecksum || lastDamage.damage.byteOffset == damage.byteOffset
  }

  private func decode(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent {
    if let current { return try unsafe current.next(into: output) }
    let format = try format ?? detect()
    guard let decoder = try format.makeDecoder(input, windowLimit: windowLimit) else {
      let count = try unsafe input.pass(into: output)
      return count > 0 ? .bytes(count) : .end
    }
    current = decoder
    return try unsafe decoder.next(into: output)
  }

  private func detect() throws -> StreamFormat {
    _ = try input.require(StreamFormat.headByteCount)
    let found = unsafe input.bytes.withMemoryRebound(to: UInt8.self) {
      StreamFormat.detect(unsafe Span(_unsafeElements: $0))
    }
    format = found
    return found
  }
}
