import Testing

@testable import AuditLog

/// The choice of the rule that a line is read by.
@Suite struct `Schema rules` {
  private let fields: [LogField: FieldMapping] = [.time: at("/t"), .challenge: at("/c")]

  private func rule(
    _ name: String, _ conditions: SchemaCondition..., at place: String = "/c"
  ) -> SchemaRule {
    SchemaRule(
      name: name, conditions: conditions, kind: .fixed(.challenge),
      fields: [.time: at("/t"), .challenge: at(place)])
  }

  private func reader(_ rules: SchemaRule..., headers: [String] = []) throws -> SchemaReader {
    var schema = LogSchema(name: "test", rules: rules)
    schema.headers = headers.map(pointer)
    return try SchemaReader(schema)
  }

  @Test(arguments: [
    ("\"a\":\"x\"", true), ("\"a\":\"y\"", true), ("\"a\":\"X\"", false), ("\"a\":\"x \"", false),
    ("\"a\":\"\\u0078\"", true), ("\"a\":null", false), ("\"b\":\"x\"", false),
    ("\"a\":200", true), ("\"a\":\"200\"", true), ("\"a\":200.0", false), ("\"a\":2e2", false),
    ("\"a\":true", true), ("\"a\":\"true\"", true), ("\"a\":false", false), ("\"a\":{}", false),
    ("\"a\":[\"x\"]", false), ("\"a\":\"\"", true), ("\"a\":[]", false),
  ])
  func `a value is one of those listed by its text`(_ member: String, _ fits: Bool) throws {
    let reader = try reader(
      rule("one", .at("/a", .isOne(of: ["x", "y", "200", "true", ""]))))
    #expect(reader("{\"t\":1,\"c\":\"c\",\(member)}").outcome == (fits ? "challenge" : "skipped"))
    let others = try self.reader(
      rule("none", .at("/a", .isNone(of: ["x", "y", "200", "true", ""]))))
    let isThere = member.hasPrefix("\"a\"") && !member.hasSuffix("null")
    #expect(
      others("{\"t\":1,\"c\":\"c\",\(member)}").outcome
        == (isThere && !fits ? "challenge" : "skipped"))
  }

  @Test(arguments: [
    ("\"a\":0", true), ("\"a\":\"\"", true), ("\"a\":{}", true), ("\"a\":false", true),
    ("\"a\":null", false), ("\"b\":1", false),
  ])
  func `present is there, and not null`(_ member: String, _ isPresent: Bool) throws {
    let present = try reader(rule("there", .at("/a", .isPresent(true))))
    let absent = try reader(rule("not there", .at("/a", .isPresent(false))))
    let line = "{\"t\":1,\"c\":\"c\",\(member)}"
    #expect(present(line).outcome == (isPresent ? "challenge" : "skipped"))
    #expect(absent(line).outcome == (isPresent ? "skipped" : "challenge"))
  }

  @Test func `all conditions of a rule hold, and the first pointer that is present counts`() throws
  {
    let reader = try reader(
      SchemaRule(
        name: "both",
        conditions: [
          SchemaCondition([pointer("/m"), pointer("/n")], .isOne(of: ["x"])),
          .at("/p", .isPresent(true)),
        ], kind: .fixed(.challenge), fields: fields))
    func fits(_ members: String) -> Bool {
      reader("{\"t\":1,\"c\":\"c\",\(members)}").outcome == "challenge"
    }
    #expect(fits("\"m\":\"x\",\"p\":1"))
    #expect(fits("\"n\":\"x\",\"p\":1"))
    #expect(fits("\"m\":null,\"n\":\"x\",\"p\":1"))
    #expect(!fits("\"m\":\"y\",\"n\":\"x\",\"p\":1"))
    #expect(!fits("\"m\":\"x\""))
    #expect(!fits("\"p\":1"))
  }

  @Test func `a line that two rules fit is ambiguous, and one that none fits is skipped`() throws {
    let reader = try reader(
      rule("first", .at("/a", .isPresent(true))), rule("second", .at("/b", .isPresent(true))),
      rule("third", .at("/b", .isOne(of: ["x"]))))
    #expect(reader("{\"t\":1,\"c\":\"c\",\"a\":1}").outcome == "challenge")
    #expect(reader("{\"t\":1,\"c\":\"c\",\"b\":1}").outcome == "challenge")
    let both = reader("{\"a\":1,\"b\":1}")
    #expect(both.outcome == "ambiguousField")
    #expect(both.reason == "The rules 'first' and 'second' both fit.")
    #expect(reader("{\"b\":\"x\"}").reason == "The rules 'second' and 'third' both fit.")
    for line in ["{}", "{\"t\":\"never\"}", "{\"t\":1,\"c\":\"c\"}", "{\"a\":null,\"b\":null}"] {
      #expect(reader(line).outcome == "skipped")
    }
    #expect(reader("{\"t\":1,}").outcome == "malformedJSON")
    #expect(reader("[{\"a\":1}]").outcome == "malformedJSON")
  }

  @Test func `what chooses the rule may not stand twice, whatever fits`() throws {
    let reader = try reader(
      rule("first", .at("/a/x", .isOne(of: ["1"]))),
      rule("second", .at("/h/X-B", .isPresent(true))),
      headers: ["/h"])
    for (line, name) in [
      ("{\"a\":{\"x\":1,\"x\":1},\"t\":1,\"c\":\"c\"}", "/a/x"), ("{\"a\":{},\"a\":{}}", "/a"),
      ("{\"h\":{\"x-b\":null,\"X-B\":null}}", "/h/X-B"), ("{\"h\":1,\"h\":2}", "/h"),
      ("{\"a\":\"{\\\"x\\\":2,\\\"x\\\":2}\"}", "/a/x"),
    ] {
      let read = reader(line)
      #expect(read.outcome == "ambiguousField")
      #expect(read.reason == "The field \(name) occurs twice.")
    }
  }

  @Test func `what another rule would look at may stand twice`() throws {
    let reader = try reader(
      rule("first", .at("/a", .isPresent(true)), at: "/body/c"),
      rule("second", .at("/b", .isPresent(true)), at: "/c"))
    let twice = "\"body\":{\"c\":\"1\",\"c\":\"2\"},\"c\":\"3\",\"t\":1"
    #expect(reader("{\"a\":1,\(twice)}").reason == "The field challenge (/body/c) occurs twice.")
    #expect(reader("{\"b\":1,\(twice)}").clientData == utf8("3"))
    let inside = "\"body\":\"{\\\"c\\\":\\\"1\\\",\\\"c\\\":\\\"2\\\"}\",\"c\":\"3\",\"t\":1"
    #expect(reader("{\"a\":1,\(inside)}").outcome == "ambiguousField")
    #expect(reader("{\"b\":1,\(inside)}").clientData == utf8("3"))
    #expect(reader("{\(twice)}").outcome == "skipped")
    #expect(reader("{\"b\":1,\(twice),\"c\":\"4\"}").outcome == "ambiguousField")
  }

  @Test func `a rule may be chosen by what a string holds`() throws {
    let reader = try reader(
      rule("new", .at("/body/type", .isOne(of: ["new"])), at: "/body/c"),
      rule("old", .at("/body/type", .isOne(of: ["old"])), at: "/c"))
    #expect(
      reader("{\"t\":1,\"body\":\(quoted("{\"type\":\"new\",\"c\":\"n\\n\"}"))}").clientData
        == utf8("n\n"))
    #expect(
      reader("{\"t\":1,\"c\":\"o\",\"body\":\(quoted("{\"type\":\"old\"}"))}").clientData
        == utf8("o"))
    for body in ["", "type=new", "{\"type\":\"new\"", "[\"new\"]", "\"new\""] {
      #expect(reader("{\"t\":1,\"c\":\"c\",\"body\":\(quoted(body))}").outcome == "skipped")
    }
  }

  @Test func `another platform's line is skipped by whatever rule`() throws {
    var fields = fields
    fields[.platform] = at("/os")
    fields[.token] = at("/tok")
    let reader = try SchemaReader(fields, kind: .fixed(.challenge))
    #expect(reader("{\"t\":1,\"c\":\"c\",\"os\":\"android\"}").outcome == "skipped")
    #expect(reader("{\"t\":1,\"c\":\"c\",\"os\":\"iOS\"}").outcome == "challenge")
    let audited = reader("{\"t\":1,\"c\":\"c\",\"os\":\"android\",\"tok\":\"oQ==\"}")
    #expect(audited.outcome == "ambiguousField")
  }

  // MARK: Schemas that cannot be

  @Test func `a schema that cannot be used is refused`() throws {
    func problem(_ rules: [SchemaRule], headers: [String] = []) -> String? {
      var schema = LogSchema(name: "test", rules: rules)
      schema.headers = headers.map(pointer)
      do throws(SchemaProblem) {
        _ = try CompiledSchema(schema)
        return nil
      } catch {
        return error.text
      }
    }
    #expect(problem([]) == "a schema needs a rule")
    #expect(
      problem([rule("a", .at("/a", .isPresent(true))), rule("b")])
        == "a rule without conditions fits every line and must be the only rule")
    #expect(problem([rule("a")], headers: ["/h"]) == "no pointer goes through the headers /h")
    #expect(problem([rule("a")], headers: ["/c"]) == "no pointer goes through the headers /c")
    #expect(problem([rule("a", at: "/h/x")], headers: ["/h"]) == nil)
    let long = String(repeating: "/x", count: 17)
    #expect(problem([rule("a", at: long)]) == "the pointer \(long) has more than 16 steps")
    var many = rule("a")
    for index in 0..<8 {
      let texts = (0..<9).map { JSONPointer(["\(index)", "\($0)"]) }
      many.fields[LogField.allCases[index + 6]] = FieldMapping(.pointers(texts))
    }
    #expect(problem([many]) == "more than 64 different pointers")
  }

  @Test(arguments: [
    ("", "does not begin with '/'"), ("a", "does not begin with '/'"),
    ("#/a", "does not begin with '/'"), ("$.a", "does not begin with '/'"),
    ("/a~", "has a '~' that is neither '~0' nor '~1'"),
    ("/a~2b", "has a '~' that is neither '~0' nor '~1'"),
    ("/~~0", "has a '~' that is neither '~0' nor '~1'"),
  ])
  func `what is no pointer is refused`(_ text: String, _ reason: String) {
    #expect(throws: JSONPointer.Problem(text: reason)) { try JSONPointer(parsing: text) }
  }

  @Test func `pointers come back as they were written`() throws {
    for (text, steps) in [
      ("/", [""]), ("//", ["", ""]), ("/a/b", ["a", "b"]), ("/~0~1/~01", ["~/", "~1"]),
      ("/é 😀", ["é 😀"]), ("/a/", ["a", ""]),
    ] {
      let pointer = try JSONPointer(parsing: text)
      #expect(pointer.steps == steps)
      #expect(pointer.text == text)
    }
  }
}
