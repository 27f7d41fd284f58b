package import Compression

/// The output of a compressed stream, up to a limit.
package struct DecodedStream: Equatable {
  /// One step; neighbouring bytes are one step.
  package enum Piece: Equatable {
    case bytes([UInt8])
    case damage(StreamDamage)
  }

  /// A rule of decoders that one of them broke.
  package struct Mistake: Error {
    package var description: String
  }

  package private(set) var pieces: [Piece] = []
  /// Whether the stream was read to its end.
  package private(set) var isWhole = false
  private var byteCount = 0

  package var content: [UInt8] {
    pieces.flatMap { piece -> [UInt8] in
      if case .bytes(let bytes) = piece { bytes } else { [] }
    }
  }

  package var damages: [StreamDamage] {
    pieces.compactMap { piece in
      if case .damage(let damage) = piece { damage } else { nil }
    }
  }

  /// Decodes a stream that is read in pieces of at most so many bytes, into a room of so many.
  package init(
    _ bytes: [UInt8], format: StreamFormat? = nil, windowLimit: Int = 128 << 20,
    room: Int = 1 << 16, limit: Int = .max, piece: @escaping () -> Int = { .max }
  ) throws {
    var left = bytes[...]
    var hasEnded = false
    let decoder = unsafe StreamDecoder(format: format, windowLimit: windowLimit) { target in
      guard !hasEnded else { throw Mistake(description: "read again after the end") }
      let count = min(target.count, left.count, piece())
      unsafe target.copyBytes(from: left.prefix(count))
      left = left.dropFirst(count)
      hasEnded = count == 0
      return count
    }
    var output = [UInt8](repeating: 0, count: room)
    func next() throws -> DecodeEvent {
      var span = output.mutableSpan
      return try decoder.next(into: &span)
    }
    while byteCount < limit {
      switch try next() {
      case .bytes(let count): append(output[..<count])
      case .damage(let damage): pieces.append(.damage(damage))
      case .end:
        guard try next() == .end, decoder.decodedByteCount == UInt64(byteCount) else {
          throw Mistake(description: "the end is not the end")
        }
        isWhole = true
        return
      }
    }
    append([], without: byteCount - limit)
  }

  /// Appends bytes, and removes so many at the end.
  private mutating func append(_ bytes: ArraySlice<UInt8>, without excess: Int = 0) {
    byteCount += bytes.count - excess
    guard case .bytes(var joined) = pieces.last else {
      return pieces.append(.bytes(Array(bytes)))
    }
    // Without its copy in the list, the array grows in place.
    pieces.removeLast()
    joined += bytes
    joined.removeLast(excess)
    pieces.append(.bytes(joined))
  }
}
