import AuditLog

/// Decodes texts as a schema's encodings do.
enum ValueDecoder {
  /// The bytes of base64 or base64url, padded or not; nil where the text is none or empty.
  static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    unsafe decode(text) { unsafe Base64.decode($0, into: &$1) }
  }

  /// The bytes of hex digits; nil where the text is none or empty.
  static func hex(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    unsafe decode(text) { unsafe HexDigits.decode($0, into: &$1) }
  }

  /// 32 bytes as hex or base64, as key identifiers and digests are logged.
  static func digest(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    switch text.count {
    case 64: hex(text)
    case 43, 44: base64(text).flatMap { $0.count == 32 ? $0 : nil }
    default: nil
    }
  }

  private static func decode(
    _ text: ArraySlice<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>, inout ByteBuffer) -> Range<Int>?
  ) -> [UInt8]? {
    guard !text.isEmpty else { return nil }
    var buffer = ByteBuffer(capacity: text.count)
    let range = unsafe text.withUnsafeBufferPointer { unsafe body($0, &buffer) }
    return range.map { Array(buffer.storage[$0]) }
  }
}
