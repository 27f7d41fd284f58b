/// The substitution of `${date}` and `${NAME}` in the texts of a pipeline file.
package struct Substitution: Sendable {
  /// The text that replaces `${date}`.
  package var date: String
  /// The environment variables.
  package var environment: [String: String]

  package init(date: String = "", environment: [String: String] = [:]) {
    self.date = date
    self.environment = environment
  }

  /// An error in a text.
  package struct Problem: Error, Equatable {
    package var text: String
    package var hint: String?
  }

  /// Private-use characters that replace `${` and `}`, whose braces YAML would read.
  private static let marks: (open: Character, close: Character) = ("\u{E000}", "\u{E001}")

  /// Returns YAML with marks for the `${` and `}` of each `${…}` that is closed on its line, or nil
  /// if the text holds a mark already.
  package static func hide(in yaml: String) -> String? {
    guard !yaml.contains(marks.open), !yaml.contains(marks.close) else { return nil }
    return yaml.replacing(#/\$\{(?<name>[^{}\r\n]*)\}/#) {
      "\(marks.open)\($0.output.name)\(marks.close)"
    }
  }

  /// Returns the text that ``hide(in:)`` was given.
  package static func show(in text: String) -> String {
    text.replacing(String(marks.open), with: "${").replacing(String(marks.close), with: "}")
  }

  /// Returns `text` with every `${…}` filled in once. A `$` without a brace stands for itself.
  package func apply(_ text: String) throws(Problem) -> String {
    var result = ""
    var rest = text[...]
    while let start = Self.opening(in: rest) {
      result += rest[..<start]
      let inside = rest[rest.index(start, offsetBy: 2)...]
      guard let end = inside.firstIndex(of: "}") else {
        throw Problem(text: "'${' without '}'")
      }
      result += try value(String(inside[..<end]))
      rest = inside[inside.index(after: end)...]
    }
    return result + rest
  }

  private static func opening(in text: Substring) -> Substring.Index? {
    var index = text.startIndex
    while let dollar = text[index...].firstIndex(of: "$") {
      let next = text.index(after: dollar)
      if next < text.endIndex, text[next] == "{" { return dollar }
      index = next
    }
    return nil
  }

  private func value(_ name: String) throws(Problem) -> String {
    if name == "date" { return date }
    let isName =
      name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
          || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      } && name.utf8.first.map { !(0x30...0x39).contains($0) } == true
    guard isName else {
      throw Problem(text: "'${\(name)}' is neither ${date} nor an environment variable's name")
    }
    guard let value = environment[name] else {
      throw Problem(
        text: "the environment variable \(name) is not set", hint: "set it first: export \(name)=…")
    }
    return value
  }
}
