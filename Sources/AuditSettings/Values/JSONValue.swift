import Basics

/// A JSON value whose members keep their order, for output that people read.
package indirect enum JSONValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  case object([(String, JSONValue)])
  case array([JSONValue])
  case string(String)
  case number(Int)
  case boolean(Bool)

  package init(stringLiteral text: String) { self = .string(text) }
  package init(integerLiteral number: Int) { self = .number(number) }
  package init(booleanLiteral isTrue: Bool) { self = .boolean(isTrue) }

  /// Returns a reference to another schema.
  static func reference(_ place: String) -> JSONValue { .object([("$ref", .string(place))]) }

  /// Returns the value with a further member at its end. Values other than objects are returned
  /// unchanged.
  func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members + [(name, value)])
  }

  /// The text, indented by two spaces for each level. Short values are on one line.
  package var text: String { text(indentation: "") }

  private func text(indentation: String) -> String {
    let short = oneLine
    guard indentation.utf8.count + short.utf8.count > 80 else { return short }
    let inner = indentation + "  "
    switch self {
    case .object(let members):
      let lines = members.map { name, value in
        inner + "\(Self.quoted(name)): \(value.text(indentation: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    case .array(let elements):
      let lines = elements.map { inner + $0.text(indentation: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
    case .string, .number, .boolean: return short
    }
  }

  private var oneLine: String {
    switch self {
    case .object(let members) where members.isEmpty: "{}"
    case .object(let members):
      "{ " + members.map { "\(Self.quoted($0)): \($1.oneLine)" }.joined(separator: ", ") + " }"
    case .array(let elements): "[" + elements.map(\.oneLine).joined(separator: ", ") + "]"
    case .string(let text): Self.quoted(text)
    case .number(let number): String(number)
    case .boolean(let isTrue): String(isTrue)
    }
  }

  private static func quoted(_ text: String) -> String {
    String(decoding: JSONString.quoted(text), as: UTF8.self)
  }
}
