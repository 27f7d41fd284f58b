/// A decoder of the frames or members of one format. ``StreamDecoder`` says what holds of all of them.
protocol FrameDecoder: AnyObject {
  /// A frame or member in words: `gzip member`.
  static var noun: String { get }
  var input: InputWindow { get }
  var place: FramePlace { get set }

  func goToBoundary()

  /// Decodes on, and returns what came of it, if anything; `output` has room for at least one byte.
  func step(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent?

  static func firstMagic(_ bytes: UnsafeRawBufferPointer) -> Int?

  /// Returns whether a frame begins at the cursor, which then is after what was examined.
  func accepts() throws -> Bool
}

/// The place of a decoder in its source.
struct FramePlace {
  /// The bytes before a damaged place at which the search for the next frame may begin.
  static let rescanLimit: UInt64 = 128 << 10
  static let magicByteCount = 4

  /// The offset in the source at which the current frame begins.
  var frameStart: UInt64 = 0
  /// The offset in the decompressed stream at which its content began, and the bytes delivered so far.
  var contentStart: UInt64 = 0
  var decoded: UInt64 = 0
  /// The offset at which the search begins if no frame follows at the boundary.
  var searchStart: UInt64?
  /// The bytes of false candidates that may be examined twice: the work stays linear.
  var budget = 16 << 20
  /// The damage that is reported once the next frame was looked for.
  var damage: StreamDamage?
  /// The offset of the damage if a file that seems cut turns out to go on, or nil for that of the next frame.
  var damageStart: UInt64?
  var isEnded = false
}

struct DecodeStep {
  enum Outcome {
    /// The frame or member goes on: more input or more room is needed.
    case more
    /// It is complete, and all of it was delivered.
    case done
    case checksumFailed, damaged
  }
  var outcome: Outcome
  var consumed: Int
  var produced: Int
}

extension FrameDecoder {
  func next(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent {
    while true {
      if let damage = place.damage {
        place.damage = nil
        return .damage(try search(after: damage))
      }
      if place.isEnded { return .end }
      if let event = try unsafe step(into: output) { return event }
    }
  }

  /// The first place where a frame may have been swallowed by the open one, seen from the cursor.
  var rescanStart: UInt64 {
    let limit = input.offset > FramePlace.rescanLimit ? input.offset - FramePlace.rescanLimit : 0
    return max(place.frameStart + 1, limit)
  }

  /// Has damage reported after the next frame was looked for from `start` on.
  private func fail(_ damage: StreamDamage, searchFrom start: UInt64) -> DecodeEvent? {
    // The same stretch is not searched again and again for nothing.
    place.budget -= Int(clamping: input.offset > start ? input.offset - start : 0)
    input.seek(to: place.budget >= 0 ? start : max(start, input.offset))
    place.damage = damage
    return nil
  }

  func fail(_ detail: String, at offset: UInt64, searchFrom start: UInt64) -> DecodeEvent? {
    fail(StreamDamage(.corrupt, at: offset, detail), searchFrom: start)
  }

  /// Has it reported that the file ends early, unless a frame is found in what is left from `start` on.
  func failCut(
    _ detail: String, searchFrom start: UInt64? = nil, unprovenFrom unproven: UInt64? = nil
  ) -> DecodeEvent? {
    input.advance(input.available)
    return fail(
      StreamDamage(.truncated, at: input.offset, detail, unprovenFrom: unproven),
      searchFrom: start ?? rescanStart)
  }

  /// Goes to the next frame from the cursor on, and returns the damage before it.
  private func search(after damage: StreamDamage) throws -> StreamDamage {
    while try findMagic() {
      let candidate = input.offset
      if try accepts() {
        input.seek(to: candidate)
        goToBoundary()
        guard damage.kind == .truncated else { return damage }
        return StreamDamage(
          .corrupt, at: place.damageStart ?? candidate,
          "a \(Self.noun) is damaged, and another begins before its end")
      }
      let tried = input.offset - candidate
      place.budget -= Int(clamping: tried)
      if place.budget >= 0 || tried == 0 { input.seek(to: candidate + 1) }
    }
    input.advance(input.available)
    place.isEnded = true
    return damage
  }

  private func findMagic() throws -> Bool {
    while try input.require(FramePlace.magicByteCount) {
      if let index = unsafe Self.firstMagic(input.bytes) {
        input.advance(index)
        return true
      }
      input.advance(input.available - (FramePlace.magicByteCount - 1))
    }
    return false
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the first place of four bytes that are, read little-endian, a wanted number.
  @inline(__always)
  func firstWord(where isWanted: (UInt32) -> Bool) -> Int? {
    var index = 0
    while index <= count - MemoryLayout<UInt32>.size {
      let word = unsafe UInt32(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt32.self))
      if isWanted(word) { return index }
      index += 1
    }
    return nil
  }
}
