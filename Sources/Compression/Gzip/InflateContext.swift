internal import CDeflate
internal import CZlib

/// zlib's raw inflate (RFC 1951).
@safe struct InflateContext: ~Copyable {
  /// What became of some input.
  struct Step {
    enum Outcome {
      /// The member goes on: more input or more room is needed.
      case more
      /// The last block is complete.
      case done
      case damaged
    }
    var outcome: Outcome
    var consumed: Int
    var produced: Int
    /// Where it ended between two blocks, or behind the last: the bits of the last byte consumed that
    /// belong to what follows; of ``inflateBlock(_:into:)`` only.
    var unusedBits: Int?
    /// Whether the last block has begun.
    var isInLast = false
  }

  // zlib keeps the address, so the stream may not move.
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(CompressionError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe attest_inflate_init(stream)
    guard result == Z_OK else {
      unsafe stream.deallocate()
      throw CompressionError(
        result == Z_MEM_ERROR ? .outOfMemory : .library(Int(result)), "zlib cannot inflate")
    }
    unsafe self.stream = stream
  }

  deinit {
    _ = unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Begins another member.
  func reset() { _ = unsafe inflateReset(stream) }

  /// Goes on with a member at a block that does not begin with a byte: `bits` bits of `first`, the
  /// upper ones, belong to it. `history` are the last bytes of output, at most 32 KiB.
  func resume(behind history: UnsafeRawBufferPointer, bits: Int, of first: UInt8) {
    reset()
    if let start = history.baseAddress, history.count > 0 {
      _ = unsafe inflateSetDictionary(
        stream, start.assumingMemoryBound(to: UInt8.self), UInt32(history.count))
    }
    if bits > 0 {
      _ = unsafe inflatePrime(stream, Int32(bits), Int32(first) >> Int32(8 - bits))
    }
  }

  /// Inflates as much of `source` as there is room for in `output`.
  func inflate(
    _ source: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> Step {
    try unsafe inflate(source, into: output, Z_NO_FLUSH)
  }

  /// The same, and no further than to the end of the block at hand.
  func inflateBlock(
    _ source: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> Step {
    var step = try unsafe inflate(source, into: output, Z_BLOCK)
    // Of zlib's `data_type`: the unused bits, 64 in the last block, 128 at a block's end.
    let place = unsafe Int(stream.pointee.data_type)
    step.isInLast = place & 64 != 0
    if step.outcome == .more, place & 128 != 0 { step.unusedBits = place & 63 }
    return step
  }

  private func inflate(
    _ source: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ flush: Int32
  ) throws(CompressionError) -> Step {
    let sourceCount = UInt32(clamping: source.count)
    let outputCount = UInt32(clamping: output.count)
    let input = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input)
    unsafe stream.pointee.avail_in = sourceCount
    unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = outputCount
    let result = unsafe CZlib.inflate(stream, flush)
    var step = unsafe Step(
      outcome: .more, consumed: Int(sourceCount - stream.pointee.avail_in),
      produced: Int(outputCount - stream.pointee.avail_out))
    switch result {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: step.outcome = .done
    case Z_MEM_ERROR: throw CompressionError(.outOfMemory, "no memory to inflate a gzip member")
    case Z_STREAM_ERROR: throw CompressionError(.library(Int(result)), "zlib lost its state")
    default: step.outcome = .damaged
    }
    return step
  }
}

/// CRC-32 as gzip uses it (RFC 1952 8).
enum CRC32 {
  /// The sum over what `sum` stands for, followed by `bytes`.
  static func update(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    // No address would mean that the sum begins anew.
    guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
      return sum
    }
    var sum = sum
    var done = bytes.count & ~15
    if done < leastQuickBytes || (unsafe attest_crc32_quick(&sum, start, done)) == 0 { done = 0 }
    if done == bytes.count { return sum }
    return UInt32(
      truncatingIfNeeded: unsafe crc32_z(UInt(sum), start + done, bytes.count - done))
  }

  /// Fewer bytes than these are zlib's.
  private static let leastQuickBytes = 64
}
