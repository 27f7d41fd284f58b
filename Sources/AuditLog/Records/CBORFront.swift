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
    let at = tags(bytes)
    return at < bytes.count && bytes[at] >> 5 == 5 && head(bytes, at) != nil
  }

  static func tags(_ bytes: Span<UInt8>) -> Int {
    var at = 0
    while at < bytes.count, bytes[at] >> 5 == 6, bytes[at] & 31 != 31, let size = head(bytes, at) {
      at += size
    }
    return at
  }

  /// Returns the length of the head at a place, or nil if it is not complete.
  static func head(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
    let information = bytes[at] & 31
    let size: Int
    switch information {
    case 0...23, 31: size = 1
    case 24...27: size = 1 + 1 << Int(information - 24)
    default: return nil
    }
    return size <= bytes.count - at ? size : nil
  }
}
