internal import CZstd

/// A packer of pieces into zstd frames (RFC 8878) of their own, for one thread at a time.
// One thread at a time holds it, as said above.
@safe package final class ZstdPacker: @unchecked Sendable {
  private let context: OpaquePointer
  private var room: [UInt8] = []

  /// The fastest search that finds the row before: a table that fits the first cache, long matches.
  private static let parameters: [(ZSTD_cParameter, Int32)] = [
    (ZSTD_c_checksumFlag, 1), (ZSTD_c_strategy, Int32(ZSTD_fast.rawValue)), (ZSTD_c_windowLog, 17),
    (ZSTD_c_hashLog, 12), (ZSTD_c_minMatch, 7), (ZSTD_c_targetLength, 24),
  ]

  package init() throws(CompressionError) {
    guard let context = unsafe ZSTD_createCCtx() else { throw ZstdEncoder.outOfMemory }
    unsafe self.context = context
    for (parameter, value) in Self.parameters {
      _ = unsafe ZSTD_CCtx_setParameter(context, parameter, value)
    }
  }

  deinit {
    _ = unsafe ZSTD_freeCCtx(context)
  }

  /// Makes `frame` the frame of a piece, in the memory that it has.
  package func pack(_ bytes: Span<UInt8>, into frame: inout [UInt8]) throws(CompressionError) {
    let bound = ZSTD_compressBound(bytes.count)
    if room.count < bound { room = [UInt8](repeating: 0, count: bound) }
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe room.withUnsafeMutableBytes { room in
        unsafe ZSTD_compress2(
          context, room.baseAddress, room.count, bytes.baseAddress, bytes.count)
      }
    }
    if ZSTD_isError(result) != 0 {
      throw ZstdEncoder.error(result, "libzstd cannot compress")
    }
    frame.removeAll(keepingCapacity: true)
    frame.append(contentsOf: room[..<result])
  }
}
