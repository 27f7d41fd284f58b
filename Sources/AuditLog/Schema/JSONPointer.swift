/// A JSON Pointer (RFC 6901) to a value below the outermost object.
package struct JSONPointer: Sendable, Hashable {
  /// The names or indexes on the way, unescaped; at least one.
  package let steps: [String]
  /// Whether the pointer starts at the line, if a line has several records (`records.R84`).
  package var isOfLine: Bool

  /// The pointer as a text: `/body/key_id`.
  package var text: String {
    (isOfLine ? "^" : "")
      + steps.map { step in
        "/" + step.replacing("~", with: "~0").replacing("/", with: "~1")
      }.joined()
  }

  package init(_ steps: [String], isOfLine: Bool = false) {
    precondition(!steps.isEmpty, "a pointer goes somewhere")
    self.steps = steps
    self.isOfLine = isOfLine
  }

  /// The same pointer, from the object that it is applied to.
  package var local: JSONPointer { JSONPointer(steps) }

  package init(parsing text: String) throws(SchemaProblem) {
    isOfLine = text.utf8.first == UInt8(ascii: "^")
    let path = text.dropFirst(isOfLine ? 1 : 0)
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw SchemaProblem("does not begin with '/'")
    }
    var steps: [String] = []
    for step in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      var plain = ""
      var rest = step.unicodeScalars[...]
      while let scalar = rest.popFirst() {
        guard scalar == "~" else {
          plain.unicodeScalars.append(scalar)
          continue
        }
        switch rest.popFirst() {
        case "0": plain += "~"
        case "1": plain += "/"
        default: throw SchemaProblem("has a '~' that is neither '~0' nor '~1'")
        }
      }
      steps.append(plain)
    }
    self.steps = steps
  }
}
