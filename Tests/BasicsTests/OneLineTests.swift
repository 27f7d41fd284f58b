import Testing

@testable import Basics

struct OneLineTests {
  @Test(arguments: [
    ("plain é 😀", "plain é 😀"), ("a\u{1B}[2J", "a\\u001b[2J"), ("a\r\nb", "a\\u000d\\u000ab"),
    ("\u{202E}gnp", "\\u202egnp"), ("\u{9B}x", "\\u009bx"), ("\u{E0001}", "\\udb40\\udc01"),
    ("\\u001b", "\\u001b"),
  ])
  func `what would drive a terminal is shown`(_ text: String, _ shown: String) {
    #expect(OneLine.escape(text) == shown)
    #expect(OneLine.escape(shown) == shown)
  }
}
