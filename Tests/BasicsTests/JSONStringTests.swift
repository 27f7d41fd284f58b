import Basics
import Foundation
import Testing

struct JSONStringTests {
  @Test func `every character is read as it was`() throws {
    let text = String(String.UnicodeScalarView((0..<0x800).compactMap(Unicode.Scalar.init)))
    let read = try JSONDecoder().decode(
      [String].self, from: Data("[".utf8 + JSONString.quoted(text) + "]".utf8))
    #expect(read == [text])
  }

  @Test func `control characters, quotes and backslashes are escaped, and nothing else`() {
    let quoted = String(decoding: JSONString.quoted("a\"\\\u{0}\n\t\u{1F}/é"), as: UTF8.self)
    #expect(quoted == #""a\"\\\u0000\n\t\u001f/é""#)
  }
}
