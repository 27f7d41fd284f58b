/// Text for people, in lines of at most 80 columns, but for longer paths, digests and commands.
package enum TextWrap {
  /// The columns that a line for people has at most.
  package static let columns = 80
  /// A space of a command, at which no line breaks. It is written as a space.
  package static let joint: Character = "\u{E000}"

  /// A word of a line, with the spaces before it.
  private struct Word {
    var gap: Int
    var text: Substring
    /// The columns of the text. Sequences that set colours have none.
    var width: Int
  }

  /// Returns the lines of a page, each long one broken. What follows a break begins at the line's
  /// last column of words, which two spaces precede, or two columns behind its beginning.
  package static func page(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.utf8.count > columns ? lines(line).joined(separator: "\n") : shown(String(line))
    }.joined(separator: "\n")
  }

  /// Returns a line, or several of at most `width` columns, the further ones from the column `hang`
  /// on, or one that the line gives. `cutsWords` is for longer words.
  package static func lines(
    _ text: some StringProtocol, width: Int = columns, hang: Int? = nil, cutsWords: Bool = false
  ) -> [String] {
    let words = words(Substring(text))
    let hang = hang ?? self.hang(words)
    let margin = String(repeating: " ", count: hang)
    var lines: [String] = []
    var line = ""
    var column = 0
    for word in words {
      if column + word.gap + word.width > width, column + word.gap > hang {
        lines.append(line)
        (line, column) = (margin, hang)
      } else {
        line += String(repeating: " ", count: word.gap)
        column += word.gap
      }
      var (rest, length) = (word.text, word.width)
      while cutsWords, length > max(1, width - column) {
        let piece = rest.prefix(max(1, width - column))
        lines.append(line + piece)
        rest = rest.dropFirst(piece.count)
        length = rest.count
        (line, column) = (margin, hang)
      }
      line += rest
      column += length
    }
    if !line.isEmpty { lines.append(line) }
    return lines.map(shown)
  }

  private static func shown(_ line: String) -> String {
    line.contains(joint) ? line.replacing([joint], with: " ") : line
  }

  private static func words(_ line: Substring) -> [Word] {
    var words: [Word] = []
    var rest = line
    while !rest.isEmpty {
      let spaces = rest.prefix { $0 == " " }
      rest = rest.dropFirst(spaces.count)
      let text = rest.prefix { $0 != " " }
      rest = rest.dropFirst(text.count)
      if !text.isEmpty { words.append(Word(gap: spaces.count, text: text, width: width(text))) }
    }
    return words
  }

  private static func hang(_ words: [Word]) -> Int {
    var hang = (words.first?.gap ?? 0) + 2
    var column = 0
    for (index, word) in words.enumerated() {
      column += word.gap
      if index > 0, word.gap > 1, column <= columns / 2 { hang = column }
      column += word.width
    }
    return hang
  }

  private static func width(_ text: Substring) -> Int {
    guard text.utf8.contains(0x1B) else { return text.count }
    var width = 0
    var isColor = false
    for character in text {
      if character == "\u{1B}" { isColor = true }
      if !isColor { width += 1 }
      if character == "m" { isColor = false }
    }
    return width
  }
}
