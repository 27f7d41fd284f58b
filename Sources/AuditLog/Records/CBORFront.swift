/// The beginning of bytes that may be CBOR (RFC 8949, section 3).
enum CBORFront {
  /// Returns whether the bytes begin, behind any tags, with the head of a map.
  @inline(__always)
  static func isMap(_ bytes: Span<UInt8>) -> Bool {
    // The map of a few members that all genuine tokens are.
    if bytes.count > 0, bytes[0] >= 0xA0, bytes[0] <= 0xB7 { return true }
    return isUnusualMap(bytes)
  }

  @inline(never)
  private static func isUnusualMap(_ bytes: Span<UInt8>) -> Bool {
    var at = 0
    while at < bytes.count {
      let information = bytes[at] & 31
      let isOpen = information == 31
      let size: Int
      switch information {
      case 0...23, 31: size = 0
      case 24...27: size = 1 << Int(information - 24)
      default: return false
      }
      guard size < bytes.count - at else { return false }
      switch bytes[at] >> 5 {
      case 5: return true
      case 6 where !isOpen: at += 1 + size
      default: return false
      }
    }
    return false
  }
}
