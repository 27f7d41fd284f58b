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
        other[place] ^= change
        guard !Self.beginnings.contains(other) else { continue }
        #expect(!finds("{\"x\":\"\(Data(other + [0, 0, 0]).base64EncodedString())\"}"))
      }
    }
    for count in 1..<beginning.count {
      #expect(!finds("{\"x\":\"\(Data(beginning.prefix(count)).base64EncodedString())\"}"))
    }
  }

  private let token = "omlzaWduYXR1cmVYRjBEAiA"

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
