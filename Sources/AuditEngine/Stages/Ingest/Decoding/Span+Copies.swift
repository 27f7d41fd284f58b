internal import Glibc

extension Span where Element == UInt8 {
  /// The bytes in an array of their own.
  var copied: [UInt8] {
    unsafe withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Whether U+FFFD is among these bytes in UTF-8: the mark of bytes that a logger could not keep.
  var containsReplacementCharacter: Bool {
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      var at = 0
      while at + 3 <= bytes.count, let found = unsafe memchr(base + at, 0xEF, bytes.count - at - 2)
      {
        at = unsafe base.distance(to: UnsafeRawPointer(found))
        if unsafe bytes[at + 1] == 0xBF, unsafe bytes[at + 2] == 0xBD { return true }
        at += 1
      }
      return false
    }
  }

  /// The text whose UTF-8 this is.
  var text: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
