import AppAttest
import Foundation
import Testing

@testable import AuditLog

@Suite struct `Token search` {
  private static func assertion(_ fill: UInt8) -> [UInt8] {
    [0xA2, 0x69] + Array("signature".utf8) + [0x58, 70] + (0..<70).map { fill &+ $0 &* 7 }
      + [0x71] + Array("authenticatorData".utf8) + [0x58, 37] + (0..<37).map { fill &- $0 &* 5 }
  }

  private let bytes = Self.assertion(3)
  private let search = TokenSearch(AppAttestSniffer.beginsToken)

  private func finds(_ line: String, isCut: Bool = false) -> Bool {
    withLine(Array(line.utf8)) { unsafe search.finds($0, isCut: isCut) }
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

  /// The ways in which a token can be written, each as a value of JSON.
  static let forms: [(String, @Sendable ([UInt8]) -> String)] = [
    ("base64", { quoted(base64($0)) }),
    ("base64url", { quoted(url(base64($0))) }),
    ("hex", { quoted(hex($0)) }),
    ("capital hex", { quoted(hex($0).uppercased()) }),
    ("0x", { quoted("0x" + hex($0)) }),
    ("\\x", { quoted("\\x" + hex($0)) }),
    ("\\\\x", { quoted("\\\\x" + hex($0)) }),
    ("numbers", { numbers($0) }),
    ("numbers with spaces", { "[ " + numbers($0, " , ").dropFirst() }),
    ("Buffer", { "{\"type\":\"Buffer\",\"data\":\(numbers($0))}" }),
    ("percent signs", { quoted(percent(base64($0))) }),
    ("percent signs twice", { quoted(percent(percent(base64($0)))) }),
    (
      "base64 with percent signs",
      { quoted(base64($0).replacing("+", with: "%2B").replacing("/", with: "%2f")) }
    ),
    (
      "escapes",
      {
        "\"" + base64($0).unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined()
          + "\""
      }
    ),
    ("escaped slashes", { "\"" + base64($0).replacing("/", with: "\\/") + "\"" }),
    ("line breaks", { "\"" + base64($0).prefix(76) + "\\r\\n" + base64($0).dropFirst(76) + "\"" }),
    (
      "an early line break",
      { "\"" + base64($0).prefix(3) + "\\n" + base64($0).dropFirst(3) + "\"" }
    ),
    ("base64 of JSON", { quoted(wrapped(base64($0))) }),
    ("base64url of JSON", { quoted(url(wrapped(url(base64($0))))) }),
    ("base64 of base64 of JSON", { quoted(wrapped(wrapped(hex($0)))) }),
    ("base64 thrice", { quoted(wrapped(wrapped(wrapped(base64($0))))) }),
    ("base64 of numbers", { quoted(base64(Array("{\"data\":\(numbers($0))}".utf8))) }),
    ("base64 of JSON with percent signs", { quoted(percent(wrapped(base64($0)))) }),
  ]

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
      let fill = String(repeating: "v", count: front)
      #expect(finds("{\"\(fill)\":\"\(Self.base64(bytes))\"}"))
      #expect(finds("{\"path\":\"/\(fill)/\(Self.wrapped(Self.base64(bytes)))\"}"))
    }
  }

  @Test(arguments: forms.indices)
  func `a token that is known does not count in any form, and another one does (records.R83)`(
    _ form: Int
  ) {
    let other = Self.assertion(9)
    for text in [Self.base64(bytes), Self.hex(bytes)] {
      let characters = Array(text.utf8)
      search.forget()
      unsafe characters.withUnsafeBufferPointer { unsafe search.know($0, bytes.span) }
      #expect(
        !finds("{\"x\":\(Self.forms[form].1(bytes)),\"y\":\"\(text)\"}"), "\(Self.forms[form].0)")
      #expect(
        finds("{\"x\":\(Self.forms[form].1(other)),\"y\":\"\(text)\"}"), "\(Self.forms[form].0)")
    }
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
    let characters = Array(text(token).utf8)
    unsafe characters.withUnsafeBufferPointer { unsafe search.know($0, token.span) }
    #expect(!finds("{\"x\":\"\(text(token).replacing("/", with: slash))\"}"))
    #expect(finds("{\"x\":\"\(text(other).replacing("/", with: slash))\"}"))
  }

  @Test func `a beginning that all tokens have in common makes no other one known (records.R83)`() {
    let characters = Array(Self.base64(bytes).utf8)
    unsafe characters.withUnsafeBufferPointer { unsafe search.know($0, bytes.span) }
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
      #expect(time < .seconds(20))
      text = Self.base64(Array(text.utf8))
    }
  }

  // MARK: Lines longer than the limit

  @Test(arguments: [1, 2, 7, 100, 1000])
  func `a token that two pieces share is found`(_ size: Int) {
    let long = LongLineSearch(AppAttestSniffer.beginsToken)
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
      beginsToken: AppAttestSniffer.beginsToken)
    var buffer = ByteBuffer()
    return withLine(Array(line.utf8)) { text in
      switch unsafe reader.read(text, into: &buffer) {
      case .record(let record):
        guard reader.findsToken(beside: record, buffer) else { return nil }
        return unsafe String(decoding: reader.shape(ofRead: text), as: UTF8.self)
      case .skipped:
        guard reader.findsToken(buffer) else { return nil }
        return unsafe String(decoding: reader.shape(of: text), as: UTF8.self)
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
  }

  @Test func `the shape of a skipped line is the sorted names of its members`() {
    let text = Self.base64(bytes)
    let line = "{\"platform\":\"android\",\"\\u0062\":{\"z\":\"\(text)\"},\"a\":1}"
    #expect(shape(line) == "a,b,platform")
    #expect(shape("{\"b\":\"\(text)\",\"a\":NaN,\"platform\":\"web\"}") == "a,b,platform")
    #expect(shape("{\"b\":\"x\",\"a\":1,\"platform\":\"web\"}") == nil)
  }
}
