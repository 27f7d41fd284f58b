import Basics
import Foundation
import Testing

struct Base64TextTests {
  /// The vectors of RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `the standard's vectors come out`(text: String, expected: String) {
    #expect(Base64Text.text(Array(text.utf8)) == expected)
  }

  @Test func `every digit is written`() {
    #expect(Base64Text.text([0xFB, 0xEF, 0xFF]) == "++//")
    let bytes = (0...255).map { UInt8($0) }
    #expect(Base64Text.text(bytes) == Data(bytes).base64EncodedString())
  }

  @Test func `PEM has lines of 64 characters`() {
    let text = Base64Text.pem("CERTIFICATE", [UInt8](repeating: 0, count: 49))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.map(\.count) == [27, 64, 4, 25, 0])
    #expect(Base64Text.pem("X", []) == "-----BEGIN X-----\n-----END X-----\n")
  }
}
