/// The last text that was made of bytes: most records of a log name the same app, and it need not be
/// made anew for each.
struct TextCache {
  private var bytes: [UInt8] = []
  private var text = ""

  /// The text that `span` holds.
  mutating func string(_ span: Span<UInt8>) -> String {
    if !isSame(span) {
      bytes = span.copied
      text = String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  private func isSame(_ span: Span<UInt8>) -> Bool {
    guard span.count == bytes.count else { return false }
    for index in span.indices where span[index] != bytes[index] { return false }
    return true
  }
}

extension Span where Element == UInt8 {
  /// The bytes in an array of their own.
  var copied: [UInt8] {
    unsafe withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// The text whose UTF-8 this is.
  var text: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
