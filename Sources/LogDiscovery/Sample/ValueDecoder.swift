import AuditLog

/// A decoder of texts with a schema's encodings.
enum ValueDecoder {
  /// Returns the bytes of base64 or base64url, padded or not, or nil if the text is empty or not in
  /// that form.
  static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    unsafe decode(text) { unsafe Base64.decode($0, into: &$1) }
  }

  /// Returns the bytes of hex digits, or nil if the text is empty or not in that form.
  static func hex(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    unsafe decode(text) { unsafe HexDigits.decode($0, into: &$1) }
  }

  /// Returns 32 bytes from hex or base64, in which key identifiers and digests are logged.
  static func digest(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    switch text.count {
    case 64: hex(text)
    case 43, 44: base64(text).flatMap { $0.count == 32 ? $0 : nil }
    default: nil
    }
  }

  /// Returns the string that a wrapped string stands for, or nil if it is not wrapped so.
  static func unwrap(_ text: ArraySlice<UInt8>, _ form: SchemaWrapping.Form) -> ArraySlice<UInt8>? {
    if text.isEmpty { return text }
    switch form {
    case .base64: return base64(text).map { $0[...] }
    case .percent: return percent(text)
    case .json:
      guard let nodes = JSONDocument().read(text), nodes[0].kind == .string else { return nil }
      return nodes[0].text
    }
  }

  /// Returns a text without its percent encoding, or nil if two hex digits do not follow a percent
  /// sign.
  private static func percent(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var plain: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        plain.append(byte)
        continue
      }
      guard let decoded = hex(rest.prefix(2)), decoded.count == 1 else { return nil }
      plain += decoded
      rest = rest.dropFirst(2)
    }
    return plain[...]
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
