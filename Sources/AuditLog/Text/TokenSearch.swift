internal import CSimdjson

/// A search for App Attest tokens in lines that the schema skips (`records.md`, "No blind spots").
/// Each thread has its own.
package final class TokenSearch {
  /// The number of times that escapes are decoded: strings of JSON in strings of JSON.
  private static let escapes = 16
  /// The number of times that base64 is decoded: a body in base64 that holds a payload in base64.
  private static let wrappings = 3

  /// The text that is looked through, without its escapes, and what it holds in base64.
  private var text = ByteBuffer()
  private var decoded = ByteBuffer()

  package init() {}

  /// Returns whether base64 that begins as an attestation object or an assertion does stands in
  /// `line`, at any depth, under any name, with letters written as escapes or as characters that Node cuts to
  /// them, and in text that is base64 itself. Behind the line ``LineBatch/padding`` bytes are readable.
  package func holdsToken(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    if unsafe finds(line) { return true }
    guard let cut = UnitCut.cut(unsafe line.span, padding: LineBatch.padding) else { return false }
    return unsafe cut.withUnsafeBufferPointer {
      unsafe finds(UnsafeBufferPointer(rebasing: $0.dropLast(LineBatch.padding)))
    }
  }

  private func finds(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = line.baseAddress else { return false }
    switch unsafe attest_search(start, line.count) {
    case ATTEST_SEARCH_TOKEN: return true
    case ATTEST_SEARCH_NOTHING: unsafe decode(line)
    default:
      text.removeAll()
      unsafe text.append(copying: UnsafeRawBufferPointer(line))
      if holdsEscapedToken() { return true }
      unsafe text.withHeldBytes { unsafe decode($0) }
    }
    for _ in 0..<Self.wrappings {
      guard decoded.count > 0 else { return false }
      swap(&text, &decoded)
      if holdsEscapedToken() { return true }
      unsafe text.withHeldBytes { unsafe decode($0) }
    }
    return false
  }

  /// Looks through the text, again and again, each time with one level of escapes less.
  private func holdsEscapedToken() -> Bool {
    text.reserve(LineBatch.padding)
    for _ in 0..<Self.escapes {
      let result = unsafe text.withHeldBytes { (bytes) -> attest_search_result in
        guard let start = bytes.baseAddress else { return ATTEST_SEARCH_NOTHING }
        return unsafe attest_search(start, bytes.count)
      }
      guard result == ATTEST_SEARCH_ESCAPES else { return result == ATTEST_SEARCH_TOKEN }
      unsafe text.replaceHeldBytes { bytes in
        guard let start = bytes.baseAddress else { return 0 }
        return unsafe attest_unescape(start, bytes.count, start)
      }
    }
    return false
  }

  /// Decodes what a text holds in base64.
  private func decode(_ text: UnsafeBufferPointer<UInt8>) {
    decoded.removeAll()
    guard let start = text.baseAddress else { return }
    let length = unsafe attest_measure_runs(start, text.count)
    guard length > 0 else { return }
    _ = unsafe decoded.append(atMost: 4 * length) { room in
      guard let out = room.baseAddress else { return 0 }
      return unsafe attest_decode_runs(start, text.count, out)
    }
  }
}
