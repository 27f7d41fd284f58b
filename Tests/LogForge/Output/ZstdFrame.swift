internal import Compression

/// Frames of zstd (RFC 8878).
package enum ZstdFrame {
  /// Returns a frame.
  package static func compressed(
    _ content: [UInt8], level: Int = 3, checksum: Bool = true, windowLog: Int? = nil
  ) -> [UInt8] {
    var frame: [UInt8] = []
    do {
      let encoder = try ZstdEncoder(level: level, checksum: checksum, windowLog: windowLog) {
        for index in $0.indices { frame.append($0[index]) }
      }
      try encoder.write(content.span)
      try encoder.finish()
    } catch {
      preconditionFailure("\(error)")
    }
    return frame
  }
}
