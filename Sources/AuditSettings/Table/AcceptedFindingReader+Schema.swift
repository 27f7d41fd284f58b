extension AcceptedFindingReader {
  /// The JSON Schema of the list.
  static var schema: JSONValue {
    .list(
      of: .object([
        ("type", "object"), ("additionalProperties", false),
        ("required", .array(["severity", "reason", "expires"])),
        ("properties", .object(properties)),
        (
          "oneOf",
          .array([
            needing("fingerprint", without: [["code"], ["key"], ["app"]]),
            needing("code", without: [["fingerprint"], ["key", "app"]]),
          ])
        ),
      ]))
  }

  private static var properties: [(String, JSONValue)] {
    [
      (
        "fingerprint",
        ValueShape.orSubstituted(
          text("^[0-9A-Fa-f]{16}$"), .object([("type", "number")])
        ).adding("description", "of findings.csv; quote one that has digits alone")
      ),
      ("code", ValueShape.orSubstituted(.reference("finding.schema.json#/properties/code"))),
      (
        "key",
        ValueShape.orSubstituted(text("^([0-9A-Fa-f]{64}|[A-Za-z0-9+/_-]{43}=?)$"))
          .adding("description", "key identifier: hex, base64 or base64url")
      ),
      ("app", ValueShape.text.schema.adding("description", "App ID: all of a code at it")),
      (
        "severity",
        .reference("#/$defs/severity")
          .adding("description", "the highest that is covered; a more severe finding is reported")
      ),
      ("reason", text("[^ \\t]")),
      (
        "expires",
        ValueShape.orSubstituted(text("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))
          .adding("description", "the last day on which it holds: 2026-12-31")
      ),
    ]
  }

  private static func text(_ pattern: String) -> JSONValue {
    .object([("type", "string"), ("pattern", .string(pattern))])
  }

  /// Returns a schema for objects that have a member, and none of some groups of others.
  private static func needing(_ name: String, without groups: [[String]]) -> JSONValue {
    let others = groups.map { required($0) }
    return required([name]).adding("not", .object([("anyOf", .array(others))]))
  }

  private static func required(_ names: [String]) -> JSONValue {
    .object([("required", .array(names.map { .string($0) }))])
  }
}
