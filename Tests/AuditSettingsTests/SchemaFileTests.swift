import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

/// The reading of schema files.
struct SchemaFileTests {
  private let scratch = made { try Scratch() }

  // MARK: What is read

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
    let record: [SchemaTest.Field] = [
      (.kind, Array("assertion".utf8)), (.time, Array("1970-01-01T00:00:01.500Z".utf8)),
      (.decision, Array("unknown".utf8)), (.serverCounter, Array("7".utf8)),
      (.keyId, [0, 255]), (.token, [0, 255]), (.clientData, Array("{a}".utf8)),
    ].map { SchemaTest.Field(field: $0, value: $1) }
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
          substitution: Substitution())
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
          .invalidFile, "--schema: cannot read ./nope: no such file or directory",
          hint: "list the folder: " + ShellText.command("ls .")))
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
    let substitution = Substitution()
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
      substitution: Substitution())
    #expect(file.definition == LogSchema.standard)
    #expect(file.replayScope == DetectionPolicy().replayScope)
    #expect(file.compiled.isStandard)
  }
}

/// The messages about mistakes in schema files.
struct SchemaMistakeTests {
  private let scratch = made { try Scratch() }

  @Test func `a value over several lines is refused in one`() throws {
    let error = try #require(
      scratch.schemaComplaint(
        """
        \(assertionFields)
        rules: [{kind: assertion}]
        tests:
          - line: "{}"
            expect:
              kind: assertion
              keyId: |
                01
                \u{202E}02
        """))
    #expect(error.message.hasSuffix(#"'01\u000a\u202e02' is not bytes in hex digits"#), "\(error)")
  }

  /// Returns the text of a schema file whose one rule is an assertion with some fields changed.
  private static func assertion(_ changes: String) -> String {
    "rules:\n- kind: assertion\n  fields:\n    {time: /t, keyId: /k, token: /o, clientData: /d,\n"
      + "     \(changes)}\n"
  }

  @Test(arguments: TextCase.read("schema-mistakes"))
  func `a mistake is told with its line and what is allowed`(_ mistake: TextCase) {
    #expect(
      scratch.schemaComplaint(mistake.text)
        == CommandError(.invalidFile, mistake.message, hint: mistake.hint))
  }

  @Test func `a rule's kind is said once`() throws {
    let failure = try #require(
      scratch.schemaComplaint(
        "rules:\n- kind: challenge\n  fields: {time: /t, challenge: /c, kind: /k}\n"))
    #expect(
      failure.message
        == "s.yaml:2: rules.kind: the rule's kind is set twice: here, and among its fields")
    // One that all rules share is replaced.
    let file = try scratch.readSchema(
      "fields: {kind: /k, time: /t}\nrules:\n- {kind: challenge, fields: {challenge: /c}}\n")
    #expect(file.definition.rules[0].kind == .fixed(.challenge))
    #expect(file.definition.rules[0].fields[.kind] == nil)
  }

  @Test func `too many pointers, and too deep ones, are refused`() throws {
    let many = (0..<62).map { "/p\($0)" }.joined(separator: ", ")
    #expect(
      scratch.schemaComplaint(Self.assertion("subject: [\(many)]"))?.message
        == "s.yaml:1: more than 64 different pointers")
    let deep = String(repeating: "/a", count: 17)
    #expect(
      scratch.schemaComplaint(Self.assertion("subject: \(deep)"))?.message
        == "s.yaml:1: the pointer \(deep) has more than 16 steps")
    #expect(scratch.schemaComplaint(Self.assertion("subject: [\(many.dropLast(10))]")) == nil)
  }
}

extension Scratch {
  /// Returns what a schema file with this text says.
  func readSchema(_ text: String) throws -> SchemaFile {
    try write("s.yaml", text)
    return try SchemaFile.named(
      "s.yaml", origin: "--schema", key: "", folder: path + "/",
      substitution: Substitution(date: "2026-03-01", environment: ["APP": "A.b"]))
  }

  /// Returns the error of a schema file with this text, without its folder.
  func schemaComplaint(_ text: String) -> CommandError? {
    complaint(in: self) { _ = try readSchema(text) }
  }
}

/// The fields of a rule for assertions, in YAML.
let assertionFields = "fields: {time: /t, keyId: /k, token: /o, clientData: /d}"

/// Returns the error that reading files of a folder throws, without the folder.
func complaint(in scratch: Scratch, _ body: () throws -> Void) -> CommandError? {
  do {
    try body()
    return nil
  } catch {
    guard var failure = error as? CommandError else { return nil }
    failure.message = failure.message.replacing(scratch.path + "/", with: "")
    return failure
  }
}
