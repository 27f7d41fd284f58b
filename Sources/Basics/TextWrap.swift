/// Text in lines of a limited length.
package enum TextWrap {
  /// The columns that a line for people has at most.
  package static let columns = 80

  /// Returns the words of a text in lines of at most `width` characters. A longer word is cut if
  /// `cutsWords`, and otherwise has a line that is longer.
  package static func lines(_ text: String, width: Int, cutsWords: Bool = false) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      var word = word
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      while cutsWords, line.isEmpty, word.count > width {
        lines.append(String(word.prefix(width)))
        word = word.dropFirst(width)
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
