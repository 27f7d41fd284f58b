import Foundation

/// A case of a table in `Tests/Cases`: a text, and what is said about it.
///
///     | a line of the text
///     | another one
///     ! the message
///     ? the hint, if there is one
///
/// Between two cases is a blank line.
package struct TextCase: CustomStringConvertible, Sendable {
  package var text = ""
  package var message = ""
  package var hint: String?
  package var description: String { message }

  /// Returns the cases of the table with this name. A table that cannot be read has one case, which fails.
  package static func read(_ name: String) -> [TextCase] {
    let path = "\(Repository.root)/Tests/Cases/\(name).txt"
    guard let table = try? String(contentsOfFile: path, encoding: .utf8) else {
      return [TextCase(message: "\(path) cannot be read")]
    }
    return table.components(separatedBy: "\n\n").map { part in
      var (found, lines) = (TextCase(), [Substring]())
      for line in part.split(separator: "\n") {
        switch line.prefix(2) {
        case "! ", "!": found.message = String(line.dropFirst(2))
        case "? ": found.hint = String(line.dropFirst(2))
        default: lines.append(line.dropFirst(2))
        }
      }
      found.text = lines.joined(separator: "\n")
      return found
    }
  }
}
