internal import CSimdjson

/// A search for App Attest tokens in texts (`records.R52`, `records.R53`). Each thread has its own.
///
/// A fast pass finds signs: places at which a token can begin, and runs of base64 that can contain one. Each
/// form of a token is one entry of a table; a text that is wrapped in another form is decoded and searched.
@safe package final class TokenSearch {
  /// A test of bytes: whether they begin as a token does. The second argument tells whether more bytes can
  /// follow those given; nil is the answer if these decide.
  package typealias Test = (Span<UInt8>, Bool) -> Bool?

  /// The number of times that base64 and percent-encoding are decoded (`records.R52`).
  private static let wrappings = 3
  /// The number of times that escapes of JSON are decoded: strings of JSON in strings of JSON.
  private static let escapes = 8
  /// Bytes of a token beyond which two texts are of the same one, although one of them is cut.
  private static let tellingBytes = 64
  /// The longest token that is decoded, and the beginning by which most texts are told from a token.
  private static let longestToken = 1 << 17
  private static let beginning = 96

  /// The forms of a token: how the bytes are decoded that begin at a sign.
  private let forms: [(sign: attest_sign, decode: TokenText.Decoder)] = unsafe [
    (ATTEST_SIGN_BASE64, { unsafe TokenText.decodeBase64($0, atMost: $1, into: &$2) }),
    (ATTEST_SIGN_HEX, { unsafe TokenText.decodeHex($0, atMost: $1, into: &$2) }),
    (ATTEST_SIGN_ARRAY, { unsafe TokenText.decodeArray($0, atMost: $1, into: &$2) }),
  ]

  /// A buffer. An object, so that one is read while another is written.
  private final class Text {
    var bytes = ByteBuffer(capacity: 1024)
  }

  /// A token that does not count, and the text from which it was read.
  private final class Known {
    var text = ByteBuffer(capacity: 1024)
    var bytes = ByteBuffer(capacity: 1024)
  }

  private let test: Test
  /// The texts that contain each other, the innermost last.
  private let texts = (0...(wrappings + escapes)).map { _ in Text() }
  private var token = ByteBuffer(capacity: 1024)
  /// The tokens that do not count, and how many there are of them. Their memory is used again.
  private var known: [Known] = []
  private var knownCount = 0
  /// The bytes that may be decoded yet for the text at hand: an attacker must not make it slow.
  private var budget = 0
  private var isCut = false

  package init(_ test: @escaping Test) { self.test = test }

  /// Forgets the tokens that do not count.
  package func forget() { knownCount = 0 }

  /// Adds a token that does not count, and the text from which it was read (`records.R83`).
  package func know(_ text: UnsafeBufferPointer<UInt8>, _ bytes: Span<UInt8>) {
    if knownCount == known.count { known.append(Known()) }
    let token = known[knownCount]
    knownCount += 1
    token.text.removeAll()
    token.bytes.removeAll()
    unsafe token.text.append(copying: UnsafeRawBufferPointer(text))
    token.bytes.append(bytes)
  }

  /// Returns whether a text contains a token other than those known. After the text
  /// ``LineBatch/padding`` bytes are readable.
  ///
  /// - Parameter isCut: Whether the text is the first part of a longer one.
  package func finds(_ text: UnsafeBufferPointer<UInt8>, isCut: Bool = false) -> Bool {
    budget = 1 << 20 + 64 * text.count
    self.isCut = isCut
    return unsafe finds(text, wrapping: 0, escape: 0)
  }

  private func finds(_ text: UnsafeBufferPointer<UInt8>, wrapping: Int, escape: Int) -> Bool {
    guard let start = text.baseAddress, text.count > 0 else { return false }
    var scan = unsafe attest_scan_start(start, text.count)
    while true {
      let sign = unsafe attest_next_sign(&scan)
      if sign == ATTEST_SIGN_NONE { break }
      let place = unsafe scan.found - start
      if sign == ATTEST_SIGN_RUN {
        let end = unsafe attest_run_end(scan.found, scan.end) - start
        if wrapping < Self.wrappings,
          unsafe findsWrapped(UnsafeBufferPointer(rebasing: text[place..<end]), wrapping, escape)
        {
          return true
        }
      } else if let length = unsafe knownLength(UnsafeBufferPointer(rebasing: text[place...])) {
        unsafe scan.at = start + place + length
        unsafe scan.run = scan.at
        unsafe scan.is_run_found = 0
      } else if unsafe isToken(sign, UnsafeBufferPointer(rebasing: text[place...])) {
        return true
      }
    }
    if unsafe scan.has_escapes != 0, escape < Self.escapes,
      findsDecoded(wrapping, escape + 1, { unsafe TokenText.decodeEscapes(text, into: &$0) })
    {
      return true
    }
    guard unsafe scan.has_percents != 0, wrapping < Self.wrappings else { return false }
    return findsDecoded(wrapping + 1, escape) { unsafe TokenText.decodePercents(text, into: &$0) }
  }

  /// Searches a decoded text.
  private func findsDecoded(
    _ wrapping: Int, _ escape: Int, _ decode: (inout ByteBuffer) -> Void
  ) -> Bool {
    let text = texts[wrapping + escape]
    text.bytes.removeAll()
    decode(&text.bytes)
    budget -= text.bytes.count
    guard budget > 0 else { return false }
    text.bytes.reserve(LineBatch.padding)
    return unsafe text.bytes.withHeldBytes { unsafe finds($0, wrapping: wrapping, escape: escape) }
  }

  /// Searches what a run of base64 contains. Where the base64 begins is not known if a path is before it; of the
  /// places that are a multiple of four apart the first is sufficient.
  private func findsWrapped(
    _ run: UnsafeBufferPointer<UInt8>, _ wrapping: Int, _ escape: Int
  ) -> Bool {
    guard let start = run.baseAddress else { return false }
    let phases = unsafe attest_run_phases(start, start + run.count)
    for phase in 0..<4 where phases & 1 << UInt32(phase) != 0 {
      let part = unsafe UnsafeBufferPointer(rebasing: run[phase...])
      let isFound = findsDecoded(wrapping + 1, escape) {
        unsafe TokenText.decodeRun(part, into: &$0)
      }
      if isFound { return true }
    }
    return false
  }

  /// Returns the length of the known text at the beginning of `text`, if one is there.
  private func knownLength(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    for token in known.prefix(knownCount)
    where token.text.count > 0 && token.text.count <= text.count {
      let length = unsafe token.text.withHeldBytes { unsafe TokenText.length(of: $0, in: text) }
      if let length { return length }
    }
    return nil
  }

  /// Returns whether a token other than those known begins here.
  private func isToken(_ sign: attest_sign, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let form = unsafe forms.first(where: { unsafe $0.sign == sign }) else {
      return false
    }
    for most in [Self.beginning, Self.longestToken] {
      token.removeAll()
      unsafe form.decode(text, most, &token)
      budget -= token.count
      let isPart = token.count >= most
      if let isToken = judge(token, isPart) { return isToken }
      // The beginning decides nothing.
      if !isPart || budget <= 0 { return false }
    }
    return false
  }

  /// Returns whether bytes begin as a token does that is not known, or nil if more bytes decide.
  private func judge(_ buffer: borrowing ByteBuffer, _ isPart: Bool) -> Bool? {
    let bytes = buffer.storage.span.extracting(first: buffer.count)
    return test(bytes, isPart || isCut).map { $0 && !isKnown(bytes) }
  }

  private func isKnown(_ bytes: Span<UInt8>) -> Bool {
    known.prefix(knownCount).contains { token in
      let other = token.bytes.storage.span.extracting(first: token.bytes.count)
      let common = min(other.count, bytes.count)
      // All tokens have a short beginning in common: behind it, a space can cut another one.
      guard bytes.count == other.count || common >= Self.tellingBytes else { return false }
      return (0..<common).allSatisfy { bytes[$0] == other[$0] }
    }
  }
}
