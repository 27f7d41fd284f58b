import Foundation
import Testing

@testable import AuditLog

@Suite struct `Token search` {
  private let search = TokenSearch()

  private func finds(_ line: String) -> Bool {
    withLine(Array(line.utf8)) { unsafe search.holdsToken($0) }
  }

  private static let beginnings: [[UInt8]] = [
    [0xA3, 0x63] + Array("fmt".utf8), [0xA3, 0x67] + Array("attStmt".utf8),
    [0xA3, 0x68] + Array("authData".utf8), [0xA2, 0x69] + Array("signature".utf8),
    [0xA2, 0x71] + Array("authenticatorData".utf8),
  ]

  @Test(arguments: beginnings)
  func `what begins as a token does is found, whatever follows it`(_ beginning: [UInt8]) {
    for next in UInt8.min...255 {
      let text = Data(beginning + [next, 0x55, 0xAA]).base64EncodedString()
      #expect(finds("{\"x\":\"\(text)\"}"), "\(next)")
      let url = text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      #expect(finds("{\"x\":\"\(url)\"}"), "\(next)")
    }
  }

  @Test(arguments: beginnings)
  func `what differs in a byte is none`(_ beginning: [UInt8]) {
    for place in beginning.indices {
      for change in [1, 0x20, 0x80] as [UInt8] {
        var other = beginning
        // A map of another size may be a token's as well, and what holds an authenticator data.
        let isShown = beginning.starts(with: [0xA3, 0x68]) || beginning[1] == 0x71
        if place == 0, change == 1 || isShown { continue }
        other[place] ^= change
        #expect(!finds("{\"x\":\"\(Data(other + [0, 0, 0]).base64EncodedString())\"}"))
      }
    }
    for count in 1..<beginning.count {
      #expect(!finds("{\"x\":\"\(Data(beginning.prefix(count)).base64EncodedString())\"}"))
    }
  }

  private let token = "omlzaWduYXR1cmVYRjBEAiA"

  @Test(arguments: [
    "ůmlzaWduYXR1cmVYRjBEAiA", "\u{4E6F}mlz\u{FF61}WduYXR1cmVYRjBEAiA",
    "\\u016fmlzaWduYXR1cmVYRjBEAiA", "\\\\u016FmlzaWduYXR1cmVYRjBEAiA",
    "%C5%AFmlzaWduYXR1cmVYRjBEAiA",
    "omlz\u{120}aWduYXR1cmVYRjBEAiA", "o\u{16D}l\u{17A}aWd\u{175}YX\u{152}1cmVYRjBEAiA",
    "\\ud83d\\ude6fmlzaWduYXR1cmVYRjBEAiA", "\u{16F}-mlz_aWduYXR1cmVYRjBEAiA",
    "éůmlzaWduYXR1cmVYRjBEAiA",
  ])
  func `a token in characters that Node cuts is found`(_ text: String) {
    #expect(finds("{\"x\":\"\(text)\"}"), "\(text)")
    #expect(finds("{\"b\":\"{\\\"x\\\":\\\"\(text)\\\"}\"}"), "\(text)")
  }

  @Test func `honest text outside ASCII holds no token`() {
    for text in ["Müller grüßt", "日本語のログ", "100 %C3%A4 \\u00e4 \\ud83d\\ude00", "žluťoučký kůň 😀"] {
      #expect(!finds("{\"x\":\"\(text)\",\"y\":\"\(text) \(text)\"}"))
    }
  }

  @Test func `a token is found at every place of a line`() {
    for front in 0..<200 {
      let fill = String(repeating: "on", count: front / 2) + (front % 2 == 0 ? "" : "o")
      #expect(finds("{\"\(fill)\":\"\(token)\"}"))
      #expect(!finds("{\"\(fill)\":\"\(token.prefix(14))\"}"))
    }
  }

  @Test(arguments: [
    "{\"a\":[[{\"b\":{\"c\":[1,\"TOKEN\"]}}]]}", "{\"TOKEN\":1}",
    "{\"b\":\"{\\\"t\\\":\\\"TOKEN\\\"}\"}",
    "{\"b\":\"Host: a\\r\\nX-Assertion: TOKEN\\r\\n\\r\\n\"}", "{\"b\":\"a=1&t=TOKEN&c\"}",
    "{\"b\":\"\\nTOKEN\"}", "{\"b\":\"\\\\nTOKEN\"}", "{\"b\":\"x\\u000aTOKEN\"}",
    "{\"b\":\"data:x;base64,TOKEN\"}", "{\"b\":\"/v2/TOKEN\"}",
  ])
  func `it is found under any name, at any depth, in strings of strings`(_ line: String) {
    #expect(finds(line.replacing("TOKEN", with: token)))
    // Letters may be written as escapes, in as many strings as there are.
    for place in [0, 3, 9] {
      var parts = token.map(String.init)
      let scalar = String(parts[place].unicodeScalars.first?.value ?? 0, radix: 16)
      for escape in [
        "\\u00\(scalar)", "\\\\u00\(scalar)", "\\u005cu00\(scalar)",
        "\\u005Cu00\(scalar.uppercased())",
      ] {
        parts[place] = escape
        #expect(finds(line.replacing("TOKEN", with: parts.joined())), "\(escape)")
      }
    }
  }

  @Test(arguments: [
    "{}", "{\"x\":\"\"}", "{\"x\":\"omlza\"}", "{\"x\":\"OMLZAWDUYXR1CMVYRJBEAIA\"}",
    "{\"x\":\"\\u006\"}", "{\"x\":\"\\u006fmlz\"}", "{\"x\":\"\\u003c\\u003e\\u0026\"}",
    "{\"x\":\"\\u005c\"}", "{\"x\":\"on om o2 on\"}", "{\"x\":\"\\u00e9\\u2028\"}",
  ])
  func `other lines hold none`(_ line: String) { #expect(!finds(line)) }

  // MARK: Lenient looks

  /// Spellings of one string's characters that lenient servers take for `text`.
  private func spellings(_ text: String, at place: Int) -> [String] {
    let front = text.prefix(place)
    let rest = text.dropFirst(place)
    let hex = String(rest.utf8.first ?? 0, radix: 16)
    return [
      "\\n", "\\r\\n", "\\t", " ", "!", "%", "=", ".", "\\\\", "\\\"", "é", "\\u00e9", "\\u2028",
      "\\u000a", "%0a", "\\u0022", "\\ud83d\\ude00", String(repeating: "\\n", count: 50),
    ].map { front + $0 + rest } + [
      front + "%\(hex)" + rest.dropFirst(), front + "\\u00\(hex)" + rest.dropFirst(),
      front + "%\\u003\(hex.prefix(1))\(hex.suffix(1))" + rest.dropFirst(),
    ]
  }

  @Test(arguments: [
    "o2NmbXRvYXBwbGUt", "o2dhdHRTdG10", "o2hhdXRoRGF0YVg", "omlzaWduYXR1cmVYRjBEAiA",
    "onFhdXRoZW50aWNhdG9yRGF0YVg",
  ])
  func `a token is found in each odd encoding, wherever it is odd`(_ text: String) {
    for place in 0..<12 {
      for odd in spellings(text, at: place) {
        #expect(finds("{\"x\":\"\(odd)\"}"), "\(odd.prefix(80))")
        #expect(finds("{\"x\":\"Bearer \(odd)\"}"), "\(odd.prefix(80))")
        let inner = odd.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        #expect(finds("{\"b\":\"{\\\"t\\\":\\\"\(inner)\\\"}\"}"), "\(inner.prefix(80))")
      }
    }
  }

  @Test(arguments: [
    "o2NmbXRvYXBwbGUt", "o2dhdHRTdG10", "o2hhdXRoRGF0YVg", "omlzaWduYXR1cmVYRjBEAiA",
    "onFhdXRoZW50aWNhdG9yRGF0YVg", "v2hhdXRoRGF0YVg", "2dn3omlzaWduYXR1cmVYRjBEAiA",
  ])
  func `a token is found though dashes stand in it that a decoder passes over`(_ text: String) {
    for step in 1...6 {
      for dash in ["-", "_", "-_", "\\u002d", "%2D"] {
        let odd = text.enumerated().map { ($0 % step == step - 1 ? dash : "") + String($1) }
          .joined()
        #expect(finds("{\"x\":\"\(odd)\"}"), "\(odd)")
        #expect(finds("{\"x\":\"Bearer \(odd)-\"}"), "\(odd)")
      }
    }
    #expect(!finds("{\"x\":\"o-m-l-z-a\",\"y-z\":\"x-request-id: u-v-w-x-y-z-0-1-2\"}"))
  }

  @Test(
    arguments: [
      [0xB8, 2], [0xB8, 3], [0xB9, 0, 2], [0xB9, 0, 3], [0xBA, 0, 0, 0, 3],
      [0xBB, 0, 0, 0, 0, 0, 0, 0, 2], [0xBF],
      [0xD9, 0xD9, 0xF7, 0xBF], [0xDA, 0, 0, 0xD9, 0xF7, 0xA3],
      [0xDB, 0, 0, 0, 0, 0, 0, 0xD9, 0xF7, 0xA2],
      [0xD9, 0xD9, 0xF7, 0xD9, 0xD9, 0xF7, 0xB8, 2],
    ] as [[UInt8]])
  func `tags, maps and keys may be of any spelling`(_ head: [UInt8]) {
    let isOfThree = head.last == 3 || head.last == 0xA3
    let name = Array((isOfThree ? "authData" : "signature").utf8)
    let count = UInt8(name.count)
    let keys: [[UInt8]] = [
      [0x60 | count] + name, [0x78, count] + name, [0x79, 0, count] + name,
      [0x7A, 0, 0, 0, count] + name, [0x7B, 0, 0, 0, 0, 0, 0, 0, count] + name,
      [0x7F, 0x60 | count] + name + [0xFF],
      [0x7F, 0x60, 0x63] + name.prefix(3) + [0x78, count - 3] + name.dropFirst(3) + [0xFF],
    ]
    for key in keys {
      let text = Data(head + key + [0x58, 0, 0]).base64EncodedString()
      #expect(finds("{\"x\":\"\(text)\"}"), "\(head) \(key)")
      #expect(finds("{\"x\":\"\(text.prefix(3))\\n\(text.dropFirst(3))\"}"), "\(head) \(key)")
      var other = key
      other[other.firstIndex(of: name[1]) ?? 0] ^= 0x20
      #expect(!finds("{\"x\":\"\(Data(head + other).base64EncodedString())\"}"), "\(head) \(key)")
      let short = Data(head + key.prefix(key.count - 2)).base64EncodedString()
      #expect(!finds("{\"x\":\"\(short)\"}"), "\(head) \(key)")
    }
  }

  /// The items of a token's map, a key each with its value.
  private static func items(_ isAssertion: Bool) -> [[UInt8]] {
    let data = [0x58, 40] + [UInt8](repeating: 7, count: 40)
    return isAssertion
      ? [[0x69] + Array("signature".utf8) + data, [0x71] + Array("authenticatorData".utf8) + data]
      : [
        [0x63] + Array("fmt".utf8) + [0x6F] + Array("apple-appattest".utf8),
        [0x67] + Array("attStmt".utf8) + [0xA1, 0x63] + Array("x5c".utf8) + [0x80],
        [0x68] + Array("authData".utf8) + data,
      ]
  }

  /// Entries of a map that no token has.
  private static let foreign: [[UInt8]] = [
    [0x61, 0x78, 1], [0x61, 0x78, 0x39, 1, 0], [0x63] + Array("abc".utf8) + [0x41, 0],
    [0x61, 0x78, 0x82, 0xA1, 1, 2, 0xF6], [0x7F, 0x61, 0x78, 0xFF, 0x5F, 0x42, 1, 2, 0xFF],
    [0x78, 30] + [UInt8](repeating: 0x2E, count: 30) + [0xC1, 0xFB, 0, 1, 2, 3, 4, 5, 6, 7],
  ]

  @Test(arguments: [false, true])
  func `a token is found in a map of any size, in any order, behind foreign entries`(
    _ isAssertion: Bool
  ) {
    let items = Self.items(isAssertion)
    let count = UInt8(items.count)
    let tags: [[UInt8]] = [[], [0xD8, 0x64], [0xD9, 0x10, 0], [0xC1], [0xD2, 0xD8, 0x64]]
    for foreign in Self.foreign {
      for place in 0...items.count {
        for turn in items.indices {
          var map = Array(items[turn...] + items[..<turn])
          map.insert(foreign, at: place)
          for head in [[0xA0 | (count + 1)], [0xB8, count + 1], [0xB9, 0, count + 1], [0xBF]] {
            for tag in tags {
              let bytes = tag + head + map.joined()
              let text = Data(bytes).base64EncodedString()
              #expect(finds("{\"x\":\"\(text)\"}"), "\(text)")
              #expect(finds("{\"x\":\"Bearer9\(text)\"}"), "\(text)")
            }
            // Where it is odd as well, its first entries are read.
            let text = Data(head + map.joined()).base64EncodedString()
            for fold in [3, 76] where text.count > fold {
              let folded = "\(text.prefix(fold))\\r\\n\(text.dropFirst(fold))"
              #expect(finds("{\"x\":\"\(folded)\"}"), "\(folded)")
            }
          }
        }
      }
    }
  }

  @Test func `maps and texts of something else hold no token`() {
    var random = SystemRandomNumberGenerator()
    for foreign in Self.foreign {
      for count in 1...4 {
        let map = [UInt8(0xA0 | count)] + Array(repeating: foreign, count: count).joined()
        #expect(!finds("{\"x\":\"\(Data(map).base64EncodedString())\"}"))
      }
    }
    for text in ["{\"authData\":1,\"authenticatorData\":2}", "xauthData", "the authenticatorData"] {
      for front in 0..<3 {
        let bytes = Array(repeating: 0x20, count: front) + Array(text.utf8)
        #expect(!finds("{\"x\":\"\(Data(bytes).base64EncodedString())\"}"))
      }
    }
    for _ in 0..<2000 {
      let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Data(bytes).base64EncodedString()
      #expect(!finds("{\"x\":\"\(text)\"}"), "\(text)")
      let words = text.replacing("A", with: " ").replacing("/", with: "\",\"")
      #expect(!finds("{\"x\":\"\(words)\"}"), "\(words)")
    }
  }

  @Test(arguments: [
    "o2NmbXRvYXBwbGUt", "o2hhdXRoRGF0YVg", "omlzaWduYXR1cmVYRjBEAiA", "2dn3omlzaWduYXR1cmVYRjBE",
  ])
  func `fillers of any length hide no token`(_ text: String) {
    for filler in ["\\n", "!", " ", "é", "\\u000a", "%0a", "%"] {
      for count in [100, 3000] {
        let row = String(repeating: filler, count: count)
        for places in [[1], [5], [13], [1, 2, 4, 5]] {
          var parts = text.map(String.init)
          for place in places { parts[place] = row + parts[place] }
          #expect(finds("{\"x\":\"\(parts.joined())\"}"), "\(filler) \(count) \(places)")
          parts.removeLast(parts.count - 6)
          #expect(!finds("{\"x\":\"\(parts.joined())\"}"), "\(filler) \(count) \(places)")
        }
      }
    }
  }

  @Test func `a row of tags hides no token, however long`() {
    let tags = String(repeating: "2dn3", count: 300)
    #expect(finds("{\"x\":\"\(tags)omlzaWduYXR1cmVYRjBE\"}"))
    #expect(!finds("{\"x\":\"2dn32dn3Z2R0\"}"))
  }

  @Test func `honest lines hold none`() {
    for line in [
      "{\"msec\":1772359965.123,\"addr\":\"203.0.113.57\",\"path\":\"/v2/orders?x=10%2F20%20&o=%6f\"}",
      "{\"agent\":\"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) Version/17.2\"}",
      "{\"x\":\"onFhdX\",\"y\":\"RoZW50aWNhdG9yRGF0YVg\"}",
      "{\"x\":\"user fmt authData signature\"}",
      "{\"n\":[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,0,1,0,1]}",
      "{\"n\":\"\\u0434\\u0430\\u003c\\u0026\"}",
    ] {
      #expect(!finds(line), "\(line)")
    }
  }

  @Test(arguments: [
    "2,", "%0a", "%32", "\\u000a", "\\u0032", "\\\\", "v!3!9!g!", "\\n", "%25",
    "o\\n", "om!!!!!!!!", "2!d!n!2", "o2!N!m!o", "é", "oé",
  ])
  func `no hostile line is looked at for long`(_ part: String) {
    let clock = ContinuousClock()
    let line = "{\"x\":\"" + String(repeating: part, count: 20_000) + "\"}"
    var isFound = true
    let time = clock.measure { isFound = finds(line) }
    #expect(!isFound && time < .seconds(20))
  }

  // MARK: Text in base64

  /// The base64 of a JSON object that holds a text.
  private func wrapped(_ text: String) -> String {
    Data("{\"keyId\":\"\(String(repeating: "k", count: 43))=\",\"t\":\"\(text)\"}".utf8)
      .base64EncodedString()
  }

  private var longToken: String { token + String(repeating: "A/+b", count: 20) }

  @Test func `a token is found in a body that is base64 itself`() {
    let body = wrapped(longToken)
    let url = body.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let percent = body.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing(
      "=", with: "%3D")
    let slashes = wrapped(longToken + "???>>>").replacing("/", with: "\\/")
    #expect(slashes.contains("\\/"))
    for text in [
      body, url, percent, slashes, slashes.replacing("\\/", with: "\\\\\\/"),
      "data:application/json;base64,\(body)", "a=1&d=\(percent)&e", wrapped(body),
      wrapped(wrapped(url)), Data(longToken.utf8).base64EncodedString(),
    ] {
      #expect(finds("{\"body\":\"\(text)\",\"isBase64Encoded\":true}"), "\(text)")
      #expect(finds("{\"log\":\"{\\\"body\\\":\\\"\(text)\\\"}\"}"), "\(text)")
    }
    #expect(!finds("{\"body\":\"\(wrapped(wrapped(wrapped(body))))\"}"))
    #expect(!finds("{\"body\":\"\(wrapped(String(longToken.dropFirst())))\"}"))
  }

  @Test func `a body in base64 may have line breaks, and a path in front`() {
    let body = wrapped(longToken)
    for width in [1, 3, 64, 76] {
      for lineBreak in ["\\n", "\\r\\n", "\\\\r\\\\n", "%0D%0A"] {
        var broken = ""
        for (index, character) in body.enumerated() {
          if index > 0, index % width == 0 { broken += lineBreak }
          broken.append(character)
        }
        #expect(finds("{\"body\":\"\(broken)\"}"), "\(broken)")
      }
    }
    for front in 0..<200 {
      let path = String(repeating: "v", count: front)
      #expect(finds("{\"path\":\"/\(path)/\(body)\"}"))
      #expect(finds("{\"\(path)\":\"\(body)\"}"))
    }
  }

  @Test func `an honest body in base64 holds none`() {
    #expect(!finds("{\"body\":\"\(wrapped("some text, longer than that of a token by far"))\"}"))
    let header = Data(#"{"alg":"ES256","kid":"x","typ":"JWT"}"#.utf8).base64EncodedString()
    let claims = wrapped(String(repeating: "claim ", count: 40))
    #expect(!finds("{\"authorization\":\"Bearer \(header).\(claims).c2ln\"}"))
  }

  @Test(arguments: ["A", "/", "\\", "\\\\n", "%", "%41", "%4", "eyJ0", "WldKbElp"])
  func `no hostile base64 is decoded for long`(_ part: String) {
    var text = String(repeating: part, count: 100_000)
    for _ in 0..<3 {
      let line = "{\"x\":\"\(text)\"}"
      var isFound = true
      let time = ContinuousClock().measure { isFound = finds(line) }
      #expect(!isFound && time < .seconds(20))
      text = Data(text.utf8).base64EncodedString()
    }
  }

  @Test func `escapes of escapes end`() {
    #expect(!finds("{\"x\":\"" + String(repeating: "\\u005cu005c", count: 100_000) + "\"}"))
    #expect(!finds("{\"x\":\"" + String(repeating: "\\\\", count: 500_000) + "u006f\"}"))
  }

  @Test func `the names of a line's members are listed in order`() {
    func names(_ line: String) -> String {
      String(decoding: MemberNames.list(Array(line.utf8).span), as: UTF8.self)
    }
    #expect(names("{}") == "")
    #expect(
      names(" { \"b\" : 1 , \"a\":{\"x\":[1,{\"y\":2}],\"z\":3},\"c\":[\"d\",{\"e\":1}]}")
        == "b,a,c")
    #expect(names("{\"a\\\"b\":\"x\\\\\",\"\":\",\\\"q\\\":\",\"é\":null}") == "a\\\"b,,é")
    #expect(names("{\"a") == "a")
    #expect(names("{\"a\\") == "a\\")
  }
}
