import AuditLog

/// A reader of templates: texts with `{/pointer}` in them, or `{/pointer|base64}` for the bytes that a text
/// encodes. `{{` and `}}` are braces.
enum TemplateReader {
  /// The forms that a pointer names after a bar.
  private static let forms = TemplateForm.allCases.filter { $0 != .text }

  static func read(_ node: PipelineNode) throws(CommandError) -> [TemplatePart] {
    let text = try node.verbatim()
    var parts: [TemplatePart] = []
    var plain = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        rest.removeFirst()
        plain.append(character)
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw node.error("the template has a '{' without '}'", hint: "write '{{' for a brace")
        }
        let whole = String(rest[..<end])
        let form = forms.first { whole.hasSuffix("|\($0.rawValue)") }
        let inside = form.map { String(whole.dropLast($0.rawValue.count + 1)) } ?? whole
        rest = rest[rest.index(after: end)...]
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        do throws(JSONPointer.Problem) {
          parts.append(.pointer(try JSONPointer(parsing: inside), form ?? .text))
        } catch {
          throw node.error("the JSON Pointer '\(inside)' in the template \(error.text)")
        }
      case "}":
        throw node.error("the template has a '}' without '{'", hint: "write '}}' for a brace")
      default:
        plain.append(character)
      }
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    guard parts.contains(where: { if case .pointer = $0 { true } else { false } }) else {
      throw node.error("the template has no pointer in it", hint: "use 'constant' for a fixed text")
    }
    return parts
  }
}
