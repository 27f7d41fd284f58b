import AuditLog

/// Binary values as key lists write them, read as logs are.
package enum KeyTexts {
  /// Base64 or base64url, padded or not; nil where the text is neither.
  package static func base64(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      unsafe Base64.decode(digits, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }

  /// Two hex digits a byte; nil for anything else.
  package static func hex(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      unsafe HexDigits.decode(digits, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }
}
