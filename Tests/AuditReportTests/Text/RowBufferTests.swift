import Basics
import Foundation
import Testing

@testable import AuditReport

struct RowBufferTests {
  private func csv(_ text: String, guarded: Bool = false) -> String {
    var rows = RowBuffer()
    rows.append(csv: text, guarded: guarded)
    return String(decoding: rows.bytes, as: UTF8.self)
  }

  private func json(_ text: String) -> String {
    var rows = RowBuffer()
    rows.append(json: text)
    return String(decoding: rows.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"a\"", "\"say \"\"a\"\"\""),
    ("two\nlines", "two\\u000alines"), ("\"", "\"\"\"\""), ("ä;'", "ä;'"),
  ])
  func `csv fields are quoted where needed`(_ text: String, _ field: String) {
    #expect(csv(text) == field)
  }

  @Test(arguments: [
    ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\tx", "'\\u0009x"),
    ("\rx", "'\\u000dx"), ("=a,b", "\"'=a,b\""), ("=\"x\"", "\"'=\"\"x\"\"\""), ("a=1", "a=1"),
    ("'=1", "'=1"), ("", ""),
  ])
  func `text that a spreadsheet would run gets an apostrophe`(_ text: String, _ field: String) {
    #expect(csv(text, guarded: true) == field)
  }

  @Test(arguments: [
    ("a\u{1B}[31mb", "a\\u001b[31mb"), ("\u{0}\u{7F}", "\\u0000\\u007f"),
    ("a\u{9B}31m, b", "\"a\\u009b31m, b\""), ("ä \u{A0}", "ä \u{A0}"), ("=\u{7}", "'=\\u0007"),
    ("a\r\nb", "a\\u000d\\u000ab"),
    ("\u{202E}gnp\u{2066}\u{200F}\u{61C}", "\\u202egnp\\u2066\\u200f\\u061c"),
    ("– “ä” ؀", "– “ä” ؀"),
  ])
  func `control characters of a log are shown`(_ text: String, _ field: String) {
    #expect(csv(text, guarded: true) == field)
  }

  @Test func `paths are not guarded`() {
    #expect(csv("-") == "-")
  }

  @Test func `a crlf is one character to Swift and still shown`() {
    #expect(csv("\r\n", guarded: true) == "'\\u000d\\u000a")
  }

  @Test(arguments: [
    ("", "\"\""), ("a\"b\\c", #""a\"b\\c""#), ("\u{08}\t\n\u{0C}\r", #""\b\t\n\f\r""#),
    ("\u{00}\u{1F}\u{7F}", "\"\\u0000\\u001f\\u007f\""), ("é\u{1F600}", "\"é\u{1F600}\""),
    ("\r\n", #""\r\n""#), ("\u{9B}1m\u{202E}ab\u{61C}", #""\u009b1m\u202eab\u061c""#),
    ("– “ä” ؀", "\"– “ä” ؀\""),
  ])
  func `json strings are escaped`(_ text: String, _ value: String) {
    #expect(json(text) == value)
  }

  @Test func `an odd character is escaped for json wherever it stands`() {
    for odd in ["\"", "\\", "\u{0}", "\u{1F}", " ", "!", "\u{7F}", "\u{80}", "ä", "€"] {
      for length in 0...24 {
        for place in 0...length {
          let text =
            String(repeating: "a", count: place) + odd
            + String(repeating: "b", count: length - place)
          #expect(json(text) == String(decoding: JSONString.quoted(text), as: UTF8.self))
        }
      }
    }
  }

  @Test func `every single scalar comes back from a json parser`() throws {
    let text = String(String.UnicodeScalarView((0..<0x3000).compactMap { Unicode.Scalar($0) }))
    let parsed = try JSONSerialization.jsonObject(
      with: Data(json(text).utf8), options: .fragmentsAllowed)
    #expect((parsed as? String)?.utf8.elementsEqual(text.utf8) == true)
  }

  @Test(arguments: [
    (UInt64(0), "0"), (10, "10"), (123_456, "123456"), (.max, "18446744073709551615"),
  ])
  func `numbers are decimal`(_ value: UInt64, _ text: String) {
    var rows = RowBuffer()
    rows.append(decimal: value)
    #expect(String(decoding: rows.bytes, as: UTF8.self) == text)
  }
}
