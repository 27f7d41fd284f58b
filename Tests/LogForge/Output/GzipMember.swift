internal import CZlib

/// Members of gzip (RFC 1952) without names and times.
package enum GzipMember {
  /// Returns a member, compressed with zlib's level 0 to 9.
  package static func compressed(_ content: [UInt8], level: Int = 6) -> [UInt8] {
    var content = content
    var state = unsafe z_stream()
    return unsafe withUnsafeMutablePointer(to: &state) { stream in
      precondition(unsafe attest_deflate_init(stream, Int32(level)) == Z_OK, "no such level")
      defer { unsafe deflateEnd(stream) }
      let bound = Int(unsafe deflateBound(stream, UInt(content.count)))
      return unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
        let result = unsafe content.withUnsafeMutableBufferPointer { source in
          unsafe stream.pointee.next_in = source.baseAddress
          unsafe stream.pointee.avail_in = UInt32(source.count)
          unsafe stream.pointee.next_out = target.baseAddress
          unsafe stream.pointee.avail_out = UInt32(bound)
          return unsafe deflate(stream, Z_FINISH)
        }
        precondition(result == Z_STREAM_END, "the bound holds every member")
        count = Int(unsafe stream.pointee.total_out)
      }
    }
  }
}
