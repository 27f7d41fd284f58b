internal import CZstd

/// libzstd's streaming decompression context, fed one slice of a frame at a time.
@safe struct ZstdContext: ~Copyable {
  private let context: OpaquePointer

  /// Makes a context that takes windows of up to `windowLimit` bytes, rounded up to a power of two.
  init(windowLimit: UInt64) throws(CompressionError) {
    guard let context = unsafe ZSTD_createDCtx() else {
      throw CompressionError(.outOfMemory, "no memory for a zstd decompression context")
    }
    let log = max(10, min(31, windowLimit <= 1 ? 0 : 64 - (windowLimit - 1).leadingZeroBitCount))
    let result = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Int32(log))
    guard ZSTD_isError(result) == 0 else {
      _ = unsafe ZSTD_freeDCtx(context)
      throw CompressionError(
        .library(Int(ZSTD_getErrorCode(result).rawValue)), "libzstd refuses a window of 2^\(log)")
    }
    unsafe self.context = context
  }

  deinit { _ = unsafe ZSTD_freeDCtx(context) }

  func reset() {
    _ = unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
  }

  /// Decodes a slice that ends where libzstd expects it. An output without room only validates, and
  /// later calls fetch the bytes. The last byte may be held back until then.
  func feed(
    _ slice: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> DecodeStep {
    var source = unsafe ZSTD_inBuffer(src: slice.baseAddress, size: slice.count, pos: 0)
    var target = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = unsafe ZSTD_decompressStream(context, &target, &source)
    var step = unsafe DecodeStep(outcome: .more, consumed: source.pos, produced: target.pos)
    if ZSTD_isError(result) != 0 {
      switch ZSTD_getErrorCode(result) {
      case ZSTD_error_memory_allocation:
        throw CompressionError(.outOfMemory, "no memory for the window of a zstd frame")
      case ZSTD_error_checksum_wrong: step.outcome = .checksumFailed
      default: step.outcome = .damaged
      }
    } else if result == 0 {
      step.outcome = .done
    }
    return step
  }
}
