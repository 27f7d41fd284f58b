import Foundation

/// A case of a table in `Tests/Cases`: a text, and what is said about it.
///
///     # a remark
///     | a line of the text
///     | another one
///     ! the message
///     ? the hint, if there is one
///     ! the message of a further case with this text
///
/// A blank line ends the text.
package struct TextCase: CustomStringConvertible, Sendable {
  package var text = ""
  package var message = ""
  package var hint: String?
  package var description: String { message }
  /// The lines of the text.
  package var lines: [Substring] { text.split(separator: "\n") }

  /// Returns the cases of the table with this name. A table that cannot be read has one case, which fails.
  package static func read(_ name: String) -> [TextCase] {
    let path = "\(Repository.root)/Tests/Cases/\(name).txt"
    guard let table = try? String(contentsOfFile: path, encoding: .utf8) else {
      return [TextCase(text: path, message: "\(path) cannot be read")]
    }
    return table.components(separatedBy: "\n\n").flatMap { part in
      var (cases, lines) = ([TextCase](), [Substring]())
      for line in part.split(separator: "\n") {
        let rest = String(line.dropFirst(2))
        switch line.first {
        case "!": cases.append(TextCase(text: lines.joined(separator: "\n"), message: rest))
        case "?": cases[cases.count - 1].hint = rest
        case "#": break
        default: lines.append(line.dropFirst(2))
        }
      }
      return cases
    }
  }
}
