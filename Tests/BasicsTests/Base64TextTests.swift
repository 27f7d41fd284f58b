import Basics
import Foundation
import Testing

struct Base64TextTests {
  @Test func `texts are those of Foundation`() {
    let bytes = (0...255).map { UInt8($0) } + [0xFB, 0xEF, 0xFF]
    for count in 0...bytes.count {
      let part = Array(bytes.suffix(count))
      #expect(Base64Text.text(part) == Data(part).base64EncodedString())
    }
  }

  @Test func `PEM has lines of 64 characters`() {
    let text = Base64Text.pem("CERTIFICATE", [UInt8](repeating: 0, count: 49))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.map(\.count) == [27, 64, 4, 25, 0])
    #expect(Base64Text.pem("X", []) == "-----BEGIN X-----\n-----END X-----\n")
  }
}
