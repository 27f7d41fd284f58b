import Testing

@testable import AuditReport

struct PrintableTextTests {
  @Test(arguments: [
    ("day/a.jsonl", "day/a.jsonl"), ("", ""), ("ünï/日.log", "ünï/日.log"),
    ("a\u{1B}[31mb", "a\\u{1B}[31mb"), ("a\nb\r", "a\\nb\\r"), ("\u{0}\u{7F}", "\\0\\u{7F}"),
    ("a\u{9B}31m", "a\\u{009B}31m"), ("a\u{202E}b", "a\\u{202E}b"),
    ("a\u{2028}b", "a\\u{2028}b"), ("a\u{200B}b", "a\\u{200B}b"), ("o\u{301}", "o\\u{0301}"),
    ("\u{E000}", "\\u{E000}"),
  ])
  func `nothing that drives a terminal is left`(_ text: String, _ shown: String) {
    #expect(PrintableText.line(text, limit: 40) == shown)
  }

  @Test func `of a long text the end stays`() {
    #expect(PrintableText.line("abcdefgh", limit: 8) == "abcdefgh")
    #expect(PrintableText.line("abcdefghi", limit: 8) == "…cdefghi")
    #expect(PrintableText.line("ab\u{1B}", limit: 8) == "ab\\u{1B}")
    #expect(PrintableText.line("abc\u{1B}", limit: 8) == "…c\\u{1B}")
    #expect(PrintableText.line("\u{1B}\u{1B}", limit: 10) == "…1B}\\u{1B}")
  }

  @Test func `a text of any length is cut`() {
    let marks = String(repeating: "\u{301}", count: 100_000)
    let shown = PrintableText.line("a" + marks, limit: 60)
    #expect(shown.unicodeScalars.count == 60)
    #expect(shown.unicodeScalars.allSatisfy { $0 == "…" || $0.isASCII })
  }
}
