import AuditLog

/// Binary values in the forms of key lists. They are read in the same way as logs.
package enum KeyTexts {
  /// Decodes base64 or base64url, padded or not. Returns nil for any other text.
  package static func base64(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      unsafe Base64.decode(digits, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }

  /// Decodes two hex digits for each byte. Returns nil for any other text.
  package static func hex(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      unsafe HexDigits.decode(digits, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }
}
