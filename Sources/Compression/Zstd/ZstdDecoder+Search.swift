// How the next frame is found again after damage.
extension ZstdDecoder {
  /// Looks for the next frame from the cursor on, then reports the damage.
  func search(after damage: StreamDamage) throws -> DecodeEvent? {
    while try findMagic() {
      let candidate = input.offset
      if try accepts() { return .damage(settled(damage)) }
      frame = nil
      state = .searching(damage)
      let tried = input.offset - candidate
      budget -= Int(clamping: tried)
      if budget >= 0 || tried == 0 { input.seek(to: candidate + 1) }
    }
    input.advance(input.available)
    state = .ended
    return .damage(damage)
  }

  /// Moves the cursor to the next magic number.
  ///
  /// - Returns: False if there is no such number before the end.
  private func findMagic() throws -> Bool {
    while try input.require(ZstdMagic.byteCount) {
      if let index = unsafe Self.firstMagic(input.bytes) {
        input.advance(index)
        return true
      }
      input.advance(input.available - (ZstdMagic.byteCount - 1))
    }
    return false
  }

  private static func firstMagic(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var index = 0
    while index <= bytes.count - ZstdMagic.byteCount {
      let word = unsafe UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
      if ZstdMagic.isFrame(word) || ZstdMagic.isSkippable(word) { return index }
      index += 1
    }
    return nil
  }

  /// Returns whether a frame begins at the cursor, told by its header and by decoding its first
  /// block; the frame is open then.
  private func accepts() throws -> Bool {
    let word = UInt32(truncatingIfNeeded: input.number(at: 0, count: ZstdMagic.byteCount))
    if ZstdMagic.isSkippable(word) { return try acceptsSkippable() }
    guard try input.require(ZstdFrameHeader.smallestByteCount),
      let size = ZstdFrameHeader.byteCount(descriptor: input[4]),
      try input.require(size + ZstdBlockHeader.byteCount)
    else { return false }
    let header = ZstdFrameHeader(input)
    let word3 = input.number(at: size, count: ZstdBlockHeader.byteCount)
    guard refusal(of: header) == nil,
      let block = ZstdBlockHeader(word3, limit: header.blockLimit),
      try input.require(size + block.blockByteCount)
    else { return false }
    frameStart = input.offset
    let none = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    guard try begin(header) else { return false }
    if try unsafe decode(block, into: none) != nil { return true }
    // The work was done for all of it.
    input.advance(block.blockByteCount)
    return false
  }

  /// Returns whether a skippable frame begins at the cursor. Its header proves little and its
  /// content nothing, so only a short one counts, with another frame or the end of the file behind
  /// it; in others the search goes on. The cursor is after it then.
  private func acceptsSkippable() throws -> Bool {
    guard try input.require(8) else { return false }
    let size = input.number(at: 4, count: 4)
    guard size <= Self.rescanLimit else { return false }
    let end = 8 + Int(size)
    guard try input.require(end) else { return false }
    if try input.require(end + ZstdMagic.byteCount) {
      let word = UInt32(truncatingIfNeeded: input.number(at: end, count: ZstdMagic.byteCount))
      guard ZstdMagic.isFrame(word) || ZstdMagic.isSkippable(word) else { return false }
    } else if input.available > end {
      return false
    }
    frameStart = input.offset
    input.advance(end)
    searchStart = frameStart + 1
    state = .boundary
    return true
  }

  /// Returns the damage, now that another frame was found after it: the file does not end there.
  private func settled(_ damage: StreamDamage) -> StreamDamage {
    guard damage.kind == .truncated else { return damage }
    return StreamDamage(
      .corrupt, at: damageStart, "a zstd frame is damaged, and another begins before its end")
  }
}
