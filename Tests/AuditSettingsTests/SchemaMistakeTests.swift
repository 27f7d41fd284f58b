import AuditEngine
import AuditLog
import TestSupport
import Testing

@testable import AuditSettings

/// The messages about mistakes in schema files.
struct SchemaMistakeTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

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
