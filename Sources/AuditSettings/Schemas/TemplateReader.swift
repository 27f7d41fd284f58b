import AuditLog

/// A reader of templates: texts with `{/pointer}` in them. `{{` and `}}` are braces.
enum TemplateReader {
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
          throw node.error("the template has a '{' without '}'", hint: "'{{' is a brace")
        }
        let inside = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        do throws(JSONPointer.Problem) {
          parts.append(.pointer(try JSONPointer(parsing: inside)))
        } catch {
          throw node.error("the JSON Pointer '\(inside)' in the template \(error.text)")
        }
      case "}":
        throw node.error("the template has a '}' without '{'", hint: "'}}' is a brace")
      default:
        plain.append(character)
      }
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    guard parts.contains(where: { if case .pointer = $0 { true } else { false } }) else {
      throw node.error("the template has no pointer in it", hint: "'constant' is a fixed text")
    }
    return parts
  }
}
