import AuditLog

/// Binary values as key lists write them, read as logs are.
package enum KeyTexts {
  /// Decodes base64 or base64url, padded or not. Any other text gives nil.
  package static func base64(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      unsafe Base64.decode(digits, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }

  /// Decodes two hex digits a byte. Any other text gives nil.
  package static func hex(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      unsafe HexDigits.decode(digits, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }
}
