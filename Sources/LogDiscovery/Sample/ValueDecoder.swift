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

  /// The marks that programs write before hex digits.
  private static let hexMarks = ["0x", "0X", "\\x", "\\\\x"].map { Array($0.utf8) }

  /// Returns the bytes of hex digits after a mark, of an array of numbers, or of Node's object for a
  /// buffer, as an audit reads them in any field of bytes (`records.R82`). Returns nil for other values.
  static func marked(_ value: SampleValue) -> [UInt8]? {
    switch value.kind {
    case .string:
      return hexMarks.first { value.text.starts(with: $0) }
        .flatMap { hex(value.text.dropFirst($0.count)) }
    case .array: return array(value.raw)
    case .object:
      let isBuffer = value.raw.prefix(64).firstRange(of: Array("\"Buffer\"".utf8)) != nil
      return isBuffer
        ? value.raw.firstIndex(of: UInt8(ascii: "[")).flatMap { array(value.raw[$0...]) } : nil
    case .number, .boolean, .null: return nil
    }
  }

  /// Returns the bytes of an array of numbers from 0 to 255.
  private static func array(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var number: Int?
    for byte in text.dropFirst() {
      switch byte {
      case 0x30...0x39:
        number = (number ?? 0) * 10 + Int(byte - 0x30)
        guard let number, number <= UInt8.max else { return nil }
      case UInt8(ascii: ","), UInt8(ascii: "]"):
        guard let value = number else { return nil }
        bytes.append(UInt8(value))
        number = nil
        if byte == UInt8(ascii: "]") { return bytes }
      case 0x20, 0x09: continue
      default: return nil
      }
    }
    return nil
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
