import AuditLog

/// A reader of templates: texts with `{/pointer}` in them, or `{/pointer|base64}` for the bytes that a text
/// encodes. `{{` and `}}` are braces.
enum TemplateReader {
  private static let base64 = "|base64"

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
        let isBase64 = whole.hasSuffix(Self.base64)
        let inside = isBase64 ? String(whole.dropLast(Self.base64.count)) : whole
        rest = rest[rest.index(after: end)...]
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        do throws(JSONPointer.Problem) {
          parts.append(.pointer(try JSONPointer(parsing: inside), isBase64: isBase64))
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
