// How the blocks of a frame and its checksum are decoded.
extension ZstdDecoder {
  /// The offset at which the search begins when the block at the cursor is damaged.
  private var blockSearchStart: UInt64 { rawBlockStart.map { $0 + 1 } ?? input.offset }

  func decodeBlock(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    guard let frame else {
      throw CompressionError(.library(0), "no zstd frame is open where a block was expected")
    }
    let start = input.offset
    guard try input.require(ZstdBlockHeader.byteCount) else {
      failTruncated("the file ends inside a zstd frame", searchFrom: blockSearchStart)
      return nil
    }
    guard let block = nextBlock(limit: frame.blockLimit) else {
      let detail = "the header of a zstd block is not valid"
      fail(StreamDamage(.corrupt, at: start, detail), searchFrom: blockSearchStart)
      return nil
    }
    guard try input.require(block.blockByteCount) else {
      failTruncated("the file ends inside a zstd block", searchFrom: blockSearchStart)
      return nil
    }
    if block.isLast, block.contentByteCount == 0, let size = frame.contentSize,
      size != decoded &- contentStart
    {
      // libzstd examines the size after every last block but an empty one.
      let detail =
        "the zstd frame ends after \(decoded &- contentStart) bytes, and its header says \(size)"
      fail(StreamDamage(.corrupt, at: start, detail), searchFrom: blockSearchStart)
      return nil
    }
    guard let count = try unsafe decode(block, into: output) else {
      let detail = "a zstd block cannot be decoded"
      fail(StreamDamage(.corrupt, at: start, detail), searchFrom: blockSearchStart)
      return nil
    }
    return count > 0 ? .bytes(count) : nil
  }

  /// Returns the valid block header at the cursor, where three bytes are available.
  func nextBlock(limit: Int) -> ZstdBlockHeader? {
    ZstdBlockHeader(input.number(at: 0, count: ZstdBlockHeader.byteCount), limit: limit)
  }

  /// Decodes the block at the cursor, all of which is available, and returns the number of bytes
  /// written, or nil if it is damaged.
  func decode(
    _ block: ZstdBlockHeader, into output: UnsafeMutableRawBufferPointer
  ) throws -> Int? {
    let size = block.blockByteCount
    let step = try unsafe context.feed(input.prefix(size), into: output)
    guard step.outcome == .more || step.outcome == .frameDone, size - step.consumed <= 1 else {
      return nil
    }
    rawBlockStart = block.isRaw ? input.offset : nil
    input.advance(step.consumed)
    heldBack = size - step.consumed
    lastBlock = block.isLast
    settle(step, room: output.count)
    return step.produced
  }

  /// Counts what was delivered and goes on after the block when nothing is left of it.
  private func settle(_ step: ZstdContext.Step, room: Int) {
    decoded &+= UInt64(step.produced)
    if step.outcome == .frameDone || (heldBack == 0 && step.produced < room) {
      if !lastBlock {
        state = .block
      } else if frame?.hasChecksum == true {
        state = .checksum
      } else {
        endFrame(searchStart: rawBlockStart.map { $0 + 1 })
      }
    } else {
      state = .draining
    }
  }

  func drain(into output: UnsafeMutableRawBufferPointer) throws -> DecodeEvent? {
    let step = try unsafe context.feed(input.prefix(heldBack), into: output)
    let hasFailed = step.outcome == .damaged || step.outcome == .checksumFailed
    if hasFailed || (step.produced == 0 && step.consumed == 0 && heldBack > 0) {
      let detail = "a zstd block cannot be decoded"
      fail(StreamDamage(.corrupt, at: input.offset, detail), searchFrom: blockSearchStart)
      return nil
    }
    input.advance(step.consumed)
    heldBack -= step.consumed
    settle(step, room: output.count)
    return step.produced > 0 ? .bytes(step.produced) : nil
  }

  func checkSum() throws -> DecodeEvent? {
    guard try input.require(4) else {
      failTruncated(
        "the file ends inside a zstd frame's checksum", searchFrom: blockSearchStart,
        unprovenFrom: contentStart)
      return nil
    }
    let begin = blockSearchStart
    let none = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    let step = try unsafe context.feed(input.prefix(4), into: none)
    input.advance(4)
    guard step.outcome != .frameDone else {
      endFrame(searchStart: nil)
      return nil
    }
    // Where no frame follows, the damage may be that the frame ended earlier.
    endFrame(searchStart: begin)
    let detail = "the checksum of a zstd frame does not match its content"
    return .damage(
      StreamDamage(.corrupt, at: input.offset, detail, unprovenFrom: contentStart))
  }

  private func endFrame(searchStart start: UInt64?) {
    frame = nil
    searchStart = start
    state = .boundary
  }

  /// Passes over a block of a frame that cannot be decoded, down to the frame's end.
  func passBlock() throws -> DecodeEvent? {
    guard let frame else {
      throw CompressionError(.library(0), "no zstd frame is open where a block was expected")
    }
    guard try input.require(ZstdBlockHeader.byteCount) else {
      failTruncated("the file ends inside a zstd frame", searchFrom: rescanStart)
      return nil
    }
    guard let block = nextBlock(limit: frame.blockLimit) else {
      let detail = "the header of a zstd block is not valid"
      fail(StreamDamage(.corrupt, at: input.offset, detail), searchFrom: rescanStart)
      return nil
    }
    let size = block.blockByteCount + (block.isLast && frame.hasChecksum ? 4 : 0)
    guard try input.require(size) else {
      failTruncated("the file ends inside a zstd block", searchFrom: rescanStart)
      return nil
    }
    input.advance(size)
    if block.isLast { endFrame(searchStart: rescanStart) }
    return nil
  }
}
