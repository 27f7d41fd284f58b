import AppAttest
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Token search` {
  private let bytes = TokenText.assertion(3)
  private let search = TokenSearch(AppAttestSniffer.tokenFront)

  /// The processor time of this thread: other tests do not count.
  private var processorSeconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func finds(_ line: String) -> Bool {
    withLine(Array(line.utf8)) { unsafe search.finds($0) }
  }

  private func know(_ text: String, _ bytes: [UInt8]) {
    let characters = Array(text.utf8)
    unsafe characters.withUnsafeBufferPointer { unsafe search.know($0, bytes.span) }
  }

  @Test func `there are forms and texts`() {
    #expect(TokenText.forms.count > 50)
    #expect(TokenText.texts.count > 20)
  }

  @Test(arguments: TokenText.texts.indices)
  func `a text has a further token as its row says (records.R34, records.R52, records.R83)`(
    _ index: Int
  ) {
    let row = TokenText.texts[index]
    for count in row.audited.isEmpty ? [0] : [1, 20] {
      search.forget()
      for token in row.audited { know(TokenText.base64(token), token) }
      for fill in 100..<(99 + UInt8(max(1, count))) {
        know(TokenText.base64(TokenText.assertion(fill)), TokenText.assertion(fill))
      }
      for line in row.lines { #expect(finds(line) == row.isFound, "\(index) \(line)") }
    }
  }

  @Test(arguments: TokenText.forms.indices)
  func `a token is found in each form, wherever it is (records.R52, records.R53)`(_ form: Int) {
    let value = TokenText.forms[form].1(bytes)
    #expect(finds("{\"x\":\(value)}"), "\(TokenText.forms[form].0)")
    #expect(finds("{\"a\":[[{\"b\":{\"c\":[1,\(value)]}}]]}"))
    #expect(finds("{\"b\":\(quoted("{\"t\":\(value)}"))}"))
    #expect(finds("{\"b\":\(quoted("{\"b\":\(quoted("{\"t\":\(value)}"))}"))}"))
    #expect(finds("not JSON \(value)"))
    #expect(!finds("{\"x\":\(TokenText.forms[form].1([0xA1] + bytes.dropFirst()))}"))
  }

  @Test func `a token is found behind each head of its map and each tag`() {
    let entries = bytes.dropFirst()
    let heads: [[UInt8]] = [
      [0xA2], [0xB8, 2], [0xB9, 0, 2], [0xBA, 0, 0, 0, 2], [0xBB, 0, 0, 0, 0, 0, 0, 0, 2], [0xBF],
    ]
    let tags: [[UInt8]] = [
      [], [0xC0], [0xD7], [0xD8, 0xFB], [0xD9, 0xD9, 0xF7], [0xDA, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xDB, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0xFA, 0xF9, 0xF8], [0xC1, 0xC2, 0xD8, 0x20],
      [UInt8](repeating: 0xC3, count: 20),
    ]
    let keys: [[UInt8]] = [
      [1, 0], [0x20, 0], [0x41, 9, 0], [0x41, 0xFF, 0], [0x61, 0x78, 0],
      [0x7F, 0x61, 0x79, 0xFF, 0], [0x80, 0], [0x81, 1, 0], [0xA0, 0], [0xA1, 1, 2, 0], [0xF5, 0],
      [0xF6, 0], [0xF9, 0, 1, 0], [0xC1, 0x01, 0], [0xDA, 0, 0, 0, 1, 0x61, 0x78, 0],
    ]
    for (head, tag) in heads.flatMap({ head in tags.map { (head, $0) } }) {
      let token = tag + head + entries + (head == [0xBF] ? [0xFF] : [])
      for text in [
        TokenText.base64(token), TokenText.hex(token),
        TokenText.base64(token).replacing("+", with: " "),
      ] {
        #expect(finds("{\"x\":\"\(text)\"}"), "\(head) \(tag)")
      }
    }
    for key in keys {
      #expect(finds("{\"x\":\"\(TokenText.base64([0xA3] + key + entries))\"}"), "\(key)")
      #expect(finds("{\"x\":\"\(TokenText.hex([0xA3] + key + entries))\"}"), "\(key)")
    }
  }

  @Test func `a fourth level is not decoded`() {
    let text = TokenText.wrapped(
      TokenText.wrapped(TokenText.wrapped(TokenText.wrapped(TokenText.base64(bytes)))))
    #expect(!finds("{\"x\":\"\(text)\"}"))
  }

  @Test func `a token is found at every place of a line`() {
    for front in 0..<100 {
      #expect(
        finds(
          "{\"x\":\"\(String(repeating: "v", count: front))\(TokenText.wrapped(TokenText.base64(bytes)))\"}"
        ))
      let fill = String(repeating: "v", count: front)
      #expect(finds("{\"\(fill)\":\"\(TokenText.base64(bytes))\"}"))
      #expect(finds("{\"path\":\"/\(fill)/\(TokenText.wrapped(TokenText.base64(bytes)))\"}"))
    }
  }

  @Test(arguments: TokenText.forms.indices)
  func `a token that is known does not count in any form, and another one does (records.R83)`(
    _ form: Int
  ) {
    // White space ends a token, too: behind it, other bytes are no token if the signature is the same.
    let isBroken = ["lines of one character", "folded with spaces"].contains(
      TokenText.forms[form].0)
    let others =
      [TokenText.assertion(9)]
      + (isBroken ? [] : [bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]])
    for text in [TokenText.base64(bytes), TokenText.hex(bytes), "not this one"] {
      search.forget()
      know(text, bytes)
      #expect(
        !finds("{\"x\":\(TokenText.forms[form].1(bytes)),\"y\":\"\(text)\"}"),
        "\(TokenText.forms[form].0)")
      for other in others {
        #expect(
          finds("{\"x\":\(TokenText.forms[form].1(other)),\"y\":\"\(text)\"}"),
          "\(TokenText.forms[form].0) \(other.count)")
      }
    }
  }

  @Test(arguments: [1, 9])
  func `of many tokens each is known, wherever it ends (records.R83)`(_ count: Int) {
    for fill in 0..<count {
      let token = TokenText.assertion(UInt8(fill))
      know(TokenText.base64(token), token)
    }
    for form in TokenText.forms.indices {
      let text = (0..<count).map { TokenText.forms[form].1(TokenText.assertion(UInt8($0))) }
      #expect(!finds("[\(text.joined(separator: ","))]"), "\(TokenText.forms[form].0)")
      let other = text + [TokenText.forms[form].1(TokenText.assertion(99))]
      #expect(finds("[\(other.joined(separator: ","))]"), "\(TokenText.forms[form].0)")
    }
  }

  @Test func `a complete token with which an audited one begins is a further one (records.R83)`() {
    for rest: [UInt8] in [[0], TokenText.assertion(9)] {
      search.forget()
      know(TokenText.base64(bytes + rest), bytes + rest)
      #expect(finds("{\"x\":\"\(TokenText.base64(bytes))\"}"))
      #expect(finds("{\"x\":\"\(TokenText.hex(bytes))\"}"))
    }
    // A beginning that was audited makes the whole token no copy of it.
    search.forget()
    know(String(TokenText.base64(bytes).prefix(40)), Array(bytes.prefix(30)))
    for other in [" ", ".", "\\\""] {
      #expect(
        finds(
          "{\"x\":\"\(TokenText.base64(bytes).prefix(40))\(other)\(TokenText.base64(bytes).dropFirst(40))\"}"
        )
      )
    }
  }

  @Test func `an audited token with tags before it is the same one (records.R39, records.R83)`() {
    let tags: [UInt8] = [0xC1, 0xDB, 1, 2, 3, 4, 5, 6, 7, 8]
    know(TokenText.base64(bytes), bytes)
    #expect(!finds("{\"x\":\"\(TokenText.base64(tags + bytes))\"}"))
    #expect(finds("{\"x\":\"\(TokenText.base64(tags + TokenText.assertion(9)))\"}"))
    search.forget()
    know(TokenText.base64(tags + bytes), tags + bytes)
    #expect(!finds("{\"x\":\"\(TokenText.hex(bytes))\"}"))
  }

  @Test func `a known token in a body hides none that only another reading of its spaces shows`() {
    // Only a decoder that passes over the space reads the second token.
    let front = TokenText.base64(Array("{\"a\":\"\(TokenText.base64(bytes))\",\"b\":\"--\"  ".utf8))
    let behind = TokenText.base64(
      Array(",\"t\":\"\(TokenText.base64(TokenText.assertion(9)))\"}".utf8))
    know(TokenText.base64(bytes), bytes)
    #expect(finds("{\"x\":\"\(front) \(behind)\"}"))
    #expect(!finds("{\"x\":\"\(front) \(TokenText.base64(Array(",\"t\":1}".utf8)))\"}"))
  }

  @Test func `a backslash takes no character from a token behind it (records.R34)`() {
    let text = TokenText.base64([0xC5, 0xBF] + bytes.dropFirst() + [0xFF])
    #expect(text.hasPrefix("xb9"))
    #expect(finds("{\"x\":\"\\\\\(text.prefix(7)).\(text.dropFirst(7))\"}"))
  }

  @Test(arguments: [4, 24])
  func `a token with further members is found in each form (records.R53, verification.R24)`(
    _ count: Int
  ) {
    let head: [UInt8] = count < 24 ? [0xA0 + UInt8(count)] : [0xB8, UInt8(count)]
    var others: [UInt8] = []
    for other in 0..<(count - 2) { others += [0x18, 100 + UInt8(other), 0x00] }
    let members = Array(bytes.dropFirst())
    for token in [head + others + members, head + members + others] {
      // Other forms replace the first character of a map of two.
      for form in TokenText.forms
      where !form.1(bytes).contains("6f") && form.0 != "base64 of JSON with escapes" {
        #expect(finds("{\"x\":\(form.1(token))}"), "\(form.0)")
      }
    }
  }

  // MARK: Much work

  @Test(arguments: ["", "aa"])
  func `what can be the beginning of a token hides none behind it (records.R52)`(_ behind: String) {
    // Heads of a map with a text that is as long as all of it.
    let decoys = String(repeating: "/o3oAAQAA" + String(repeating: "QUJD", count: 240), count: 560)
    #expect(finds("{\"x\":\"\(decoys)\",\"y\":\"\(TokenText.base64(bytes))\(behind)\"}"))
    #expect(!search.gaveUp)
  }

  @Test(arguments: [
    "of on one or other our out over people part place put quite read right same see she so some ",
    "So on, zone [4, 6, 7, 9, 11, 2, 4, 4, 5, 7, 8, 19, 21, 2, 3, 4, 5] of [52.52, -13.4].\\r\\n",
    "o\\u0070en wo\\nrds \\tone, 20 %20 quite: \\\\\\\"part\\\\\\\" in \\\\\\\\n ",
    "other words in base64: \(TokenText.wrapped(String(repeating: "claim ", count: 40))); ",
  ])
  func `a long honest text contains no token, and is searched to its end (records.R53)`(
    _ part: String
  ) {
    let text = String(repeating: part, count: (1 << 19) / part.utf8.count)
    #expect(!finds("{\"x\":\"\(text)\"}"))
    #expect(!search.gaveUp)
    #expect(finds("{\"x\":\"\(text) \(TokenText.base64(bytes))\"}"))
  }

  @Test(arguments: [
    "ok ", "omlz ", "/uBhkABhl", "o3oA/", "gICA", "AAAA", "////", "pGpm\n", "v2Nm ", "uAJj+",
    "omlz, ", "omlz. ", "yes/no ", "2,",
  ])
  func `what is repeated is no token, and is searched in linear time (records.R53)`(_ part: String)
  {
    let text = String(repeating: part, count: 40_000 / part.utf8.count)
    for text in [text, String(repeating: part, count: 300)] {
      let start = processorSeconds
      #expect(!finds("{\"x\":\"\(text)\"}"))
      #expect(!search.gaveUp)
      #expect(processorSeconds - start < 20)
    }
    // A known token after it does not count, and another one does.
    know(TokenText.base64(bytes), bytes)
    let body = quoted(
      "{\"x\":\(quoted(String(repeating: part, count: 5000))),\"y\":\"\(TokenText.base64(bytes))\"}"
    )
    #expect(!finds("{\"b\":\(body)}"))
    search.forget()
    #expect(finds("{\"x\":\"\(text)\",\"y\":\"\(TokenText.base64(bytes))\"}"))
    #expect(finds("{\"x\":\"\(text),\(TokenText.base64(bytes))\"}"))
  }

  /// RFC 8949, section 3.2.3.
  @Test(arguments: [0, 1, 3, 9])
  func `a name in chunks is found at every place`(_ size: Int) {
    func chunks(_ name: String) -> [UInt8] {
      let parts =
        size == 0
        ? [name]
        : stride(from: 0, to: name.utf8.count, by: size).map {
          String(name.dropFirst($0).prefix(size))
        }
      return [0x7F] + parts.flatMap { [0x60, 0x79, 0, UInt8($0.utf8.count)] + Array($0.utf8) } + [
        0xFF
      ]
    }
    for count in 0..<12 {
      let front: [UInt8] =
        [0xA4, 1, 0x58, UInt8(30 + count)] + [UInt8](repeating: 7, count: 30 + count) + [2, 0]
      let token =
        front + chunks("signature") + [0x58, 20] + [UInt8](repeating: 9, count: 20)
        + chunks("authenticatorData") + [0x58, 37] + [UInt8](repeating: 8, count: 37)
      #expect(finds("{\"x\":\"\(TokenText.base64(token))\"}"), "\(count)")
      #expect(finds("{\"x\":\"\(TokenText.url(TokenText.base64(token)))\"}"), "\(count)")
    }
  }

  @Test func `what is too much work counts as a token, and the search says so (records.R52)`() {
    // Strings in strings, deeper than any log has them.
    let deep =
      String(repeating: "\\u005c", count: 1) + String(repeating: "u005c", count: 2000) + "u006f"
    #expect(finds("{\"x\":\"\(deep)\"}"))
    #expect(search.gaveUp)
  }

  @Test(arguments: ["\\/", "\\\\/", "\\\\\\/", "\\u002f", "\\\\u002F"])
  func `a known token does not count where its plus signs are spaces and its slashes are escaped`(
    _ slash: String
  ) throws {
    func text(_ bytes: [UInt8]) -> String { TokenText.base64(bytes).replacing("+", with: " ") }
    // Most tokens contain both characters.
    let tokens = (0..<UInt8.max).map(TokenText.assertion).filter {
      text($0).contains(" ") && text($0).contains("/")
    }
    let (token, other) = (try #require(tokens.first), try #require(tokens.last))
    know(text(token), token)
    #expect(!finds("{\"x\":\"\(text(token).replacing("/", with: slash))\"}"))
    #expect(finds("{\"x\":\"\(text(other).replacing("/", with: slash))\"}"))
  }

  @Test func `an honest body in base64 contains no token`() {
    let header = TokenText.base64(Array(#"{"alg":"ES256","kid":"x","typ":"JWT"}"#.utf8))
    let claims = TokenText.wrapped(String(repeating: "claim ", count: 40))
    #expect(!finds("{\"authorization\":\"Bearer \(header).\(claims).c2ln\"}"))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = TokenText.base64(bytes)
      #expect(!finds("{\"x\":\"\(text)\"}"), "\(text)")
    }
  }

  @Test(arguments: [
    "2,", "%0a", "%32", "\\u000a", "\\u0032", "\\\\", "\\n", "%25", "/om", "/omlz",
    "/o2NmbXRkbm9uZWdh", "-o2Nm",
    "A", "/", "%41", "eyJ0", "WldKbElp", "[162,", "0xa2", "\\u005cu005c", "\\u005cu006f", "%2525",
  ])
  func `no hostile line is searched for long`(_ part: String) {
    var text = String(repeating: part, count: 3_000)
    for _ in 0..<3 {
      let line = "{\"x\":\"\(text)\"}"
      let start = processorSeconds
      _ = finds(line)
      #expect(processorSeconds - start < 20)
      text = TokenText.base64(Array(text.utf8))
    }
  }
}
