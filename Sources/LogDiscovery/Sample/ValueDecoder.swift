import AuditLog

extension UInt8 {
  /// Whether the byte is a letter or a digit of ASCII.
  var isLetterOrDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x7A).contains(self | 0x20) }
}

/// A decoder of texts with a schema's encodings.
enum ValueDecoder {
  /// Returns the bytes of base64 or base64url, padded or not, or nil.
  static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    unsafe decode(text) { unsafe Base64.decode($0, into: &$1) }
  }

  /// Returns the bytes of hex digits, or nil if the text is empty or not in that form.
  static func hex(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    unsafe decode(text) { unsafe HexDigits.decode($0, into: &$1) }
  }

  /// Returns the bytes of a string or array as an audit reads them at a field of bytes, in base64, in hex or as numbers,
  /// also as lenient servers do (`records.R34`, `records.R82`), or nil. Other text than such bytes is another value.
  static func bytes(_ value: SampleValue, _ field: LogField) -> [UInt8]? {
    switch value.kind {
    case .string:
      let others = Array("+/-_=%\"'\\ \t\r\n".utf8)
      let padding = value.text.drop { $0 != UInt8(ascii: "=") }
      return value.text.count >= 16 && !padding.contains(where: \.isLetterOrDigit)
        && value.text.allSatisfy { $0.isLetterOrDigit || others.contains($0) }
        ? field.bytes(of: value.text) : nil
    case .array, .object: return field.bytes(of: value.raw, isArray: true)
    case .number, .boolean, .null: return nil
    }
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
    case .percent: return isPercentEncoded(text) ? PercentCode.decoded(Array(text).span)[...] : nil
    case .json:
      guard let nodes = JSONDocument().read(text), nodes[0].kind == .string else { return nil }
      return nodes[0].text
    }
  }

  /// Returns whether two hex digits follow each percent sign.
  static func isPercentEncoded(_ text: ArraySlice<UInt8>) -> Bool {
    text.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
      .allSatisfy { hex($0.prefix(2))?.count == 1 }
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
