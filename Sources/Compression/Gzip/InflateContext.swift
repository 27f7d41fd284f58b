internal import CZlib

/// zlib's raw inflate (RFC 1951).
@safe struct InflateContext: ~Copyable {
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

  func reset() { _ = unsafe inflateReset(stream) }

  /// Inflates as much of `source` as there is room for in `output`.
  func inflate(
    _ source: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(CompressionError) -> DecodeStep {
    let sourceCount = UInt32(clamping: source.count)
    let outputCount = UInt32(clamping: output.count)
    let input = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input)
    unsafe stream.pointee.avail_in = sourceCount
    unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = outputCount
    let result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
    var step = unsafe DecodeStep(
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
package enum CRC32 {
  /// Returns the sum over what `sum` stands for, followed by `bytes`.
  package static func update(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    // No address would mean that the sum begins again.
    guard let start = unsafe start else { return sum }
    return UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(sum), start, bytes.count))
  }
}
