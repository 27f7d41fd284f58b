internal import CZstd

/// An encoder of zstd frames (RFC 8878), the same for the same input, for one thread at a time.
@safe package final class ZstdEncoder {
  /// A closure that takes the next compressed bytes. They are valid during the call only.
  package typealias Write = (Span<UInt8>) throws -> Void

  private let context: OpaquePointer
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private let write: Write
  private var isFrameOpen = false
  private var hasWritten = false

  /// Makes an encoder with a checksum of each frame's content and a window of 2^`windowLog` bytes.
  package init(
    level: Int = 3, checksum: Bool = true, windowLog: Int? = nil, write: @escaping Write
  ) throws(CompressionError) {
    guard let context = unsafe ZSTD_createCCtx() else { throw Self.outOfMemory }
    unsafe self.context = context
    unsafe buffer = .allocate(capacity: ZSTD_CStreamOutSize())
    self.write = write
    try set(ZSTD_c_compressionLevel, Int32(clamping: level))
    try set(ZSTD_c_checksumFlag, checksum ? 1 : 0)
    if let windowLog { try set(ZSTD_c_windowLog, Int32(clamping: windowLog)) }
  }

  deinit {
    _ = unsafe ZSTD_freeCCtx(context)
    unsafe buffer.deallocate()
  }

  /// Appends bytes to the open frame, or begins one with them.
  package func write(_ bytes: Span<UInt8>) throws {
    guard !bytes.isEmpty else { return }
    isFrameOpen = true
    try unsafe bytes.withUnsafeBytes { bytes in
      var source = unsafe ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
      while unsafe source.pos < source.size {
        _ = try unsafe compress(&source, ZSTD_e_continue)
      }
    }
  }

  /// Ends the open frame; where none is open, writes one without content.
  package func endFrame() throws {
    var source = unsafe ZSTD_inBuffer(src: nil, size: 0, pos: 0)
    while try unsafe compress(&source, ZSTD_e_end) != 0 {}
    isFrameOpen = false
  }

  /// Ends the open frame and the stream: an empty stream is one frame without content.
  package func finish() throws {
    if isFrameOpen || !hasWritten { try endFrame() }
  }

  private func set(_ parameter: ZSTD_cParameter, _ value: Int32) throws(CompressionError) {
    let result = unsafe ZSTD_CCtx_setParameter(context, parameter, value)
    if ZSTD_isError(result) != 0 { throw Self.error(result, "libzstd refuses a setting") }
  }

  /// Compresses once, hands on what came out, and returns the bytes still to be flushed.
  private func compress(
    _ source: inout ZSTD_inBuffer, _ directive: ZSTD_EndDirective
  ) throws -> Int {
    var target = unsafe ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
    let left = unsafe ZSTD_compressStream2(context, &target, &source, directive)
    if ZSTD_isError(left) != 0 { throw Self.error(left, "libzstd cannot compress") }
    let count = unsafe target.pos
    let piece = unsafe UnsafeBufferPointer(rebasing: buffer[..<count])
    try emit(unsafe Span(_unsafeElements: piece))
    return left
  }

  private func emit(_ bytes: Span<UInt8>) throws {
    guard !bytes.isEmpty else { return }
    hasWritten = true
    try write(bytes)
  }

  static var outOfMemory: CompressionError {
    CompressionError(.outOfMemory, "no memory for a zstd compression context")
  }

  static func error(_ result: Int, _ context: String) -> CompressionError {
    let code = ZSTD_getErrorCode(result)
    return code == ZSTD_error_memory_allocation
      ? CompressionError(.outOfMemory, "no memory to compress with zstd")
      : CompressionError(.library(Int(code.rawValue)), context)
  }
}
