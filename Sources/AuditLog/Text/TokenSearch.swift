internal import CSimdjson

/// Looks for App Attest tokens in lines that the schema skips (`records.md`, "No blind spots"). One
/// for each thread.
package final class TokenSearch {
  /// How many times escapes are decoded: strings of JSON in strings of JSON.
  private static let levels = 16

  private var buffer = ByteBuffer()

  package init() {}

  /// Returns whether base64 that begins as an attestation object or an assertion does stands in
  /// `line`, at any depth, under any name, and with letters written as escapes. Behind the line
  /// ``LineBatch/padding`` bytes are readable.
  package func holdsToken(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = line.baseAddress else { return false }
    switch unsafe attest_search(start, line.count) {
    case ATTEST_SEARCH_NOTHING: return false
    case ATTEST_SEARCH_TOKEN: return true
    default: return unsafe holdsEscapedToken(line)
    }
  }

  /// Looks again and again, each time with one level of escapes less.
  private func holdsEscapedToken(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    buffer.removeAll()
    unsafe buffer.append(copying: UnsafeRawBufferPointer(line))
    buffer.reserve(LineBatch.padding)
    return unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return false
      }
      var length = line.count
      for _ in 0..<Self.levels {
        unsafe length = attest_unescape(start, length, start)
        switch unsafe attest_search(start, length) {
        case ATTEST_SEARCH_NOTHING: return false
        case ATTEST_SEARCH_TOKEN: return true
        default: continue
        }
      }
      return false
    }
  }
}
