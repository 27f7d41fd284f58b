import Testing

@testable import AuditLog

/// Strings that stand for others, and text in front of the object of a line.
struct WrappingTests {
  private func schema(
    _ wrappings: [SchemaWrapping], skipsPrefix: Bool = false
  ) throws(SchemaProblem) -> CompiledSchema {
    var schema = LogSchema(
      name: "t",
      rules: [
        SchemaRule(
          name: "rule 1", kind: .fixed(.assertion),
          fields: [
            .time: FieldMapping(.pointers([pointer("/t")])),
            .keyId: FieldMapping(.pointers([pointer("/b/k"), pointer("/k")])),
            .token: FieldMapping(.pointers([pointer("/b/o"), pointer("/o")])),
            .clientData: FieldMapping(.pointers([pointer("/b")]), encoding: .utf8),
            .subject: FieldMapping(.pointers([pointer("/s")])),
          ])
      ])
    schema.wrappings = wrappings
    schema.skipsPrefix = skipsPrefix
    return try CompiledSchema(schema)
  }

  private static let key = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

  /// Returns the client data of a line, or the reason why there is none.
  private func data(_ schema: CompiledSchema, _ line: String) -> String {
    let reader = RecordReader(schema: schema) { _ in false }
    var buffer = ByteBuffer()
    return withLine(Array(line.utf8)) { bytes in
      switch unsafe reader.read(bytes, into: &buffer) {
      case .record(let record):
        record.clientData.map { String(decoding: buffer.storage[$0], as: UTF8.self) } ?? "none"
      case .reject(let reject): reject.reason
      case .skipped, .deviceCheckToken: "skipped"
      }
    }
  }

  private func line(_ body: String, _ rest: String = "") -> String {
    #"{"t":1772359200,"k":"\#(Self.key)","o":"oWA=","b":\#(body)\#(rest)}"#
  }

  @Test(arguments: [
    ("bm90ZQ==", "note"), ("bm90ZQ", "note"), ("bm90ZT8_", "note??"), ("", ""),
    ("bm90ZQ=", "The value at /b is not wrapped as base64."),
    ("bm90ZQ===", "The value at /b is not wrapped as base64."),
    ("bm9*", "The value at /b is not wrapped as base64."),
    ("b", "The value at /b is not wrapped as base64."),
  ])
  func `base64 is decoded`(_ text: String, _ found: String) throws {
    let schema = try schema([SchemaWrapping(pointer("/b"), .base64)])
    #expect(data(schema, line("\"\(text)\"")) == found)
  }

  @Test(arguments: [
    ("a%20b", "a b"), ("%7B%7d%C3%A9", "{}é"), ("a+b", "a+b"), ("", ""),
    ("%", "The value at /b is not wrapped as percent."),
    ("a%2", "The value at /b is not wrapped as percent."),
    ("%zz", "The value at /b is not wrapped as percent."),
  ])
  func `percent signs are decoded`(_ text: String, _ found: String) throws {
    let schema = try schema([SchemaWrapping(pointer("/b"), .percent)])
    #expect(data(schema, line("\"\(text)\"")) == found)
  }

  @Test(arguments: [
    (#""\"a\\nb\"""#, "a\nb"), (#""\"\"""#, ""),
    (#""a""#, "The value at /b is not wrapped as json."),
    (#""\"a\"x""#, "The value at /b is not wrapped as json."),
    (#""7""#, "The value at /b is not wrapped as json."),
  ])
  func `a string in quotes is taken out of them`(_ text: String, _ found: String) throws {
    #expect(data(try schema([SchemaWrapping(pointer("/b"), .json)]), line(text)) == found)
  }

  @Test(arguments: [
    ("true", true), ("\"true\"", true), ("\"TRUE\"", true), ("1", true), ("\"base64\"", true),
    ("false", false), ("\"false\"", false), ("0", false), ("null", false), ("{}", false),
    ("[true]", false), ("\"gzip\"", false), ("\"\"", false),
  ])
  func `a flag says whether a string is wrapped`(_ flag: String, _ isWrapped: Bool) throws {
    let schema = try schema([SchemaWrapping(pointer("/b"), .base64, flag: pointer("/w"))])
    let found = isWrapped ? "note" : "bm90ZQ=="
    #expect(data(schema, line("\"bm90ZQ==\"", ",\"w\":\(flag)")) == found)
    #expect(data(schema, "{\"w\":\(flag)," + line("\"bm90ZQ==\"").dropFirst()) == found)
    #expect(data(schema, line("\"bm90ZQ==\"")) == "bm90ZQ==")
    // Two flags, of whatever case, are two requests.
    for twin in ["w", "W"] {
      let twice = line("\"bm90ZQ==\"", ",\"w\":\(flag),\"\(twin)\":true")
      #expect(data(schema, twice).hasPrefix("The field"), "\(data(schema, twice))")
    }
  }

  @Test func `pointers go on in what was wrapped`() throws {
    let schema = try schema([SchemaWrapping(pointer("/b"), .base64)])
    let body = #"{"k":"\#(Self.key)","o":"oWA="}"#
    let wrapped =
      "eyJrIjoiQVFFQkFRRUJBUUVCQVFFQkFRRUJBUUVCQVFFQkFRRUJBUUVCQVFFQkFRRT0iLCJvIjoib1dBPSJ9"
    #expect(data(schema, #"{"t":1772359200,"b":"\#(wrapped)"}"#) == body)
  }

  @Test func `bytes that are no UTF-8 are client data and nothing else`() throws {
    let both = try schema([
      SchemaWrapping(pointer("/b"), .base64), SchemaWrapping(pointer("/s"), .percent),
    ])
    #expect(data(both, line("\"/w==\"")) == "\u{FFFD}")
    #expect(data(both, line("\"/w==\"", ",\"s\":\"%C3%A9\"")) == "\u{FFFD}")
    #expect(
      data(both, line("\"/w==\"", ",\"s\":\"%FF\""))
        == "The field subject (/s) has the wrong type.")
  }

  @Test func `what no pointer goes to is no wrapping`() {
    #expect(throws: SchemaProblem("no pointer goes to or through /x, which is to be unwrapped")) {
      try schema([SchemaWrapping(pointer("/x"), .base64)])
    }
    #expect(throws: SchemaProblem("/b is wrapped twice")) {
      try schema([SchemaWrapping(pointer("/b"), .base64), SchemaWrapping(pointer("/b"), .json)])
    }
    #expect(throws: SchemaProblem("/b/w is in the string that it is about")) {
      try schema([SchemaWrapping(pointer("/b"), .base64, flag: pointer("/b/w"))])
    }
  }

  // MARK: Prefixes

  @Test(arguments: [
    "", "\u{1E}", "2026-03-01T00:00:00Z INFO ",
    "<13>1 2026-03-01T00:00:00Z h app - - [a b=\"c\"] ", "<13>Mar  1 00:00:00 h app[7]: ",
    "2026-03-01T00:00:00.1+00:00 stdout F ", "{x} {7} ", "INFO:", "[main] c.e.App - ", "é ", "\"",
    "a\\",
  ])
  func `what stands in front of the object is passed over`(_ prefix: String) throws {
    let schema = try schema([], skipsPrefix: true)
    #expect(data(schema, prefix + line("\"note\"")) == "note")
    #expect(data(schema, prefix + "{ " + line("\"note\"").dropFirst()) == "note")
  }

  @Test(arguments: [
    ("INFO started", "The line is not JSON: byte 0 cannot be part of an object."),
    ("INFO {", "The line is not JSON: byte 0 cannot be part of an object."),
    ("INFO {\"t\":1", "The line ends early: its object is not complete at byte 11."),
    ("INFO {\"a\":1} {\"t\":1", "A second object begins at byte 13 of the line."),
    ("{ x {", "The line is not JSON: byte 2 cannot be part of an object."),
    ("{", "The line ends early: its object is not complete at byte 1."),
    ("INFO {\"a\":1}{\"t\":1}", "A second object begins at byte 12 of the line."),
  ])
  func `a line without one object after its prefix says at which byte`(
    _ line: String, _ reason: String
  ) throws {
    #expect(data(try schema([], skipsPrefix: true), line) == reason)
  }

  /// Reads lines whose text in front of the object may be a client's: a path, the name of a
  /// program.
  @Test(arguments: [
    "POST /pay/{} ", "POST /pay/{\"a\":\" ", "POST /pay/{\"a\":1} ", "POST /pay?q={} ", "{\"a\" ",
    "{\"a\":{\"b\":[", "{\"a\":\"\\", "{} \"", "{}{{}{\"\"}} \\\" ", "{\"a\":1}\t",
  ])
  func `braces in front of the object do not hide it`(_ front: String) throws {
    let schema = try schema([], skipsPrefix: true)
    for body in [#""note""#, #""}{\\\"}{""#, #""\"{\\""#, #"" {} ""#] {
      let bare = data(schema, line(body))
      #expect(!bare.hasPrefix("The line"))
      #expect(data(schema, front + line(body)) == bare)
      #expect(data(schema, front + line(body) + " \t") == bare)
    }
  }

  @Test(arguments: ["{\"", "{}", "{\"a\":", "\\\"", "\"", "\\", "}", "{\"a\":1} "])
  func `whatever stands in front without end is read in one pass`(_ piece: String) throws {
    let schema = try schema([], skipsPrefix: true)
    let many = String(repeating: piece, count: 200_000)
    let clock = ContinuousClock()
    let start = clock.now
    #expect(data(schema, many + " " + line("\"note\"")) == "note")
    let reason = data(schema, many)
    #expect(reason.hasPrefix("The ") || reason.hasPrefix("A second object begins "))
    #expect(clock.now - start < .seconds(20))
  }

  @Test func `braces and spaces without end are passed over in one pass`() throws {
    let schema = try schema([], skipsPrefix: true)
    let many = String(repeating: "{" + String(repeating: " ", count: 15), count: 60_000)
    #expect(data(schema, many + line("\"note\"")) == "note")
  }
}
