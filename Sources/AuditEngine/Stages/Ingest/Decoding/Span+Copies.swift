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
