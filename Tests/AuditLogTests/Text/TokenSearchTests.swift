import AppAttest
import Foundation
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Token search` {
  private static func assertion(_ fill: UInt8) -> [UInt8] {
    [0xA2, 0x69] + Array("signature".utf8) + [0x58, 70] + (0..<70).map { fill &+ $0 &* 7 }
      + [0x71] + Array("authenticatorData".utf8) + [0x58, 37] + (0..<37).map { fill &- $0 &* 5 }
  }

  private let bytes = Self.assertion(3)
  private let search = TokenSearch(AppAttestSniffer.tokenLength)

  private func finds(_ line: String) -> Bool {
    withLine(Array(line.utf8)) { unsafe search.finds($0) }
  }

  private func know(_ text: String, _ bytes: [UInt8]) {
    let characters = Array(text.utf8)
    unsafe characters.withUnsafeBufferPointer { unsafe search.know($0, bytes.span) }
  }

  /// Returns a text in lines of so many characters.
  private static func folded(_ text: String, _ width: Int, _ end: String) -> String {
    stride(from: 0, to: text.utf8.count, by: width)
      .map { String(text.dropFirst($0).prefix(width)) }.joined(separator: end)
  }

  private static func hexEscapes(_ text: String) -> String {
    text.utf8.map { "\\x" + String($0, radix: 16) }.joined()
  }

  private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  private static func url(_ text: String) -> String {
    text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func numbers(_ bytes: [UInt8], _ comma: String = ",") -> String {
    "[" + bytes.map(String.init).joined(separator: comma) + "]"
  }

  private static func percent(_ text: String) -> String {
    text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func wrapped(_ text: String) -> String {
    base64(Array("{\"keyId\":\"\(sampleKey)\",\"t\":\"\(text)\"}".utf8))
  }

  /// The ways in which a token can be written, each as a value of JSON: `Tests/Cases/token-forms.txt`.
  static let forms: [(String, @Sendable ([UInt8]) -> String)] =
    ((try? Repository.text("Tests/Cases/token-forms.txt")) ?? "").split(separator: "\n").map {
      row in
      let halves = row.components(separatedBy: "\t")
      let steps = halves[1].components(separatedBy: " ").map { step in
        zip("␠␤␍␉", " \n\r\t").reduce(step) {
          $0.replacing(String($1.0), with: String($1.1))
        }
      }
      return (halves[0], { bytes in steps.reduce("") { Self.write($1, $0, bytes) } })
    }

  /// Returns a text as one step of a form writes it; the first step of a form writes the bytes.
  private static func write(_ step: String, _ text: String, _ bytes: [UInt8]) -> String {
    let parts = step.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let argument = parts.count > 1 ? String(parts[1]) : ""
    let halves = argument.split(separator: ":", maxSplits: 1).map(String.init)
    switch parts[0] {
    case "base64": return base64(bytes)
    case "hex": return hex(bytes)
    case "numbers": return numbers(bytes, argument)
    case "codes": return numbers(Array(text.utf8), argument)
    case "each":
      return "[" + bytes.map { String(format: argument, $0) }.joined(separator: ",") + "]"
    case "url": return url(text)
    case "capitals": return text.uppercased()
    case "quote": return quoted(text)
    case "quoted": return "\"\(text)\""
    case "percent": return percent(text)
    case "escapes": return text.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    case "hexEscapes": return hexEscapes(text)
    case "wrap": return wrapped(text)
    case "encode": return base64(ReadingCase.bytes(text))
    case "first": return argument + text.dropFirst()
    case "in": return argument.replacing("@", with: text)
    case "change": return text.replacing(halves[0], with: halves[1])
    case "split":
      let count = Int(halves[0]) ?? 0
      return text.prefix(count) + halves[1] + text.dropFirst(count)
    case "fold": return folded(text, Int(halves[0]) ?? 1, halves[1])
    default: return "unknown step \(step)"
    }
  }

  @Test func `there are forms`() { #expect(Self.forms.count > 50) }

  @Test(arguments: forms.indices)
  func `a token is found in each form, wherever it is (records.R52, records.R53)`(_ form: Int) {
    let value = Self.forms[form].1(bytes)
    #expect(finds("{\"x\":\(value)}"), "\(Self.forms[form].0)")
    #expect(finds("{\"a\":[[{\"b\":{\"c\":[1,\(value)]}}]]}"))
    #expect(finds("{\"b\":\(quoted("{\"t\":\(value)}"))}"))
    #expect(finds("{\"b\":\(quoted("{\"b\":\(quoted("{\"t\":\(value)}"))}"))}"))
    #expect(finds("not JSON \(value)"))
    #expect(!finds("{\"x\":\(Self.forms[form].1([0xA1] + bytes.dropFirst()))}"))
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
      [1, 0], [0x20, 0], [0x41, 9, 0], [0x61, 0x78, 0], [0x7F, 0x61, 0x79, 0xFF, 0],
    ]
    for (head, tag) in heads.flatMap({ head in tags.map { (head, $0) } }) {
      let token = tag + head + entries + (head == [0xBF] ? [0xFF] : [])
      for text in [
        Self.base64(token), Self.hex(token), Self.base64(token).replacing("+", with: " "),
      ] {
        #expect(finds("{\"x\":\"\(text)\"}"), "\(head) \(tag)")
      }
    }
    for key in keys {
      #expect(finds("{\"x\":\"\(Self.base64([0xA3] + key + entries))\"}"), "\(key)")
    }
  }

  @Test func `a fourth level is not decoded`() {
    let text = Self.wrapped(Self.wrapped(Self.wrapped(Self.wrapped(Self.base64(bytes)))))
    #expect(!finds("{\"x\":\"\(text)\"}"))
  }

  @Test(arguments: [
    "{\"TOKEN\":1}", "{\"b\":\"Host: a\\r\\nX-Assertion:TOKEN\\r\\n\\r\\n\"}",
    "{\"b\":\"a=1&t=TOKEN&c\"}",
    "{\"b\":\"\\nTOKEN\"}", "{\"b\":\"\\\\nTOKEN\"}", "{\"b\":\"x\\u000aTOKEN\"}",
    "{\"b\":\"%22TOKEN%22\"}",
    "{\"b\":\"data:x;base64,TOKEN\"}", "{\"b\":\"/v2/TOKEN\"}", "{\"b\":\"x-TOKEN.y\"}", "TOKEN",
    "{\"a\":\"TOKEN",
  ])
  func `a token is found inside longer texts`(_ line: String) {
    #expect(finds(line.replacing("TOKEN", with: Self.base64(bytes))))
    #expect(finds(line.replacing("TOKEN", with: Self.hex(bytes))))
  }

  @Test func `a token is found at every place of a line`() {
    for front in 0..<100 {
      #expect(
        finds(
          "{\"x\":\"\(String(repeating: "v", count: front))\(Self.wrapped(Self.base64(bytes)))\"}"))
      let fill = String(repeating: "v", count: front)
      #expect(finds("{\"\(fill)\":\"\(Self.base64(bytes))\"}"))
      #expect(finds("{\"path\":\"/\(fill)/\(Self.wrapped(Self.base64(bytes)))\"}"))
    }
  }

  @Test(arguments: forms.indices)
  func `a token that is known does not count in any form, and another one does (records.R83)`(
    _ form: Int
  ) {
    // White space ends a token, too: one with further bytes after it is the same.
    let longer = Self.forms[form].0 == "lines of one character" ? [] : [bytes + [0]]
    let others = [Self.assertion(9), bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]] + longer
    for text in [Self.base64(bytes), Self.hex(bytes), "not this one"] {
      search.forget()
      know(text, bytes)
      #expect(
        !finds("{\"x\":\(Self.forms[form].1(bytes)),\"y\":\"\(text)\"}"), "\(Self.forms[form].0)")
      for other in others {
        #expect(
          finds("{\"x\":\(Self.forms[form].1(other)),\"y\":\"\(text)\"}"),
          "\(Self.forms[form].0) \(other.count)")
      }
    }
  }

  @Test(arguments: [1, 9])
  func `of many tokens each is known, wherever it ends (records.R83)`(_ count: Int) {
    for fill in 0..<count {
      let token = Self.assertion(UInt8(fill))
      know(Self.base64(token), token)
    }
    for form in Self.forms.indices {
      let text = (0..<count).map { Self.forms[form].1(Self.assertion(UInt8($0))) }
      #expect(!finds("[\(text.joined(separator: ","))]"), "\(Self.forms[form].0)")
      let other = text + [Self.forms[form].1(Self.assertion(99))]
      #expect(finds("[\(other.joined(separator: ","))]"), "\(Self.forms[form].0)")
    }
    let token = Self.base64(Self.assertion(0))
    for behind in ["", "=", "\r\nX-Next: 1", " and more", "%26x=1", "\\u0026x", "!", ", a"] {
      #expect(!finds("{\"h\":\(quoted("t: \(token)\(behind)"))}"), "\(behind)")
    }
  }

  /// `records.R34` and `records.R38`: the audit reads just these texts in a mapped field.
  @Test(arguments: [".", "*", "\\u0000", " ", "é", "\u{2028}", "()"], [0, 1, 3, 7, 30])
  func `a string that only lenient servers read as a token is found (records.R52)`(
    _ other: String, _ place: Int
  ) {
    let large: [UInt8] = [0xA4, 0x01, 0x00, 0x02, 0x00] + Array(bytes.dropFirst())
    for token in [bytes, large] {
      let text = Self.base64(token)
      let odd = "\(text.prefix(place))\(other)\(text.dropFirst(place))"
      #expect(finds("{\"x\":\"\(odd)\"}"))
      #expect(finds("{\"b\":\(quoted("{\"t\":\"\(odd)\"}"))}"))
      know(text, token)
      #expect(!finds("{\"x\":\"\(odd)\"}"))
      search.forget()
    }
  }

  @Test(arguments: [16, 17, 100])
  func `a copy that is cut is not a further token, and another one that begins so is (records.R83)`(
    _ count: Int
  ) {
    for known in [1, 20] {
      search.forget()
      for fill in 0..<known {
        let token = Self.assertion(UInt8(3 + fill))
        know(Self.base64(token), token)
      }
      for text in [Self.base64(bytes), Self.hex(bytes)] {
        let beginning = text.prefix(count / 2 * 2)
        for behind in [
          "", "...", "…", "\\u2026", "[truncated 120 characters]", "&a=1", "=", " (cut)",
        ] {
          #expect(!finds("{\"x\":\"\(beginning)\(behind)\",\"y\":\"\(text)\"}"), "\(behind)")
        }
      }
      let other = Self.base64(bytes.dropLast() + [bytes[bytes.count - 1] ^ 1])
      #expect(finds("{\"x\":\"\(other)\"}"))
      #expect(finds("{\"x\":\"\(other.prefix(count)).\(other.dropFirst(count))\"}"))
    }
  }

  /// `records.R34`: lenient servers pass over the character between the two parts.
  @Test(arguments: ["\\\"", "\"", ".", "…", "%", "\\u2026", "=", "\\\\"], [17, 18, 36])
  func
    `a token that begins as the audited one does and goes on after other characters is a further one (records.R83)`(
      _ other: String, _ place: Int
    )
  {
    // Both begin with the same member, however long it is.
    let front: [UInt8] = [0xA3, 0x61, 0x78, 0x58, 40] + (0..<40).map { $0 }
    let (audited, further) = (front + bytes.dropFirst(), front + Self.assertion(9).dropFirst())
    for text in [Self.base64(further), Self.base64(Self.assertion(9))] {
      search.forget()
      know(Self.base64(audited), audited)
      know(Self.base64(bytes), bytes)
      let split = "\(text.prefix(place))\(other)\(text.dropFirst(place))"
      #expect(finds("{\"x\":\"\(split)\"}"))
      #expect(finds("{\"b\":\(quoted("{\"t\":\(quoted(split)),\"u\":1}"))}"))
      #expect(
        !finds(
          "{\"x\":\"\(Self.base64(audited).prefix(place))\(other)\",\"y\":\"\(Self.base64(audited))\"}"
        ))
    }
  }

  @Test func `a complete token with which an audited one begins is a further one (records.R83)`() {
    for rest: [UInt8] in [[0], Self.assertion(9)] {
      search.forget()
      know(Self.base64(bytes + rest), bytes + rest)
      #expect(finds("{\"x\":\"\(Self.base64(bytes))\"}"))
      #expect(finds("{\"x\":\"\(Self.hex(bytes))\"}"))
    }
    // A beginning that was audited makes the whole token no copy of it.
    search.forget()
    know(String(Self.base64(bytes).prefix(40)), Array(bytes.prefix(30)))
    for other in [" ", ".", "\\\""] {
      #expect(
        finds(
          "{\"x\":\"\(Self.base64(bytes).prefix(40))\(other)\(Self.base64(bytes).dropFirst(40))\"}")
      )
    }
  }

  @Test func `an audited token with tags before it is the same one (records.R39, records.R83)`() {
    let tags: [UInt8] = [0xC1, 0xDB, 1, 2, 3, 4, 5, 6, 7, 8]
    know(Self.base64(bytes), bytes)
    #expect(!finds("{\"x\":\"\(Self.base64(tags + bytes))\"}"))
    #expect(finds("{\"x\":\"\(Self.base64(tags + Self.assertion(9)))\"}"))
    search.forget()
    know(Self.base64(tags + bytes), tags + bytes)
    #expect(!finds("{\"x\":\"\(Self.hex(bytes))\"}"))
  }

  @Test func `a known token in a body hides none that only another reading of its spaces shows`() {
    // Only a decoder that passes over the space reads the second token.
    let front = Self.base64(Array("{\"a\":\"\(Self.base64(bytes))\",\"b\":\"--\"  ".utf8))
    let behind = Self.base64(Array(",\"t\":\"\(Self.base64(Self.assertion(9)))\"}".utf8))
    know(Self.base64(bytes), bytes)
    #expect(finds("{\"x\":\"\(front) \(behind)\"}"))
    #expect(!finds("{\"x\":\"\(front) \(Self.base64(Array(",\"t\":1}".utf8)))\"}"))
  }

  @Test(arguments: ["\\xbF", "\\xBf", "0xa2"])
  func `hex digits that can be base64 together with their prefix are found`(_ front: String) {
    let entries = Self.hex(Array(bytes.dropFirst())) + (front == "0xa2" ? "" : "ff")
    #expect(finds("{\"x\":\"\(front)\(entries)\"}"))
  }

  @Test(
    arguments: [
      [0x80, 0], [0x81, 1, 0], [0xA0, 0], [0xA1, 1, 2, 0], [0xF5, 0], [0xF6, 0], [0xF9, 0, 1, 0],
      [0xC1, 0x01, 0],
      [0xDA, 0, 0, 0, 1, 0x61, 0x78, 0],
    ] as [[UInt8]])
  func `a token is found behind a member with a key of any kind (verification.R24)`(
    _ member: [UInt8]
  ) {
    #expect(finds("{\"x\":\"\(Self.base64([0xA3] + member + bytes.dropFirst()))\"}"))
    #expect(finds("{\"x\":\"\(Self.hex([0xA3] + member + bytes.dropFirst()))\"}"))
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
      for form in Self.forms
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
    #expect(finds("{\"x\":\"\(decoys)\",\"y\":\"\(Self.base64(bytes))\(behind)\"}"))
    #expect(!search.gaveUp)
  }

  @Test func `words without punctuation are no token, however many there are (records.R53)`() {
    let words =
      "of on one or other our out over people part place put quite read right same see she so some than that the then"
    let text = String(
      repeating: words + " time to two use very was we what which who you ", count: 200)
    #expect(!finds("{\"x\":\"\(text)\"}"))
    #expect(!search.gaveUp)
  }

  @Test(arguments: [
    "ok ", "omlz ", "/uBhkABhl", "o3oA/", "gICA", "AAAA", "////", "pGpm\n", "v2Nm ", "uAJj+",
    "omlz, ", "omlz. ", "yes/no ",
  ])
  func `what is repeated is no token, and is searched in linear time (records.R53)`(_ part: String)
  {
    let text = String(repeating: part, count: (1 << 20) / part.utf8.count)
    for text in [text, String(repeating: part, count: 300), text + "\n" + text] {
      let time = ContinuousClock().measure { #expect(!finds("{\"x\":\"\(text)\"}")) }
      #expect(!search.gaveUp)
      #expect(time < .seconds(60))
    }
    // A known token after it does not count, and another one does.
    know(Self.base64(bytes), bytes)
    let body = quoted(
      "{\"x\":\(quoted(String(repeating: part, count: 5000))),\"y\":\"\(Self.base64(bytes))\"}")
    #expect(!finds("{\"b\":\(body)}"))
    search.forget()
    #expect(finds("{\"x\":\"\(text)\",\"y\":\"\(Self.base64(bytes))\"}"))
    #expect(finds("{\"x\":\"\(text),\(Self.base64(bytes))\"}"))
  }

  @Test(arguments: [60_000])
  func `a token whose first member is long is found in each form (verification.R32)`(_ count: Int) {
    let member: [UInt8] =
      [0x61, 0x78, 0x5A, 0, 0, UInt8(count >> 8), UInt8(count & 255)]
      + [UInt8](repeating: 7, count: count)
    let token = [0xA3] + member + bytes.dropFirst()
    for form in Self.forms
    where !form.1(bytes).contains("6f") && form.0 != "base64 of JSON with escapes" {
      #expect(finds("{\"x\":\(form.1(token))}"), "\(form.0)")
    }
    let text = Self.base64(token)
    #expect(finds("{\"x\":\"\(text.prefix(4001)).\(text.dropFirst(4001))\"}"))
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
      #expect(finds("{\"x\":\"\(Self.base64(token))\"}"), "\(count)")
      #expect(finds("{\"x\":\"\(Self.url(Self.base64(token)))\"}"), "\(count)")
    }
  }

  @Test func `what is too much work counts as a token, and the search says so (records.R52)`() {
    // Strings in strings, deeper than any log has them.
    let deep =
      String(repeating: "\\u005c", count: 1) + String(repeating: "u005c", count: 200) + "u006f"
    #expect(finds("{\"x\":\"\(deep)\"}"))
    #expect(search.gaveUp)
  }

  @Test(arguments: ["\\/", "\\\\/", "\\\\\\/", "\\u002f", "\\\\u002F"])
  func `a known token does not count where its plus signs are spaces and its slashes are escaped`(
    _ slash: String
  ) throws {
    func text(_ bytes: [UInt8]) -> String { Self.base64(bytes).replacing("+", with: " ") }
    // Most tokens contain both characters.
    let tokens = (0..<UInt8.max).map(Self.assertion).filter {
      text($0).contains(" ") && text($0).contains("/")
    }
    let (token, other) = (try #require(tokens.first), try #require(tokens.last))
    know(text(token), token)
    #expect(!finds("{\"x\":\"\(text(token).replacing("/", with: slash))\"}"))
    #expect(finds("{\"x\":\"\(text(other).replacing("/", with: slash))\"}"))
  }

  @Test func `a beginning that all tokens have in common makes no other one known (records.R83)`() {
    know(Self.base64(bytes), bytes)
    let other = Self.base64(Self.assertion(9))
    #expect(finds("{\"x\":\"\(other.prefix(16)) \(other.dropFirst(16))\"}"))
  }

  @Test(arguments: [
    "{\"msec\":1772359965.123,\"path\":\"/v2/orders?x=10%2F20%20&o=%6f\",\"id\":\"2026-03-01T10:00:00.000Z\"}",
    "{\"agent\":\"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) Version/17.2 onlineomitted\"}",
    "{\"x\":\"user fmt authData signature\",\"n\":[162,105,115,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}",
    "{\"n\":\"\\u0434\\u0430\\u003c\\u0026\",\"y\":\"a2639f5b-6e0c-4d0e-9f0a-1b2c3d4e5f60\"}",
    "{\"h\":\"a26f2c58a2c9d16a53b7fce9b3ed0d7a3ff4d7a7b9c3e5f1a2b3c4d5e6f70819\"}",
  ])
  func `honest lines contain no token`(_ line: String) { #expect(!finds(line)) }

  @Test func `an honest body in base64 contains no token`() {
    let header = Self.base64(Array(#"{"alg":"ES256","kid":"x","typ":"JWT"}"#.utf8))
    let claims = Self.wrapped(String(repeating: "claim ", count: 40))
    #expect(!finds("{\"authorization\":\"Bearer \(header).\(claims).c2ln\"}"))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Self.base64(bytes)
      #expect(!finds("{\"x\":\"\(text)\"}"), "\(text)")
    }
  }

  @Test(arguments: [
    "2,", "%0a", "%32", "\\u000a", "\\u0032", "\\\\", "\\n", "%25", "/om", "/omlz",
    "/o2NmbXRkbm9uZWdh", "-o2Nm",
    "A", "/", "%41", "eyJ0", "WldKbElp", "[162,", "0xa2", "\\u005cu005c", "\\u005cu006f", "%2525",
  ])
  func `no hostile line is searched for long`(_ part: String) {
    var text = String(repeating: part, count: 30_000)
    for _ in 0..<3 {
      let line = "{\"x\":\"\(text)\"}"
      let time = ContinuousClock().measure { _ = finds(line) }
      #expect(time < .seconds(60))
      text = Self.base64(Array(text.utf8))
    }
  }

  // MARK: Lines longer than the limit

  @Test(arguments: [1, 2, 7, 100, 1000])
  func `a token that two pieces share is found`(_ size: Int) {
    let long = LongLineSearch(AppAttestSniffer.tokenLength)
    for (line, hasToken) in [
      ("{\"x\":\"\(Self.base64(bytes))\"}", true), ("{\"x\":\"\(sampleKey)\"}", false),
    ] {
      let bytes = Array((line + String(repeating: " ", count: 50)).utf8)
      long.begin()
      for start in stride(from: 0, to: bytes.count, by: size) {
        unsafe bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
          unsafe long.append($0)
        }
      }
      long.end()
      #expect(long.hasToken == hasToken)
    }
  }

  // MARK: Lines that are read

  private func shape(_ line: String) -> String? {
    let reader = RecordReader(
      isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenLength)
    var buffer = ByteBuffer()
    return withLine(Array(line.utf8)) { text in
      switch unsafe reader.read(text, into: &buffer) {
      case .record(let record):
        guard reader.findsToken(beside: record, buffer) else { return nil }
        return unsafe String(decoding: reader.shape(ofRead: text), as: UTF8.self)
      case .skipped:
        guard reader.findsToken(buffer) else { return nil }
        return unsafe String(decoding: reader.shape(ofSkippedIn: text), as: UTF8.self)
      default: return "\(text.count)"
      }
    }
  }

  @Test func `the first further token is named by its pointer (records.R55)`() {
    let own = Self.base64(bytes)
    let other = Self.base64(Self.assertion(9))
    let front = "{\"time\":1,\"keyId\":\"\(sampleKey)\",\"payload\":\"p\",\"token\":\"\(own)\""
    #expect(shape("\(front)}") == nil)
    #expect(shape("\(front),\"copy\":\"\(own)\",\"body\":\(quoted("{\"t\":\"\(own)\"}"))}") == nil)
    #expect(shape("\(front),\"x\":\"\(other)\"}") == "default:/x")
    #expect(
      shape("\(front),\"a/b\":[0,{\"~\":\"t=\(other)\"}],\"z\":\"\(other)\"}")
        == "default:/a~1b/1/~0")
    #expect(
      shape("\(front),\"body\":\(quoted("{\"a\":[{\"t\":\"\(other)\"}]}"))}")
        == "default:/body/a/0/t")
    #expect(shape("\(front),\"b\":\(Self.numbers(Self.assertion(9)))}") == "default:/b")
    #expect(
      shape("\(front),\"b\":{\"type\":\"Buffer\",\"data\":\(Self.numbers(Self.assertion(9)))}}")
        == "default:/b")
    #expect(
      shape("\(front.replacing("\"p\"", with: "\"\\t\"")),\"x\":\"\(other)\"}") == "default:/x")
    #expect(shape("{\"time\":1,\"challenge\":\"c\",\"x\":\"\(other)\"}") == "default:/x")
    // A short string can contain the beginning of a token.
    let beginning = other.prefix(50)
    for text in [
      "\(beginning)", "t=\(beginning)", "t%3D\(beginning)", "t=%6f\(beginning.dropFirst())",
      "\\u006f\(beginning.dropFirst())", "%5Cu006f\(beginning.dropFirst())",
      "\\n\\t\(beginning)", "\\\\x\(Self.hex(Self.assertion(9)).prefix(50))",
    ] {
      #expect(shape("\(front),\"b\":[\"c=d\",\"\(text)\"]}") == "default:/b/1", "\(text)")
    }
    let escapes = Self.hexEscapes(String(other.prefix(15)))
    let challenge = "{\"time\":1,\"challenge\":\"c\""
    #expect(shape("\(challenge),\"b\":[\"\(escapes)\"]}") == "default:/b/0")
    #expect(shape("\(front),\"b\":[\"2026-03-02T09:01:40.000Z\",\"/v1/notes/6\"]}") == nil)
    for form in Self.forms {
      let value = form.1(Self.assertion(9))
      let found = shape("\(front),\"b\":{\"c\":\(value)}}") ?? "nothing"
      #expect(found.hasPrefix("default:/b/c"), "\(form.0): \(found)")
      let known = "\(front),\"b\":{\"c\":\(form.1(bytes))}}"
      #expect(shape(known) == nil, "\(form.0)")
      // The second reading.
      for odd in ["\"o\":\"\\x41\"", "\"o\":NaN", "\"o\":\"\t\""] {
        #expect(shape("\(front),\(odd),\"b\":{\"c\":\(value)}}") == found, "\(form.0) \(odd)")
        #expect(shape("\(front),\(odd)" + known.dropFirst(front.count)) == nil, "\(form.0) \(odd)")
      }
    }
  }

  // MARK: Lines with several records

  /// Returns the shapes of the tokens in the records of a line, and outside of them.
  private func shapes(_ line: [UInt8]) throws -> [String] {
    var schema = LogSchema(
      name: "several",
      rules: [
        SchemaRule(
          name: "one", kind: .fixed(.assertion),
          fields: [
            .time: at("/t"), .keyId: at("/k"), .token: at("/o"), .payload: at("/p"),
          ])
      ])
    schema.records = ["/events", "/body/events"].map(pointer)
    let reader = RecordReader(
      schema: try CompiledSchema(schema), isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenLength)
    var buffer = ByteBuffer()
    return withLine(line) { text in
      var shapes: [String] = []
      var next: RecordOutcome? = unsafe reader.read(text, into: &buffer)
      while let outcome = next {
        if case .record(let record) = outcome, reader.findsToken(beside: record, buffer) {
          unsafe shapes.append(String(decoding: reader.shape(ofRead: reader.text), as: UTF8.self))
        }
        next = reader.next(into: &buffer)
      }
      if reader.findsTokenAroundRecords() {
        unsafe shapes.append(
          String(decoding: reader.shape(aroundRecordsOf: text), as: UTF8.self))
      }
      return shapes
    }
  }

  /// The tolerances of `records.R81`, each as a way to write a line.
  static let tolerances: [(String, @Sendable ([UInt8]) -> [UInt8])] = [
    ("strict", { $0 }),
    ("not UTF-8", { Array("{\"u\":\"".utf8) + [0xFF] + Array("\",".utf8) + $0.dropFirst() }),
    ("not UTF-8, behind", { $0.dropLast() + Array(",\"u\":\"".utf8) + [0xFF] + Array("\"}".utf8) }),
    ("\\x", { Array("{\"u\":\"\\x41\\x42\",".utf8) + $0.dropFirst() }),
    ("a lone surrogate", { Array("{\"u\":\"\\ud800\",".utf8) + $0.dropFirst() }),
    ("NaN", { Array("{\"u\":-Infinity,".utf8) + $0.dropFirst() }),
    ("a tab", { Array("{\"u\":\"\t\",".utf8) + $0.dropFirst() }),
    ("zero bytes before", { [0, 0, 0] + $0 }),
    ("text behind", { $0 + Array(" []".utf8) }),
  ]

  @Test(arguments: tolerances.indices)
  func `audited tokens are not outside of the records, and others are (records.R83, records.R55)`(
    _ tolerance: Int
  ) throws {
    func record(_ token: String, _ rest: String = "") -> String {
      "{\"t\":1,\"k\":\"\(sampleKey)\",\"o\":\"\(token)\",\"p\":\"p\"\(rest)}"
    }
    func found(_ line: String) throws -> [String] {
      try shapes(Self.tolerances[tolerance].1(Array(line.utf8)))
    }
    let (one, two) = (Self.base64(bytes), Self.base64(Self.assertion(5)))
    let other = Self.base64(Self.assertion(9))
    let events = "[\(record(one)),\(quoted(record(two)))]"
    #expect(try found("{\"events\":\(events)}") == [])
    #expect(try found("{\"events\":\(events),\"copy\":[\"\(two)\"]}") == [])
    #expect(try found("{\"events\":\(events),\"x\":\"\(other)\"}") == ["one:/x"])
    #expect(try found("{\"x\":[0,\"\(other)\"],\"events\":\(events)}") == ["one:/x/1"])
    #expect(
      try found("{\"events\":[\(record(one, ",\"y\":\"\(other)\""))],\"x\":\"\(two)\"}")
        == ["one:/y", "one:/x"])
    // The array is in a string of JSON.
    let body = quoted("{\"events\":\(events)}")
    #expect(try found("{\"body\":\(body)}") == [])
    #expect(try found("{\"body\":\(body),\"x\":\"\(other)\"}") == ["one:/x"])
    for behind in [other, "[\(record(other))]"] {
      #expect(try found("{\"events\":\(quoted("\(events) \(behind)"))}") == ["one:/events"])
    }
    let wider = quoted("{\"events\":\(events),\"x\":\"\(other)\"}")
    #expect(try found("{\"body\":\(wider)}") == ["one:/body/x"])
  }

  @Test func `the shape of a skipped line is the sorted names of its members`() {
    let text = Self.base64(bytes)
    let line = "{\"platform\":\"android\",\"\\u0062\":{\"z\":\"\(text)\"},\"a\":1}"
    #expect(shape(line) == "a,b,platform")
    #expect(shape("{\"b\":\"\(text)\",\"a\":NaN,\"platform\":\"web\"}") == "a,b,platform")
    #expect(shape("{\"b\":\"x\",\"a\":1,\"platform\":\"web\"}") == nil)
  }
}
