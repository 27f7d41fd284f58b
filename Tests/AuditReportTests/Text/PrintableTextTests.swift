import Testing

@testable import AuditReport

struct PrintableTextTests {
  @Test(arguments: [
    ("day/a.jsonl", "day/a.jsonl"), ("", ""), ("ünï/日.log", "ünï/日.log"),
    ("a\u{1B}[31mb", "a\\u001b[31mb"), ("a\nb\r", "a\\u000ab\\u000d"),
    ("\u{0}\u{7F}", "\\u0000\\u007f"),
    ("a\u{9B}31m", "a\\u009b31m"), ("a\u{202E}b", "a\\u202eb"),
    ("a\u{2028}b", "a\\u2028b"), ("a\u{200B}b", "a\\u200bb"), ("o\u{301}", "o\\u0301"),
    ("\u{E000}", "\\ue000"),
  ])
  func `nothing that drives a terminal is left`(_ text: String, _ shown: String) {
    #expect(PrintableText.line(text, limit: 40) == shown)
  }

  @Test func `of a long text the end stays`() {
    #expect(PrintableText.line("abcdefgh", limit: 8) == "abcdefgh")
    #expect(PrintableText.line("abcdefghi", limit: 8) == "…cdefghi")
    #expect(PrintableText.line("ab\u{1B}", limit: 8) == "ab\\u001b")
    #expect(PrintableText.line("abcd\u{1B}", limit: 8) == "…d\\u001b")
    #expect(PrintableText.line("\u{1B}\u{1B}", limit: 9) == "…1b\\u001b")
  }

  @Test func `of a sentence the beginning stays`() {
    #expect(PrintableText.beginning("abc", limit: 3) == "abc")
    #expect(PrintableText.beginning("abcd", limit: 3) == "abc…")
    #expect(PrintableText.beginning("a\u{1B}b", limit: 7) == "a\\u001b…")
    #expect(PrintableText.beginning("😀\u{F0000}", limit: 40) == "😀\\udb80\\udc00")
  }

  @Test func `a text of any length is cut`() {
    let marks = String(repeating: "\u{301}", count: 100_000)
    let shown = PrintableText.line("a" + marks, limit: 60)
    #expect(shown.unicodeScalars.count == 60)
    #expect(shown.unicodeScalars.allSatisfy { $0 == "…" || $0.isASCII })
  }
}
