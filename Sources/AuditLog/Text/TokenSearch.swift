internal import CSimdjson

/// A search for App Attest tokens in lines that the schema skips (`records.md`, "No blind spots").
/// Each thread has its own.
package final class TokenSearch {
  /// The number of times that escapes are decoded: strings of JSON in strings of JSON.
  private static let escapes = 16
  /// The number of times that base64 is decoded: a body in base64 that holds a payload in base64.
  private static let wrappings = 3

  /// The texts that are looked through, without their escapes: the line, and what it holds in base64, and
  /// what that holds.
  private let texts = (0...wrappings).map { _ in Text() }

  /// A text that is looked through. An object, so that one is read while another is written.
  private final class Text {
    var bytes = ByteBuffer()
  }

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
    case ATTEST_SEARCH_NOTHING: return unsafe holdsWrappedToken(line, wrapping: 1)
    default:
      let text = texts[0]
      text.bytes.removeAll()
      unsafe text.bytes.append(copying: UnsafeRawBufferPointer(line))
      return holdsToken(text, wrapping: 0)
    }
  }

  /// Looks through a text that is wrapped in so many texts, and what it holds in base64.
  private func holdsToken(_ text: Text, wrapping: Int) -> Bool {
    if holdsEscapedToken(text) { return true }
    guard wrapping < Self.wrappings else { return false }
    return unsafe text.bytes.withHeldBytes { unsafe holdsWrappedToken($0, wrapping: wrapping + 1) }
  }

  /// Looks through a text, again and again, each time with one level of escapes less.
  private func holdsEscapedToken(_ text: Text) -> Bool {
    text.bytes.reserve(LineBatch.padding)
    for _ in 0..<Self.escapes {
      let result = unsafe text.bytes.withHeldBytes { (bytes) -> attest_search_result in
        guard let start = bytes.baseAddress else { return ATTEST_SEARCH_NOTHING }
        return unsafe attest_search(start, bytes.count)
      }
      guard result == ATTEST_SEARCH_ESCAPES else { return result == ATTEST_SEARCH_TOKEN }
      unsafe text.bytes.replaceHeldBytes { bytes in
        guard let start = bytes.baseAddress else { return 0 }
        return unsafe attest_unescape(start, bytes.count, start)
      }
    }
    return false
  }

  /// Looks through what a text holds in base64: one piece after the other, since together they would be
  /// three times as long as the text.
  private func holdsWrappedToken(_ text: UnsafeBufferPointer<UInt8>, wrapping: Int) -> Bool {
    guard let start = text.baseAddress else { return false }
    let end = unsafe start + text.count
    let piece = texts[wrapping]
    var run = unsafe attest_next_run(start, end)
    while unsafe run.length > 0 {
      for skipped in 0..<UInt32(ATTEST_RUN_BEGINNINGS) {
        piece.bytes.removeAll()
        _ = unsafe piece.bytes.append(atMost: run.length + 1) { room in
          guard let out = room.baseAddress else { return 0 }
          return unsafe attest_decode_run(run, skipped, out)
        }
        if holdsToken(piece, wrapping: wrapping) { return true }
      }
      unsafe run = attest_next_run(run.first + run.length, end)
    }
    return false
  }
}
