/// The shape of a setting's text, as far as editors and shells can check and complete it.
package enum ValueShape: Sendable, Equatable {
  case text
  case path
  case boolean
  case duration
  case size
  case share
  case number(ClosedRange<Int>)
  case words([String])
  /// Permissions, in octal digits.
  case permissions

  /// The JSON Schema of a value of this shape.
  var schema: JSONValue {
    switch self {
    case .text: .object([("type", "string"), ("minLength", 1)])
    case .path: .reference("#/$defs/path")
    case .duration: .reference("#/$defs/duration")
    case .size: .reference("#/$defs/size")
    case .boolean: Self.orSubstituted(.object([("type", "boolean")]))
    case .share:
      Self.orSubstituted(
        .object([("type", "string"), ("pattern", "^(100|[0-9]{1,2})(\\.[0-9]*)?%$")]))
    case .number(let range):
      Self.orSubstituted(
        .object([
          ("type", "integer"), ("minimum", .number(range.lowerBound)),
          ("maximum", .number(range.upperBound)),
        ]))
    case .permissions:
      // An editor's YAML may read permissions as a number, in either base.
      Self.orSubstituted(
        .object([("type", "string"), ("pattern", "^0?[67][0-7][0145]$")]),
        .object([("type", "integer"), ("minimum", 0)]))
    case .words(let words):
      Self.orSubstituted(.object([("enum", .array(words.map { .string($0) }))]))
    }
  }

  /// Returns a schema for values that `schema` allows, and for texts with `${NAME}` in them.
  static func orSubstituted(_ schemas: JSONValue...) -> JSONValue {
    .object([("anyOf", .array(schemas + [.reference("#/$defs/substituted")]))])
  }
}
