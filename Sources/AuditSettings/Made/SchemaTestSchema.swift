import AuditLog

/// The JSON Schema of the tests in schema and pipeline files.
enum SchemaTestSchema {
  static var definitions: [(String, JSONValue)] {
    [("tests", tests), ("expectation", expectation)]
  }

  private static let tests = JSONValue.object([
    ("type", "array"), ("description", "run by attest-audit check --run-tests"),
    (
      "items",
      SchemaFileSchema.mapping(
        [
          ("name", SchemaLanguage.text),
          (
            "line",
            .object([("type", "string"), ("description", "one log line as it stands in the log")])
          ),
          ("expect", .reference("#/$defs/expectation")),
        ], required: ["line", "expect"])
    ),
  ])

  private static var expectation: JSONValue {
    let texts = [
      "challenge", "payload", "clientData", "appId", "subject", "requestId", "clientIP",
      "userAgent", "route", "deviceId",
    ]
    let properties: [(String, JSONValue)] = [
      ("reject", SchemaLanguage.words(Reject.Code.names.map(\.name).sorted())),
      ("skipped", .object([("const", true)])),
      ("kind", SchemaLanguage.words(SchemaRuleReader.kinds.map(\.name))),
      (
        "time",
        pattern(
          "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?"
            + "([Zz]|[+-][0-9]{2}:[0-9]{2})$")
      ),
      ("keyId", pattern("^([0-9A-Fa-f]{2})+$")),
      ("clientDataHash", pattern("^([0-9A-Fa-f]{2})+$")),
      ("token", pattern("^[-A-Za-z0-9+/_]*={0,2}$")),
      ("decision", SchemaLanguage.words(["accepted", "rejected", "unknown"])),
      (
        "serverCounter",
        .object([("type", "integer"), ("minimum", 0), ("maximum", 4_294_967_295)])
      ),
    ]
    return SchemaFileSchema.mapping(properties + texts.map { ($0, SchemaLanguage.scalar) })
      .adding("minProperties", 1).adding(
        "allOf",
        .array([
          alone(.object([("required", .array(["reject"]))])),
          alone(.object([("required", .array(["skipped"]))])),
          alone(
            .object([
              ("properties", .object([("kind", .object([("const", "deviceCheckToken")]))])),
              ("required", .array(["kind"])),
            ])),
        ]))
  }

  private static func pattern(_ text: String) -> JSONValue {
    .object([("type", "string"), ("pattern", .string(text))])
  }

  /// Returns a schema under which a value that meets `condition` has no other members.
  private static func alone(_ condition: JSONValue) -> JSONValue {
    .object([("if", condition), ("then", .object([("maxProperties", 1)]))])
  }
}
