import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

/// The reading of schema files.
struct SchemaFileTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func pointer(_ steps: String...) -> JSONPointer { JSONPointer(steps) }

  // MARK: What is read

  @Test func `every part of a schema is read`() throws {
    let file = try scratch.readSchema(
      """
      version: 1
      name: mine
      replayScope: exact
      hash: raw
      headers: [/h, /e/H]
      fields:
        time: {pointer: /t, unit: us}
        appId: {constant: "${APP}"}
        decision: {pointer: [/s, /status], values: {2xx: accepted, 404: rejected, true: accepted}, otherwise: unknown}
      rules:
        - name: first
          when:
            - {pointer: /m, is: POST}
            - {pointer: [/p, /q], is: [1, "b c", yes]}
            - {pointer: /x, not: ["", -]}
            - {pointer: /h/A, present: true}
            - {pointer: /e/H/b, present: false}
          kind: attestation
          fields:
            time: /own
            keyId: [/h/Key, /k~1~0]
            token: {pointer: /o, encoding: base64url}
            clientData: {template: "{{{/m} {/q/0}}}$"}
        - when: [{pointer: /z, is: 1}]
          kind: {pointer: /event, values: {a: assertion, c: challenge}, otherwise: deviceCheckToken}
          fields: {token: /o, payload: {pointer: /p, encoding: raw}, deviceId: /d, challenge: /c}
      """)
    var expected = LogSchema(
      name: "mine",
      rules: [
        SchemaRule(
          name: "first",
          conditions: [
            SchemaCondition([pointer("m")], .isOne(of: ["POST"])),
            SchemaCondition([pointer("p"), pointer("q")], .isOne(of: ["1", "b c", "yes"])),
            SchemaCondition([pointer("x")], .isNone(of: ["", "-"])),
            SchemaCondition([pointer("h", "A")], .isPresent(true)),
            SchemaCondition([pointer("e", "H", "b")], .isPresent(false)),
          ], kind: .fixed(.attestation),
          fields: [
            .time: FieldMapping(.pointers([pointer("own")])),
            .keyId: FieldMapping(.pointers([pointer("h", "Key"), pointer("k/~")])),
            .token: FieldMapping(.pointers([pointer("o")]), encoding: .base64url),
            .clientData: FieldMapping(
              .template([
                .text("{"), .pointer(pointer("m")), .text(" "), .pointer(pointer("q", "0")),
                .text("}$"),
              ])),
          ]),
        SchemaRule(
          name: "rule 2",
          conditions: [SchemaCondition([pointer("z")], .isOne(of: ["1"]))], kind: .mapped,
          fields: [
            .time: FieldMapping(.pointers([pointer("t")]), unit: .us),
            .kind: FieldMapping(
              .pointers([pointer("event")]),
              values: ValueTable(
                [.init("a", "assertion"), .init("c", "challenge")], otherwise: "deviceCheckToken")
            ),
            .token: FieldMapping(.pointers([pointer("o")])),
            .payload: FieldMapping(.pointers([pointer("p")]), encoding: .raw),
            .deviceId: FieldMapping(.pointers([pointer("d")])),
            .challenge: FieldMapping(.pointers([pointer("c")])),
          ]),
      ])
    for index in expected.rules.indices {
      expected.rules[index].fields[.appId] = FieldMapping(.constant("A.b"))
      expected.rules[index].fields[.decision] = FieldMapping(
        .pointers([pointer("s"), pointer("status")]),
        values: ValueTable(
          [.init("2xx", "accepted"), .init("404", "rejected"), .init("true", "accepted")],
          otherwise: "unknown"))
    }
    expected.headers = [pointer("h"), pointer("e", "H")]
    expected.formation = .raw
    #expect(file.definition == expected)
    #expect(file.replayScope == .exact)
    #expect(file.tests.isEmpty && !file.isShipped)
  }

  @Test func `what may be left out may be left out`() throws {
    let file = try scratch.readSchema("rules: [{\(assertionFields)}]".replacing("\n", with: ""))
    #expect(file.definition.name == "s")
    #expect(file.replayScope == nil)
    #expect(file.definition.formation == .sha256)
    #expect(file.definition.rules[0].kind == .inferred)
    #expect(file.definition.rules[0].conditions.isEmpty)
  }

  @Test func `tests are read with what they expect`() throws {
    let file = try scratch.readSchema(
      """
      rules: [{kind: assertion, \(assertionFields)}]
      tests:
        - name: all
          line: '{"t":"${date}","d":"{"}'
          expect:
            kind: assertion
            time: 1970-01-01T00:00:01.500Z
            decision: unknown
            keyId: 00ff
            token: AP8=
            clientData: "{a}"
            serverCounter: 7
        - line: |
            no JSON
          expect: {reject: record.malformed_json}
        - {line: "{}", expect: {skipped: true}}
        - {line: "{}", expect: {kind: deviceCheckToken}}
      """)
    var record = ExpectedRecord(kind: .assertion, time: 1500, decision: .unknown, serverCounter: 7)
    record.bytes = [
      .init(field: .keyId, value: [0, 255], isText: false),
      .init(field: .token, value: [0, 255], isText: false),
      .init(field: .clientData, value: Array("{a}".utf8), isText: true),
    ]
    #expect(file.tests.map(\.name) == ["all", "test 2", "test 3", "test 4"])
    #expect(
      file.tests.map(\.expectation)
        == [.record(record), .reject(.malformedJSON), .skipped, .deviceCheckToken])
    // A log line is no place for variables.
    #expect(file.tests[0].line == Array(#"{"t":"${date}","d":"{"}"#.utf8))
    #expect(file.tests[1].line == Array("no JSON".utf8))
    #expect(file.tests[1].origin.hasSuffix("s.yaml:13"))
  }

  // MARK: Names

  @Test func `a name that is none is told with the nearest`() {
    func failure(_ name: String) -> CommandError? {
      do throws(CommandError) {
        _ = try SchemaFile.named(
          name, origin: "--schema", key: "", folder: "", status: .usage,
          substitution: Substitution(date: "", environment: [:]))
        return nil
      } catch { return error }
    }
    #expect(
      failure("capgoo")
        == CommandError(
          .usage, "--schema: no schema is called 'capgoo'", hint: "did you mean 'capgo'?"))
    #expect(failure("Default")?.hint == "did you mean 'default'?")
    #expect(failure("something else")?.hint?.hasPrefix("use one of: default, capgo, ") == true)
    #expect(
      failure("./nope")
        == CommandError(
          .invalidFile, "--schema: cannot read ./nope: no such file or directory"))
    #expect(
      failure("nope.yaml")?.message == "--schema: cannot read nope.yaml: no such file or directory")
    for name in ShippedSchemas.names { #expect(failure(name) == nil) }
  }

  // MARK: Those that come along

  private static let folder = Repository.folder.appending(path: "pipelines/schemas")

  @Test func `every file of the folder is embedded`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(".yaml") }
    #expect(Set(files) == Set(ShippedSchemas.names.map { $0 + ".yaml" }))
  }

  @Test(arguments: ShippedSchemas.names)
  func `a schema that comes along is valid, and named as its file`(
    _ name: String
  ) throws {
    let substitution = Substitution(date: "", environment: [:])
    let file = try SchemaFile.named(
      Self.folder.path + "/\(name).yaml", origin: "", key: "", folder: "",
      substitution: substitution)
    #expect(file.definition.name == name)
    #expect(file.tests.count >= 4)
    let shipped = try SchemaFile.named(
      name, origin: "", key: "", folder: "", substitution: substitution)
    #expect(shipped.definition == file.definition)
    #expect(shipped.isShipped)
    #expect(shipped.compiled.isStandard == (name == "default"))
  }

  @Test func `the default schema's file says what the program does without it`() throws {
    let file = try SchemaFile.named(
      Self.folder.path + "/default.yaml", origin: "", key: "", folder: "",
      substitution: Substitution(date: "", environment: [:]))
    #expect(file.definition == LogSchema.standard)
    #expect(file.replayScope == DetectionPolicy().replayScope)
    #expect(file.compiled.isStandard)
  }
}
