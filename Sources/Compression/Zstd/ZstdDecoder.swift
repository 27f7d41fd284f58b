/// A decoder of zstd frames (RFC 8878) block by block: everything before damage is delivered.
final class ZstdDecoder: FrameDecoder {
  private enum State {
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
  }

  static let noun = "zstd frame"

  let input: InputWindow
  var place = FramePlace()
  private let context: ZstdContext
  private let windowLimit: UInt64
  private var state = State.boundary
  private var frame = ZstdFrameHeader()
  /// The header of a raw block before this one: with a damaged size it can hide the start of a frame.
  private var rawBlockStart: UInt64?
  private var isLastBlock = false
  /// The bytes of the block's slice that the context held back.
  private var heldBack = 0

  /// Makes a decoder. `windowLimit` is the largest window of a frame, in bytes.
  init(input: InputWindow, windowLimit: UInt64) throws(CompressionError) {
    self.input = input
    self.windowLimit = windowLimit
    context = try ZstdContext(windowLimit: windowLimit)
  }

  func goToBoundary() { state = .boundary }

  func step(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    switch state {
    case .boundary: try openFrame()
    case .block: try unsafe decodeBlock(into: output)
    case .draining: try unsafe drain(into: output)
    case .checksum: try checkSum()
    case .skipping(let left): try skip(left)
    case .passing: try passBlock()
    }
  }

  /// Does what `failCut` does, where a size may be damaged in the block at the cursor, or in the skippable frame around it.
  private func failInside(
    _ detail: String, searchFrom start: UInt64, unprovenFrom unproven: UInt64? = nil
  ) -> DecodeEvent? {
    place.damageStart = input.available > 0 ? input.offset : place.frameStart
    return failCut("the file ends inside \(detail)", searchFrom: start, unprovenFrom: unproven)
  }

  private static var noRoom: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }
}

// MARK: - Frames
extension ZstdDecoder {
  private var word: UInt32 {
    UInt32(truncatingIfNeeded: input.number(at: 0, count: FramePlace.magicByteCount))
  }

  private func openFrame() throws -> DecodeEvent? {
    guard try input.require(1) else {
      place.isEnded = true
      return .end
    }
    let start = input.offset
    place.frameStart = start
    let isWhole = try input.require(FramePlace.magicByteCount)
    if isWhole, ZstdMagic.isFrame(word) { return try openDataFrame() }
    if isWhole, ZstdMagic.isSkippable(word) {
      guard try input.require(8) else {
        return failInside("a skippable zstd frame", searchFrom: start + 1)
      }
      state = .skipping(input.number(at: 4, count: 4))
      input.advance(8)
      return nil
    }
    let begin = place.searchStart ?? start + 1
    if !isWhole, isCutMagic { return failInside("a zstd frame's magic number", searchFrom: begin) }
    return fail(
      "the bytes here are trailing bytes and not a zstd frame", at: start, searchFrom: begin)
  }

  private var isCutMagic: Bool {
    unsafe input.bytes.withMemoryRebound(to: UInt8.self) {
      let bytes = unsafe Span(_unsafeElements: $0)
      return ZstdMagic.isCut(bytes)
        || ZstdMagic.isCut(bytes, ZstdMagic.skippable, mask: ZstdMagic.skippableMask)
    }
  }

  private func openDataFrame() throws -> DecodeEvent? {
    let start = place.frameStart
    func failHeader() -> DecodeEvent? {
      fail("the zstd frame header is not valid", at: start, searchFrom: start + 1)
    }
    guard try input.require(ZstdFrameHeader.smallestByteCount) else {
      return failInside("a zstd frame header", searchFrom: start + 1)
    }
    guard let size = ZstdFrameHeader.byteCount(descriptor: input[4]) else { return failHeader() }
    guard try input.require(size) else {
      return failInside("a zstd frame header", searchFrom: start + 1)
    }
    let header = ZstdFrameHeader(input)
    if let reason = refusal(of: header) {
      input.advance(size)
      frame = header
      state = .passing
      return .damage(StreamDamage(.unreadable, at: start, reason))
    }
    return try begin(header) ? nil : failHeader()
  }

  private func refusal(of header: ZstdFrameHeader) -> String? {
    if header.windowSize > windowLimit {
      return "the zstd frame needs a window of \(header.windowSize) bytes, more than"
        + " limits.zstdWindowBytes allows (\(windowLimit))"
    }
    if header.dictionaryID != 0 {
      return "the zstd frame needs the dictionary \(header.dictionaryID)"
    }
    return nil
  }

  /// Opens the frame whose header is at the cursor. Returns false if libzstd refuses the header.
  private func begin(_ header: ZstdFrameHeader) throws -> Bool {
    context.reset()
    let step = try unsafe context.feed(input.prefix(header.byteCount), into: Self.noRoom)
    guard step.outcome == .more, step.consumed == header.byteCount else { return false }
    input.advance(header.byteCount)
    frame = header
    rawBlockStart = nil
    place.searchStart = nil
    place.contentStart = place.decoded
    state = .block
    return true
  }

  private func endFrame(searchStart: UInt64?) {
    place.searchStart = searchStart
    state = .boundary
  }

  private func skip(_ left: UInt64) throws -> DecodeEvent? {
    var left = left
    while left > 0 {
      state = .skipping(left)
      guard try input.require(1) else {
        return failInside("a skippable zstd frame", searchFrom: rescanStart)
      }
      let count = Int(min(left, UInt64(input.available)))
      input.advance(count)
      left -= UInt64(count)
    }
    endFrame(searchStart: rescanStart)
    return nil
  }
}

// MARK: - Blocks
extension ZstdDecoder {
  /// The offset at which the search begins when the block at the cursor is damaged.
  private var blockSearchStart: UInt64 { rawBlockStart.map { $0 + 1 } ?? input.offset }

  /// Returns the header of the whole block at the cursor, or nil, with the failure.
  private func nextBlock(searchFrom start: UInt64, after: Int = 0) throws -> ZstdBlockHeader? {
    guard try input.require(ZstdBlockHeader.byteCount) else {
      _ = failInside("a zstd frame", searchFrom: start)
      return nil
    }
    guard let block = blockHeader(at: 0, limit: frame.blockLimit) else {
      _ = fail("the header of a zstd block is not valid", at: input.offset, searchFrom: start)
      return nil
    }
    guard try input.require(block.byteCount + (block.isLast ? after : 0)) else {
      _ = failInside("a zstd block", searchFrom: start)
      return nil
    }
    return block
  }

  private func blockHeader(at index: Int, limit: Int) -> ZstdBlockHeader? {
    ZstdBlockHeader(input.number(at: index, count: ZstdBlockHeader.byteCount), limit: limit)
  }

  private func decodeBlock(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    guard let block = try nextBlock(searchFrom: blockSearchStart) else { return nil }
    let count = place.decoded &- place.contentStart
    if block.isLast, block.contentByteCount == 0, let size = frame.contentSize, size != count {
      // libzstd examines the size after every last block but an empty one.
      return fail(
        "the zstd frame ends after \(count) bytes, and its header says \(size)", at: input.offset,
        searchFrom: blockSearchStart)
    }
    guard let count = try unsafe decode(block, into: output) else {
      return fail(
        "a zstd block cannot be decoded", at: input.offset, searchFrom: blockSearchStart)
    }
    return count > 0 ? .bytes(count) : nil
  }

  /// Decodes the block at the cursor. Returns the number of bytes, or nil if it is damaged.
  private func decode(
    _ block: ZstdBlockHeader, into output: UnsafeMutableRawBufferPointer
  ) throws -> Int? {
    let step = try unsafe context.feed(input.prefix(block.byteCount), into: output)
    let held = block.byteCount - step.consumed
    guard step.outcome == .more || step.outcome == .done, held <= 1 else { return nil }
    rawBlockStart = block.isRaw ? input.offset : nil
    input.advance(step.consumed)
    heldBack = held
    isLastBlock = block.isLast
    settle(step, room: output.count)
    return step.produced
  }

  /// Counts what was delivered and goes on after the block when nothing is left of it.
  private func settle(_ step: DecodeStep, room: Int) {
    place.decoded &+= UInt64(step.produced)
    if step.outcome == .done || (heldBack == 0 && step.produced < room) {
      if !isLastBlock {
        state = .block
      } else if frame.hasChecksum {
        state = .checksum
      } else {
        endFrame(searchStart: rawBlockStart.map { $0 + 1 })
      }
    } else {
      state = .draining
    }
  }

  private func drain(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    let step = try unsafe context.feed(input.prefix(heldBack), into: output)
    let hasFailed = step.outcome == .damaged || step.outcome == .checksumFailed
    if hasFailed || (step.produced == 0 && step.consumed == 0 && heldBack > 0) {
      return fail(
        "a zstd block cannot be decoded", at: input.offset, searchFrom: blockSearchStart)
    }
    input.advance(step.consumed)
    heldBack -= step.consumed
    settle(step, room: output.count)
    return step.produced > 0 ? .bytes(step.produced) : nil
  }

  private func checkSum() throws -> DecodeEvent? {
    let begin = blockSearchStart
    guard try input.require(4) else {
      return failInside(
        "a zstd frame's checksum", searchFrom: begin, unprovenFrom: place.contentStart)
    }
    let step = try unsafe context.feed(input.prefix(4), into: Self.noRoom)
    input.advance(4)
    let isIntact = step.outcome == .done
    // Where no frame follows, the damage may be that the frame ended earlier.
    endFrame(searchStart: isIntact ? nil : begin)
    if isIntact { return nil }
    return .damage(
      StreamDamage(
        .corrupt, at: input.offset, "the checksum of a zstd frame does not match its content",
        unprovenFrom: place.contentStart))
  }

  /// Passes over a block of a frame that cannot be decoded, down to the frame's end.
  private func passBlock() throws -> DecodeEvent? {
    let checksum = frame.hasChecksum ? 4 : 0
    guard let block = try nextBlock(searchFrom: rescanStart, after: checksum) else { return nil }
    input.advance(block.byteCount + (block.isLast ? checksum : 0))
    if block.isLast { endFrame(searchStart: rescanStart) }
    return nil
  }
}

// MARK: - The next frame after damage
extension ZstdDecoder {
  static func firstMagic(_ bytes: UnsafeRawBufferPointer) -> Int? {
    unsafe bytes.firstWord { ZstdMagic.isFrame($0) || ZstdMagic.isSkippable($0) }
  }

  func accepts() throws -> Bool {
    if ZstdMagic.isSkippable(word) { return try acceptsSkippable() }
    guard try input.require(ZstdFrameHeader.smallestByteCount),
      let size = ZstdFrameHeader.byteCount(descriptor: input[4]),
      try input.require(size + ZstdBlockHeader.byteCount)
    else { return false }
    let header = ZstdFrameHeader(input)
    guard refusal(of: header) == nil, let block = blockHeader(at: size, limit: header.blockLimit),
      try input.require(size + block.byteCount), try begin(header)
    else { return false }
    if try unsafe decode(block, into: Self.noRoom) != nil { return true }
    // The work was done for all of it.
    input.advance(block.byteCount)
    return false
  }

  /// Returns whether a skippable frame begins at the cursor. Its header proves little and its content nothing, so only a
  /// short one counts, with another frame or the end of the file after it; in others the search goes on.
  private func acceptsSkippable() throws -> Bool {
    guard try input.require(8) else { return false }
    let size = input.number(at: 4, count: 4)
    guard size <= FramePlace.rescanLimit else { return false }
    let end = 8 + Int(size)
    guard try input.require(end) else { return false }
    guard try input.require(end + FramePlace.magicByteCount) else { return input.available == end }
    let next = input.number(at: end, count: FramePlace.magicByteCount)
    let word = UInt32(truncatingIfNeeded: next)
    return ZstdMagic.isFrame(word) || ZstdMagic.isSkippable(word)
  }
}
