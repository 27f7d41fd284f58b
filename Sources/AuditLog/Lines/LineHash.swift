internal import OpenSSL

/// SHA-256 of a line that comes in pieces, without the carriage return that belongs to its end.
final class LineHash {
  private var stream = SHA256Stream()
  /// Whether a carriage return is not hashed yet: only what follows tells what it belongs to.
  private var holdsReturn = false

  /// Takes the next bytes of the line.
  func take(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe !bytes.isEmpty else { return }
    takeReturn()
    holdsReturn = unsafe bytes[bytes.count - 1] == 0x0D
    unsafe stream.update(UnsafeRawBufferPointer(rebasing: bytes.dropLast(holdsReturn ? 1 : 0)))
  }

  /// Returns the digest, 32 bytes, of a line that a line feed ends, or of one that nothing ends.
  func digest(hasEnd: Bool) -> [UInt8] {
    if !hasEnd { takeReturn() }
    return stream.digest()
  }

  private func takeReturn() {
    guard holdsReturn else { return }
    holdsReturn = false
    unsafe withUnsafeBytes(of: UInt8(0x0D)) { unsafe stream.update($0) }
  }
}
