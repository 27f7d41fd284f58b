/// The substitution of `${date}` and `${NAME}` in the texts of a pipeline file.
package struct Substitution: Sendable {
  package var date: String
  package var environment: [String: String]

  package init(date: String = "", environment: [String: String] = [:]) {
    self.date = date
    self.environment = environment
  }

  package struct Problem: Error, Equatable {
    package var text: String
    package var hint: String?
  }

  /// Private-use characters that replace `${` and `}`, whose braces YAML would read.
  private static let marks: (open: Character, close: Character) = ("\u{E000}", "\u{E001}")

  /// Returns YAML with marks for the `${` and `}` of closed `${…}`, or nil if it holds a mark already.
  package static func hide(in yaml: String) -> String? {
    guard !yaml.contains(marks.open), !yaml.contains(marks.close) else { return nil }
    return yaml.replacing(#/\$\{(?<name>[^{}\r\n]*)\}/#) {
      "\(marks.open)\($0.output.name)\(marks.close)"
    }
  }

  package static func show(in text: String) -> String {
    text.replacing(String(marks.open), with: "${").replacing(String(marks.close), with: "}")
  }

  /// Returns `text` with every `${…}` filled in once. A `$` without a brace stands for itself.
  package func apply(_ text: String) throws(Problem) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      result += rest[..<start.lowerBound]
      let inside = rest[start.upperBound...]
      guard let end = inside.firstIndex(of: "}") else {
        throw Problem(text: "'${' without '}'")
      }
      result += try value(String(inside[..<end]))
      rest = inside[inside.index(after: end)...]
    }
    return result + rest
  }

  private func value(_ name: String) throws(Problem) -> String {
    if name == "date" { return date }
    guard name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil else {
      throw Problem(text: "'${\(name)}' is neither ${date} nor an environment variable's name")
    }
    guard let value = environment[name] else {
      throw Problem(
        text: "the environment variable \(name) is not set", hint: "set it first: export \(name)=…")
    }
    return value
  }
}
