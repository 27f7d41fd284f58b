/// A decoder of zstd frames (RFC 8878) block by block, so that every block before a damaged one is
/// delivered and damage has an exact place. It finds the next frame again after damage.
///
/// One source, one thread at a time.
final class ZstdDecoder: FrameDecoder {
  enum State {
    /// The place where a frame may begin or the source may end.
    case boundary
    /// The beginning of a block of the open frame.
    case block
    /// A block was decoded, and output may be left to be fetched.
    case draining
    /// The place of the checksum of the open frame.
    case checksum
    /// A place in a skippable frame, so many bytes from its end.
    case skipping(UInt64)
    /// The beginning of a block in a frame that cannot be decoded.
    case passing
    /// A place after damage that is still to be reported, on the way to the next frame.
    case searching(StreamDamage)
    case ended
  }

  /// The number of bytes before a damaged place at which the search for the next frame may begin.
  static let rescanLimit: UInt64 = 128 << 10
  /// The bytes of false candidates that are examined twice; a file that is made of them is
  /// searched with less care afterwards, so that the work stays linear.
  static let candidateBudget = 16 << 20

  let input: InputWindow
  let context: ZstdContext
  let windowLimit: UInt64
  var state = State.boundary
  var frame: ZstdFrameHeader?
  var frameStart: UInt64 = 0
  /// The header of the block before the present one, where that was raw: raw blocks prove nothing,
  /// and one with a damaged size may have swallowed the beginning of a frame.
  var rawBlockStart: UInt64?
  var lastBlock = false
  /// The bytes of the block's slice that the context held back.
  var heldBack = 0
  /// The offset at which the search begins if no frame follows at the boundary.
  var searchStart: UInt64?
  /// The offset of the damage if a file that seems cut turns out to go on.
  var damageStart: UInt64 = 0
  /// The bytes delivered so far, and at the beginning of the open frame.
  var decoded: UInt64 = 0
  var contentStart: UInt64 = 0
  var budget = ZstdDecoder.candidateBudget

  /// Makes a decoder.
  ///
  /// - Parameter windowLimit: The largest window of a frame, in bytes.
  init(input: InputWindow, windowLimit: UInt64) throws(CompressionError) {
    self.input = input
    self.windowLimit = windowLimit
    context = try ZstdContext(windowLimit: windowLimit)
  }

  /// Begins another source at the input's cursor.
  func reset() {
    state = .boundary
    (frame, rawBlockStart, searchStart) = (nil, nil, nil)
    (decoded, heldBack, budget) = (0, 0, Self.candidateBudget)
  }

  /// Returns the next event; `output` has room for at least one byte.
  func next(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent {
    while true {
      let event: DecodeEvent?
      switch state {
      case .boundary: event = try openFrame()
      case .block: event = try unsafe decodeBlock(into: output)
      case .draining: event = try unsafe drain(into: output)
      case .checksum: event = try checkSum()
      case .skipping(let left): event = try skip(left)
      case .passing: event = try passBlock()
      case .searching(let damage): event = try search(after: damage)
      case .ended: return .end
      }
      if let event { return event }
    }
  }

  /// Reports `damage` after the next frame was looked for from `start` on.
  func fail(_ damage: StreamDamage, searchFrom start: UInt64) {
    frame = nil
    // The same stretch is not searched again and again for nothing.
    budget -= Int(clamping: input.offset > start ? input.offset - start : 0)
    input.seek(to: budget >= 0 ? start : max(start, input.offset))
    state = .searching(damage)
  }

  /// The first place where a frame may have been swallowed by the open one, seen from the cursor.
  var rescanStart: UInt64 {
    let limit = input.offset > Self.rescanLimit ? input.offset - Self.rescanLimit : 0
    return max(frameStart + 1, limit)
  }

  /// Reports that the file ends early, unless a frame is found in what is left from `start` on:
  /// then a size was damaged in the block at the cursor, or in the skippable frame around it.
  func failTruncated(
    _ detail: String, searchFrom start: UInt64, unprovenFrom unproven: UInt64? = nil
  ) {
    damageStart = input.available > 0 ? input.offset : frameStart
    input.advance(input.available)
    fail(
      StreamDamage(.truncated, at: input.offset, detail, unprovenFrom: unproven), searchFrom: start)
  }
}

// MARK: - Frames
extension ZstdDecoder {
  private func openFrame() throws -> DecodeEvent? {
    guard try input.require(1) else {
      state = .ended
      return .end
    }
    frameStart = input.offset
    let begin = searchStart ?? frameStart + 1
    guard try input.require(ZstdMagic.byteCount) else {
      failCutMagic(searchFrom: begin)
      return nil
    }
    let word = UInt32(truncatingIfNeeded: input.number(at: 0, count: ZstdMagic.byteCount))
    if ZstdMagic.isSkippable(word) {
      guard try input.require(8) else {
        failTruncated("the file ends inside a skippable zstd frame", searchFrom: frameStart + 1)
        return nil
      }
      let size = input.number(at: 4, count: 4)
      input.advance(8)
      state = .skipping(size)
      return nil
    }
    guard ZstdMagic.isFrame(word) else {
      failJunk(searchFrom: begin)
      return nil
    }
    return try openDataFrame()
  }

  private func openDataFrame() throws -> DecodeEvent? {
    guard try input.require(ZstdFrameHeader.smallestByteCount) else {
      failTruncated("the file ends inside a zstd frame header", searchFrom: frameStart + 1)
      return nil
    }
    guard let size = ZstdFrameHeader.byteCount(descriptor: input[4]) else {
      let detail = "the zstd frame header is not valid"
      fail(StreamDamage(.corrupt, at: frameStart, detail), searchFrom: frameStart + 1)
      return nil
    }
    guard try input.require(size) else {
      failTruncated("the file ends inside a zstd frame header", searchFrom: frameStart + 1)
      return nil
    }
    let header = ZstdFrameHeader(input)
    if let reason = refusal(of: header) {
      input.advance(size)
      frame = header
      state = .passing
      return .damage(StreamDamage(.unreadable, at: frameStart, reason))
    }
    guard try begin(header) else {
      let detail = "the zstd frame header is not valid"
      fail(StreamDamage(.corrupt, at: frameStart, detail), searchFrom: frameStart + 1)
      return nil
    }
    return nil
  }

  /// Returns why a frame cannot be decoded, or nil.
  func refusal(of header: ZstdFrameHeader) -> String? {
    if header.windowSize > windowLimit {
      return "the zstd frame needs a window of \(header.windowSize) bytes, more than"
        + " limits.zstdWindowBytes allows (\(windowLimit))"
    }
    if header.dictionaryID != 0 {
      return "the zstd frame needs the dictionary \(header.dictionaryID)"
    }
    return nil
  }

  /// Opens the frame whose header stands at the cursor. Returns false if libzstd refuses the
  /// header.
  func begin(_ header: ZstdFrameHeader) throws -> Bool {
    context.reset()
    let none = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    let step = try unsafe context.feed(input.prefix(header.byteCount), into: none)
    guard step.outcome == .more, step.consumed == header.byteCount else { return false }
    input.advance(header.byteCount)
    frame = header
    rawBlockStart = nil
    searchStart = nil
    contentStart = decoded
    state = .block
    return true
  }

  private func failCutMagic(searchFrom start: UInt64) {
    let isCut = unsafe input.bytes.withMemoryRebound(to: UInt8.self) {
      let bytes = unsafe Span(_unsafeElements: $0)
      return ZstdMagic.isCutFrame(bytes) || ZstdMagic.isCutSkippable(bytes)
    }
    if isCut {
      failTruncated("the file ends inside a zstd frame's magic number", searchFrom: start)
    } else {
      failJunk(searchFrom: start)
    }
  }

  private func failJunk(searchFrom start: UInt64) {
    let detail = "the bytes here are trailing bytes and not a zstd frame"
    fail(StreamDamage(.corrupt, at: frameStart, detail), searchFrom: start)
  }

  private func skip(_ left: UInt64) throws -> DecodeEvent? {
    var left = left
    while left > 0 {
      state = .skipping(left)
      guard try input.require(1) else {
        failTruncated("the file ends inside a skippable zstd frame", searchFrom: rescanStart)
        return nil
      }
      let count = Int(min(left, UInt64(input.available)))
      input.advance(count)
      left -= UInt64(count)
    }
    searchStart = rescanStart
    state = .boundary
    return nil
  }
}
