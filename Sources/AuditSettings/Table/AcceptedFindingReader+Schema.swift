extension AcceptedFindingReader {
  /// The JSON Schema of the list.
  static var schema: JSONValue {
    .list(
      of: .object([
        ("type", "object"), ("additionalProperties", false),
        ("required", .array(["reason", "expires"])),
        ("properties", .object(properties)),
        (
          "oneOf",
          .array([
            .object([
              ("required", .array(["fingerprint"])),
              (
                "not",
                .object([
                  (
                    "anyOf",
                    .array([
                      .object([("required", .array(["code"]))]),
                      .object([("required", .array(["key"]))]),
                    ])
                  )
                ])
              ),
            ]),
            .object([
              ("required", .array(["code", "key"])),
              ("not", .object([("required", .array(["fingerprint"]))])),
            ]),
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
}
