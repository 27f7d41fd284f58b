import AuditLog

extension AuditLog.TokenSearch {
  /// Returns whether a text contains a token.
  func finds(_ text: ArraySlice<UInt8>) -> Bool {
    let padded = Array(text) + [UInt8](repeating: 0, count: LineBatch.padding)
    return unsafe padded.withUnsafeBufferPointer { bytes in
      unsafe finds(UnsafeBufferPointer(rebasing: bytes[..<text.count]))
    }
  }
}
