import Basics
import Testing

/// Lines for people (reports.R49): breaks, what follows them, and what is never broken.
struct TextWrapTests {
  private static let long = String(repeating: "x", count: 90)
  private static let words = String(repeating: "word ", count: 15)

  @Test(
    arguments: [
      ("", ""), ("a  b", "a  b"), ("\(words)12345", "\(words)12345"),
      ("\(words)123456", "\(words.dropLast())\n  123456"),
      ("  \(words)1234", "  \(words.dropLast())\n    1234"),
      ("name    \(words)x", "name    \(words.dropLast(5 + 1))\n        word x"),
      ("a  \(long)", "a  \(long)"), ("ab \(long) b", "ab\n  \(long)\n  b"),
      ("\(words)123456\nb", "\(words.dropLast())\n  123456\nb"),
      ("\u{1B}[1;31m\(words)12345\u{1B}[0m", "\u{1B}[1;31m\(words)12345\u{1B}[0m"),
      ("\(words)jq\(TextWrap.joint)-cr", "\(words.dropLast())\n  jq -cr"),
      ("jq\(TextWrap.joint)\(long)", "jq \(long)"),
    ])
  func `a page has lines of 80 columns that begin at the last column of words`(
    _ text: String, _ page: String
  ) {
    #expect(TextWrap.page(text) == page)
  }

  @Test func `a longer word is cut if asked for`() {
    #expect(
      TextWrap.lines("ab \(Self.long)", width: 40, hang: 2, cutsWords: true)
        == [
          "ab", "  " + Self.long.prefix(38), "  " + Self.long.prefix(38),
          "  " + Self.long.prefix(14),
        ]
    )
  }
}
