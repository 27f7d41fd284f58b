// How the next member is found again after damage.
extension GzipDecoder {
  /// A candidate that gives this much, in bytes, is a member.
  static let trialOutput = 4 << 10
  /// The most bytes of deflate data that a trial takes.
  private static let trialInput = 32 << 10
  /// The longest header of a candidate, in bytes: names and an extra field of usual size.
  private static let trialHeader: UInt64 = 64 << 10
  /// A candidate that ends before ``trialOutput`` counts without a matching trailer from here on.
  private static let provenOutput = 256
  private static let magicByteCount = 4

  /// Looks for the next member from the cursor on, then reports the damage.
  func search(after damage: StreamDamage) throws -> DecodeEvent? {
    while try findMagic() {
      let candidate = input.offset
      if try accepts() {
        input.seek(to: candidate)
        state = .boundary
        return .damage(Self.settled(damage, foundAt: candidate))
      }
      budget -= Int(clamping: input.offset - candidate)
      if budget >= 0 || input.offset == candidate { input.seek(to: candidate + 1) }
    }
    input.advance(input.available)
    state = .ended
    return .damage(damage)
  }

  /// Returns the damage, now that another member was found after it: the file does not end there.
  private static func settled(_ damage: StreamDamage, foundAt candidate: UInt64) -> StreamDamage {
    guard damage.kind == .truncated else { return damage }
    return StreamDamage(
      .corrupt, at: candidate, "a gzip member is damaged, and another begins before its end")
  }

  /// Moves the cursor to the next magic number with the method deflate and no reserved flag.
  ///
  /// - Returns: False if there is no such number before the end.
  private func findMagic() throws -> Bool {
    while try input.require(Self.magicByteCount) {
      if let index = unsafe Self.firstMagic(input.bytes) {
        input.advance(index)
        return true
      }
      input.advance(input.available - (Self.magicByteCount - 1))
    }
    return false
  }

  private static func firstMagic(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let magic =
      UInt32(GzipMagic.first) | UInt32(GzipMagic.second) << 8 | UInt32(GzipMagic.deflate) << 16
    var index = 0
    while index <= bytes.count - magicByteCount {
      let word = unsafe UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
      if word & 0xE0FF_FFFF == magic { return index }
      index += 1
    }
    return nil
  }

  /// Returns whether a member begins at the cursor, told by its header and by inflating its
  /// beginning; three bytes of magic alone appear by chance in deflate data.
  private func accepts() throws -> Bool {
    guard try GzipHeader.read(input, limit: Self.trialHeader) == .valid else { return false }
    inflater.reset()
    var produced = 0
    var consumed = 0
    var checksum: UInt32 = 0
    defer { budget -= produced }
    while true {
      let source = unsafe input.prefix(min(input.available, Self.trialInput - consumed))
      let step = try unsafe scratch.withUnsafeMutableBytes { scratch in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[produced...])
        let step = try unsafe inflater.inflate(source, into: room)
        let piece = unsafe UnsafeRawBufferPointer(rebasing: room[..<step.produced])
        checksum = unsafe CRC32.update(checksum, piece)
        return step
      }
      input.advance(step.consumed)
      produced += step.produced
      consumed += step.consumed
      if produced >= Self.trialOutput { return true }
      switch step.outcome {
      case .damaged: return false
      case .done: return try acceptsEnd(checksum: checksum, size: produced)
      case .more:
        if consumed >= Self.trialInput { return produced > 0 }
        if step.consumed == 0, input.available > 0 { return false }
        if try !input.require(1) { return produced > 0 }
      }
    }
  }

  /// Returns whether the candidate that ends at the cursor after few bytes is a member.
  private func acceptsEnd(checksum: UInt32, size: Int) throws -> Bool {
    guard try input.require(Self.trailerByteCount) else { return size > 0 }
    return trailerMatches(checksum: checksum, size: UInt32(truncatingIfNeeded: size))
      || size >= Self.provenOutput
  }
}
