internal import CISAL

/// ISA-L's raw inflate (RFC 1951), two to three times as fast as zlib's. It does not tell where exactly
/// damage lies, and takes some damaged headers of blocks for whole: ``GzipDecoder`` leaves both to zlib.
@safe struct FastInflateContext: ~Copyable {
  private let context: OpaquePointer

  init() throws(CompressionError) {
    guard let made = unsafe attest_inflate_new() else {
      throw CompressionError(.outOfMemory, "no memory to inflate a gzip member")
    }
    unsafe context = made
  }

  deinit { unsafe attest_inflate_free(context) }

  /// Begins another member.
  func reset() { unsafe attest_inflate_reset(context) }

  /// Inflates as much of `source` as there is room for in `output`. Where the member ends, fewer bytes
  /// may be consumed than none: the last ones of the call before belong to what follows it.
  func inflate(
    _ source: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> InflateContext.Step {
    let step = unsafe attest_inflate_some(
      context, source.baseAddress?.assumingMemoryBound(to: UInt8.self),
      UInt32(clamping: source.count), output.baseAddress?.assumingMemoryBound(to: UInt8.self),
      UInt32(clamping: output.count))
    let outcome: InflateContext.Step.Outcome =
      switch Int(step.outcome) {
      case ATTEST_INFLATE_MORE: .more
      case ATTEST_INFLATE_DONE: .done
      default: .damaged
      }
    return InflateContext.Step(
      outcome: outcome, consumed: Int(step.consumed), produced: Int(step.produced))
  }
}

/// CRC-32 as gzip uses it (RFC 1952 8).
enum CRC32 {
  /// Returns the sum over what `sum` stands for, followed by `bytes`.
  static func update(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    guard let start = unsafe bytes.baseAddress, !bytes.isEmpty else { return sum }
    return unsafe attest_crc32(sum, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }
}
