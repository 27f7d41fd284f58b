import AuditReport
import Basics

/// Text of at most 80 columns for people. No text of a log in it can control the terminal.
struct TextPage {
  enum Tone: String {
    case plain = ""
    case good = "\u{1B}[32m"
    case bad = "\u{1B}[1;31m"
    case faint = "\u{1B}[2m"
    case strong = "\u{1B}[1m"
  }

  private static let width = TextWrap.columns
  /// The length of the longest value that is shown, in characters.
  private static let valueLimit = 2000

  let hasColors: Bool
  private(set) var text = ""

  /// Adds a line unchanged, except for characters that control terminals.
  mutating func line(_ line: String = "", _ tone: Tone = .plain) {
    text += painted(Self.safe(line), tone) + "\n"
  }

  mutating func heading(_ title: String) {
    if !text.isEmpty { text += "\n" }
    line(title, .strong)
  }

  /// Adds a name and a value that is wrapped behind it at `indent` columns.
  mutating func row(
    _ name: String, _ value: String, indent: Int = 16, at margin: Int = 2, _ tone: Tone = .plain
  ) {
    let start = String(repeating: " ", count: margin) + Self.safe(name)
    var lines = TextWrap.lines(
      Self.safe(value), width: Self.width - indent, hang: 0, cutsWords: true)
    if lines.isEmpty { lines = [""] }
    if start.count >= indent {
      text += start + "\n"
    } else {
      let first = lines.removeFirst()
      text +=
        start + String(repeating: " ", count: indent - start.count) + painted(first, tone) + "\n"
    }
    for line in lines { text += String(repeating: " ", count: indent) + painted(line, tone) + "\n" }
  }

  mutating func paragraph(_ words: String, at margin: Int = 2, _ tone: Tone = .plain) {
    for line in TextWrap.lines(
      Self.safe(words), width: Self.width - margin, hang: 0, cutsWords: true)
    {
      text += String(repeating: " ", count: margin) + painted(line, tone) + "\n"
    }
  }

  private func painted(_ text: String, _ tone: Tone) -> String {
    hasColors && tone != .plain && !text.isEmpty ? tone.rawValue + text + "\u{1B}[0m" : text
  }

  private static func safe(_ text: String) -> String {
    PrintableText.beginning(text, limit: valueLimit)
  }
}
