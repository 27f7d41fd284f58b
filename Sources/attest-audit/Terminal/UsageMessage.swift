import AuditReport
import AuditSettings

/// A message of ArgumentParser, reworded for this program: one line, lower case, no full stop.
enum UsageMessage {
  private static let suggestion = "Did you mean "

  static func error(_ message: String, status: ExitStatus) -> CommandError {
    var text = message.split(whereSeparator: \.isNewline)
      .map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.joined(separator: " ")
    var hint = "see \(Tool.name) --help"
    if let range = text.ranges(of: suggestion).last {
      let meant = String(text[range.upperBound...])
      text = String(text[..<range.lowerBound])
      // ArgumentParser also suggests words that have little in common.
      let words = [text, meant].map { words in
        words.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first
          .map { String($0.drop { $0 == "-" }) } ?? ""
      }
      if NearestName.of(words[0], among: [words[1]]) != nil {
        hint = "did you mean " + meant
      }
    }
    while let last = text.last, last == "." || last == " " { text.removeLast() }
    if let first = text.first, text.dropFirst().first?.isUppercase != true {
      text = first.lowercased() + text.dropFirst()
    }
    return CommandError(status, text, hint: hint)
  }
}
