internal import CZlib

/// An encoder of gzip members (RFC 1952) without names and times, for one thread at a time.
@safe package final class GzipEncoder {
  /// A closure that takes the next compressed bytes. They are valid during the call only.
  package typealias Write = (Span<UInt8>) throws -> Void

  private static let bufferByteCount = 128 << 10

  // zlib keeps the address, so the stream may not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private let write: Write
  private var isMemberOpen = false
  private var hasWritten = false

  /// Makes an encoder with zlib's compression level, 0 to 9.
  package init(level: Int = 6, write: @escaping Write) throws(CompressionError) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe buffer = .allocate(capacity: Self.bufferByteCount)
    self.write = write
    let result = unsafe attest_deflate_init(stream, Int32(clamping: level))
    if result != Z_OK {
      throw CompressionError(
        result == Z_MEM_ERROR ? .outOfMemory : .library(Int(result)), "zlib cannot deflate")
    }
  }

  deinit {
    _ = unsafe deflateEnd(stream)
    unsafe stream.deallocate()
    unsafe buffer.deallocate()
  }

  /// Appends bytes to the open member, or begins one with them.
  package func write(_ bytes: Span<UInt8>) throws {
    try unsafe bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        isMemberOpen = true
        // zlib counts in 32 bits.
        let end = min(bytes.count, done + (1 << 30))
        try unsafe deflate(UnsafeRawBufferPointer(rebasing: bytes[done..<end]), Z_NO_FLUSH)
        done = end
      }
    }
  }

  /// Ends the open member; where none is open, writes one without content.
  package func endMember() throws {
    try unsafe deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH)
    _ = unsafe deflateReset(stream)
    isMemberOpen = false
  }

  /// Ends the open member and the stream: an empty stream is one member without content.
  package func finish() throws {
    if isMemberOpen || !hasWritten { try endMember() }
  }

  /// Takes all of `source`, with `Z_FINISH` to the end of the member, and hands on what comes out.
  private func deflate(_ source: UnsafeRawBufferPointer, _ flush: Int32) throws {
    let start = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    unsafe stream.pointee.avail_in = UInt32(source.count)
    var result = Z_OK
    var isFull = false
    repeat {
      unsafe stream.pointee.next_out = buffer.baseAddress
      unsafe stream.pointee.avail_out = UInt32(Self.bufferByteCount)
      result = unsafe CZlib.deflate(stream, flush)
      guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
        throw CompressionError(.library(Int(result)), "zlib cannot deflate")
      }
      let count = Self.bufferByteCount - Int(unsafe stream.pointee.avail_out)
      isFull = count == Self.bufferByteCount
      if count > 0 {
        hasWritten = true
        let piece = unsafe UnsafeBufferPointer(rebasing: buffer[..<count])
        try write(unsafe Span(_unsafeElements: piece))
      }
    } while isFull && result != Z_STREAM_END
    if flush == Z_FINISH && result != Z_STREAM_END {
      throw CompressionError(.library(Int(result)), "zlib did not end a gzip member")
    }
  }
}
