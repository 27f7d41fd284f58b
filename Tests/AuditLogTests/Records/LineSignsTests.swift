import Testing

@testable import AuditLog

/// The signs that a line without a record gives about the log (`reports.R66` to `reports.R72`).
@Suite struct `Signs of lines` {
  private static let nested = LogSchema(
    name: "nested",
    rules: [
      SchemaRule(
        name: "attest",
        conditions: [
          .at("/path", .isPath(of: [try? RoutePattern(parsing: "/attest")].compactMap(\.self)))
        ],
        kind: .fixed(.attestation),
        fields: [
          .time: at("/time"), .keyId: at("/body/key"), .token: at("/body/token"),
          .challenge: at("/body/challenge"),
        ]),
      SchemaRule(
        name: "wrapped", conditions: [.at("/message/kind", .isOne(of: ["assertion"]))],
        kind: .fixed(.assertion),
        fields: [
          .time: at("/time"), .keyId: at("/message/key"), .token: at("/message/token"),
          .payload: at("/message/payload"),
        ]),
    ])
  private static let listed = {
    var schema = LogSchema(
      name: "listed",
      rules: [
        SchemaRule(
          name: "all", kind: .inferred,
          fields: [.time: at("/time"), .keyId: at("/keyId"), .token: at("/token")])
      ])
    schema.records = [pointer("/events")]
    return schema
  }()

  private static let lines: [(LogSchema, String, LineSigns)] = [
    (.standard, #"{"time":1"#, .endsEarly), (.standard, #"{"time":1}"#, []),
    (.standard, "null", .nullRecord), (.standard, "nothing", []),
    (.standard, #"2026-03-01T00:00:00Z stdout P {"a":1}"#, .part),
    (.standard, #"2026-03-01T00:00:00Z stdout P {"a":"#, .part),
    (.standard, #"2026-03-01T00:00:00Z stdout F {"a":1}"#, []),
    (.standard, #"{"log":"{\"a\":","stream":"stdout","time":"t"}"#, .part),
    (.standard, #"{"log":"1}\n","stream":"stdout","time":"t"}"#, []),
    (.standard, #"{"log":"{\"a\":1}","stream":"stdout","time":"t"}"#, []),
    (.standard, #"{"log":"{\"a\":","level":"info"}"#, []),
    (nested, #"{"time":1,"path":"/attest","body":"-"}"#, .tokenless),
    (nested, #"{"time":1,"path":"/attest","body":""}"#, .tokenless),
    (nested, #"{"time":1,"path":"/attest","body":null}"#, [.tokenless, .nullRecord]),
    (nested, #"{"time":1,"path":"/attest","body":{"token":""}}"#, .tokenless),
    (nested, #"{"time":1,"path":"/attest","body":{"token":null}}"#, .tokenless),
    (nested, #"{"time":1,"path":"/attest"}"#, []),
    (nested, #"{"time":1,"path":"/attest","body":"x"}"#, []),
    (nested, #"{"time":1,"path":"/health","body":null}"#, []),
    (nested, #"{"time":1,"path":"/health","message":null}"#, .nullRecord),
    (nested, #"{"time":1,"path":"/health","message":"{}"}"#, []),
    (listed, #"{"events":null}"#, .nullRecord), (listed, #"{"events":[null]}"#, .nullRecord),
    (listed, #"{"events":[1]}"#, []), (listed, #"{"other":null}"#, []),
  ]

  @Test(arguments: lines.indices)
  func `a line without a record shows why it has none`(_ index: Int) throws {
    let (schema, line, signs) = Self.lines[index]
    let reader = RecordReader(schema: try CompiledSchema(schema)) { _ in false }
    let found = withLine(Array(line.utf8)) { text in
      var buffer = ByteBuffer()
      return reader.signs(unsafe reader.read(text, into: &buffer))
    }
    // Text before the object is not JSON: that is another reason, which CRI's lines have, too.
    #expect(found == signs, "\(line)")
  }

  @Test(arguments: [
    ("2026-03-01T00:00:00Z stdout P {\"a\":", true), ("2026-03-01T00:00:00Z stderr P x", true),
    ("2026-03-01T00:00:00Z stdout F {}", false), ("2026-03-01T00:00:00Z stdout P", false),
    ("2026-03-01T00:00:00Z  stdout P x", false), ("a stdout P x", false), ("stdout P x", false),
    ("", false), ("   ", false), ("1 stdin P x", false),
  ])
  func `a part is told by its head`(_ line: String, _ isPart: Bool) {
    #expect(LinePart.isCRI(Array(line.utf8)[...]) == isPart)
  }
}
