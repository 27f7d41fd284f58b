internal import Files
internal import OpenSSL

/// The first bytes of a file as they lie in it, compressed or not: what tells a damaged file of which no line was
/// left. Damage may have hit them too.
struct FileFront: Equatable {
  /// The most bytes that are looked at.
  static let limit = 1 << 16
  /// Bytes of a piece, which has a digest of its own. The last one may be shorter.
  private static let pieceBytes = 64

  /// The number of bytes.
  let byteCount: Int
  /// The first 8 bytes of the SHA-256 of each piece, read big-endian.
  let digests: [UInt64]

  /// Takes the first bytes of a file, at most ``limit``.
  init(_ bytes: [UInt8]) {
    let bytes = bytes.prefix(Self.limit)
    byteCount = bytes.count
    digests = stride(from: 0, to: bytes.count, by: Self.pieceBytes).map { start in
      var hash = SHA256Stream()
      let piece = Array(bytes[start...].prefix(Self.pieceBytes))
      unsafe piece.withUnsafeBytes { unsafe hash.update($0) }
      return HeadDigests.mark(hash.digest())
    }
  }

  /// Makes what a ledger kept, or nil if it is none.
  init?(byteCount: UInt64, digests: [UInt64]) {
    guard byteCount > 0, byteCount <= UInt64(Self.limit),
      digests.count == (Int(byteCount) + Self.pieceBytes - 1) / Self.pieceBytes
    else { return nil }
    self.byteCount = Int(byteCount)
    self.digests = digests
  }

  /// Reads the first bytes of a file, as far as it can be read.
  static func bytes(of path: String) -> [UInt8] {
    guard let file = RawInput(path: path) else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      while count < limit {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
        let more = unsafe file.read(into: UnsafeMutableRawBufferPointer(rest))
        guard more > 0 else { return }
        count += more
      }
    }
  }

  /// Returns whether a file is the whole of this one: most of its pieces are where they were.
  ///
  /// - Parameter isHere: Whether both were read from one path or file. Elsewhere a few bytes, which any two
  ///   files may begin with, tell nothing.
  func isFront(of file: [UInt8], isHere: Bool) -> Bool {
    guard byteCount > 0, file.count >= byteCount, isHere || byteCount > Self.pieceBytes else {
      return false
    }
    let other = FileFront(Array(file.prefix(byteCount)))
    let same = zip(digests, other.digests).count { $0 == $1 }
    return same * 2 > digests.count
  }
}
