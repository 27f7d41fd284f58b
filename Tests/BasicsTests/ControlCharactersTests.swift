import Testing

@testable import Basics

@Suite struct `Control characters` {
  @Test(arguments: [
    ("plain é – 😀\n", false, "plain é – 😀\n"), ("a,b\r\nc\n", false, "a,b\r\nc\n"),
    ("a\rb\u{1B}[2J\t", false, "a\\u000db\\u001b[2J\\u0009"),
    ("\u{9B}31m\u{7F}\u{202E}gnp\u{2069}", false, "\\u009b31m\\u007f\\u202egnp\\u2069"),
    ("\u{1B}[1;31mhigh\u{1B}[0m", true, "\u{1B}[1;31mhigh\u{1B}[0m"),
    ("\u{1B}[1;31mhigh\u{1B}[0m", false, "\\u001b[1;31mhigh\\u001b[0m"),
    ("\u{1B}[2J\u{1B}]0;x\u{7}\u{1B}", true, "\\u001b[2J\\u001b]0;x\\u0007\\u001b"),
  ])
  func `in lines, only line ends and wanted colours stay (reports.R25)`(
    text: String, hasColors: Bool, shown: String
  ) {
    #expect(ControlCharacters.shown(lines: text, hasColors: hasColors) == shown)
  }
}
