import AuditEngine
import AuditLog
import TestSupport
import Testing

@testable import AuditSettings

/// Schemas that are written and read back.
struct SchemaWriterTests {
  /// A generator of schemas.
  private struct Maker {
    var random: Generator

    mutating func chance(_ percent: Int) -> Bool {
      Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func text() -> String {
      pick([
        "a", "b c", "200", "2xx", "true", "no", "", "it's", "a: b", "a #b", "- a", "{a}", "\"", "ö",
        "~", "null", "1e3", "*a", "&a", "%a", "@", "/x", "[a]", "\\n",
      ])
    }

    mutating func pointer() -> JSONPointer {
      JSONPointer((0..<Int.random(in: 1...3, using: &random)).map { _ in "k" + text() })
    }

    mutating func pointers() -> [JSONPointer] {
      var found: [JSONPointer] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let pointer = pointer()
        if !found.contains(pointer) { found.append(pointer) }
      }
      return found
    }

    mutating func time() -> TimeForm {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: TimeForm(unit: pick([.s, .ms, .us, .ns]))
      case 1: TimeForm(unit: .rfc3339, zone: .utc)
      case 2: TimeForm(pattern: .clf)
      case 3:
        TimeForm(
          pattern: try? TimePattern(parsing: "%Y-%m-%d 'at' %H:%M:%S%f"),
          zone: ZoneRules(offset: "+01:00"))
      default: TimeForm()
      }
    }

    mutating func mapping(_ field: LogField) -> FieldMapping {
      if field == .clientData, chance(30) {
        // A pointer in a template has no braces.
        let pointer = JSONPointer([pick(["a", "b c", "ö"])])
        return FieldMapping(
          .template([.text("{" + text() + "}"), .pointer(pointer), .text("\n")]))
      }
      if field == .subject, chance(30) { return FieldMapping(.constant("u" + text())) }
      var mapping = FieldMapping(.pointers(pointers()))
      switch field {
      case .time: mapping.time = time()
      case .keyId, .token: if chance(40) { mapping.encoding = pick([.auto, .base64url, .hex]) }
      case .clientData:
        if chance(60) { mapping.encoding = pick(FieldEncoding.allCases) }
        mapping.isEmptyIfAbsent = chance(30)
      case .decision:
        if chance(70) {
          mapping.values = ValueTable(
            [.init("v" + text(), "accepted"), .init("2xx", "rejected")],
            otherwise: chance(50) ? "unknown" : nil)
        }
      default: break
      }
      return mapping
    }

    mutating func condition() -> SchemaCondition {
      let test: SchemaCondition.Test =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .isOne(of: chance(50) ? [text()] : [text(), "x"])
        case 1: .isNone(of: [text(), "-"])
        case 2: .isPath(of: [try? RoutePattern(parsing: "/a/*/b c")].compactMap(\.self))
        default: .isPresent(chance(50))
        }
      return SchemaCondition(pointers(), test)
    }

    mutating func schema() -> LogSchema {
      var shared: [LogField: FieldMapping] = [:]
      for field in [LogField.time, .decision, .requestId, .subject]
      where field == .time || chance(50) {
        shared[field] = mapping(field)
      }
      let count = Int.random(in: 1...3, using: &random)
      let rules = (0..<count).map { index in
        var rule = SchemaRule(name: "rule " + text() + "\(index)", kind: .inferred, fields: shared)
        rule.kind = pick([.fixed(.assertion), .fixed(.challenge), .deviceCheckToken])
        let own: [LogField] =
          switch rule.kind {
          case .fixed(.challenge): [.challenge]
          case .deviceCheckToken: [.token]
          default: [.keyId, .token, .clientData]
          }
        for field in own { rule.fields[field] = mapping(field) }
        if count > 1 {
          rule.conditions = [
            SchemaCondition([JSONPointer(["n"])], .isOne(of: ["\(index)"])), condition(),
          ]
        }
        return rule
      }
      var schema = LogSchema(name: "schema", rules: rules)
      schema.skipsPrefix = chance(30)
      schema.usesEachRule = count > 1 && chance(30)
      if chance(30) { schema.records = chance(50) ? [pointer()] : [JSONPointer(["r"]), nil] }
      schema.formation = chance(30) ? .raw : .sha256
      if chance(50), let pointer = rules[0].fields[.time]?.pointers.first {
        schema.wrappings = [
          SchemaWrapping(
            pointer, pick(SchemaWrapping.Form.allCases), flag: chance(50) ? self.pointer() : nil)
        ]
      }
      return schema
    }
  }

  @Test func `a schema that is written is read back as the same value`() throws {
    let scratch = try Scratch()
    var maker = Maker(random: Generator(44))
    var count = 0
    while count < 400 {
      let schema = maker.schema()
      // Some schemas of random parts do not compile.
      guard (try? CompiledSchema(schema)) != nil else { continue }
      count += 1
      let scope = maker.pick([nil, ReplayScope.global, .exact, .key])
      var writer = SchemaWriter(schema, replayScope: scope)
      writer.comments = [
        .field(.time, rule: nil): ["a comment\nof two lines"], .fields(rule: 0): ["perhaps"],
        .rules: ["after"], .replayScope: ["before"],
      ]
      let text = writer.lines.joined(separator: "\n") + "\n"
      var read: SchemaFile?
      #expect(throws: Never.self, "\(text)") { read = try scratch.readSchema(text) }
      var definition = try #require(read).definition
      definition.name = schema.name
      #expect(definition == schema, "\(text)")
      #expect(read?.replayScope == scope)
    }
  }

  @Test(arguments: ["device-integrity", "swiftui", "header-assertion", "otel", "envoy", "gcp"])
  func `a shipped schema is read back as it was`(_ name: String) throws {
    let scratch = try Scratch()
    let file = try SchemaFile.named(
      name, origin: "test", key: "", folder: "",
      substitution: Substitution())
    let text = SchemaWriter(file.definition, replayScope: file.replayScope).lines
      .joined(separator: "\n")
    var definition = try scratch.readSchema(text).definition
    definition.name = file.definition.name
    #expect(definition == file.definition, "\(text)")
  }
}
