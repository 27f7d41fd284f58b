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

  @Test(
    arguments: [
      ("{}", "s.yaml:1: a schema needs rules", nil),
      ("rules: []", "s.yaml:1: rules: a schema needs rules", nil),
      (
        "rules: {a: b}", "s.yaml:1: unknown key 'a' in 'rules'", "allowed here: each, list"
      ),
      ("rules: [x]", "s.yaml:1: rules: a mapping is needed, not a single value", nil),
      ("version: 2\nrules: []", "s.yaml:1: version: this program reads version 1", nil),
      ("ruls: []", "s.yaml:1: unknown key 'ruls'", "did you mean 'rules'?"),
      ("rules: []\ninputs: [a]", "s.yaml:2: unknown key 'inputs'", nil),
      (
        "rules: [{kinds: assertion}]", "s.yaml:1: unknown key 'kinds' in 'rules'",
        "did you mean 'kind'?"
      ),
      (
        "rules: [{kind: asertion, fields: {time: /t}}]",
        "s.yaml:1: rules.kind: 'asertion' is not one of attestation, assertion, challenge, "
          + "deviceCheckToken", nil
      ),
      (
        "rules: [{kind: receipt, fields: {time: /t}}]",
        "s.yaml:1: rules.kind: 'receipt' is not one of attestation, assertion, challenge, "
          + "deviceCheckToken", nil
      ),
      ("replayScope: all\nrules: []", "s.yaml:2: rules: a schema needs rules", nil),
      (
        "hash: md5\nrules: [{fields: {time: /t, challenge: /c}}]",
        "s.yaml:1: hash: 'md5' is not one of sha256, raw", nil
      ),
      (
        "replayScope: all\nrules: [{fields: {time: /t, challenge: /c}}]",
        "s.yaml:1: replayScope: 'all' is not one of global, key, exact", nil
      ),
      (
        "headers: [/h]\nrules: [{fields: {time: /t, challenge: /c}}]",
        "s.yaml:1: no pointer goes through the headers /h", nil
      ),
      (
        "headers: []\nrules: [{fields: {time: /t, challenge: /c}}]",
        "s.yaml:1: headers: a list of pointers is empty", nil
      ),
      // Several rules.
      (
        "rules:\n- {name: a, fields: {time: /t, challenge: /c}}\n- {name: b, kind: challenge, "
          + "when: [{pointer: /x, present: true}], fields: {time: /t, challenge: /c}}",
        "s.yaml:3: rules: a rule without 'when' fits every line, and stands alone",
        "say by 'when' which lines each rule is for"
      ),
      (
        "rules:\n- {name: a, when: [{pointer: /x, present: true}], fields: {time: /t, challenge: /c}}\n"
          + "- {name: a, when: [{pointer: /y, present: true}], fields: {time: /t, challenge: /c}}",
        "s.yaml:3: rules: the rule 'a' occurs twice", nil
      ),
      (
        "rules:\n- {name: a, when: [{pointer: /x, is: 1}], fields: {time: /t, challenge: /c}}\n"
          + "- {name: b, when: [{pointer: /x, is: 1}], fields: {time: /t, challenge: /c}}",
        "s.yaml:3: rules: the rules 'a' and 'b' fit the same lines",
        "'rules: {each: true, list: […]}' makes a record by each"
      ),
      // Conditions.
      (
        "rules: [{when: [], fields: {time: /t, challenge: /c}}]",
        "s.yaml:1: rules.when: without a condition the rule fits every line", "leave 'when' out"
      ),
      (
        "rules: [{when: [{is: 1}], fields: {time: /t}}]",
        "s.yaml:1: rules.when: a condition needs a pointer", nil
      ),
      (
        "rules: [{when: [{pointer: /a}], fields: {time: /t}}]",
        "s.yaml:1: rules.when: a condition needs 'is', 'not', 'path' or 'present'", nil
      ),
      (
        "rules: [{when: [{pointer: /a, is: 1, present: true}], fields: {time: /t}}]",
        "s.yaml:1: rules.when: 'is' and 'present' exclude each other", nil
      ),
      (
        "rules: [{when: [{pointer: /a, is: []}], fields: {time: /t}}]",
        "s.yaml:1: rules.when.is: a list of values is empty", nil
      ),
      (
        "rules: [{when: [{pointer: /a, present: maybe}], fields: {time: /t}}]",
        "s.yaml:1: rules.when.present: 'maybe' is not one of true, false", nil
      ),
      (
        "rules: [{when: [{pointer: /a, equals: 1}], fields: {time: /t}}]",
        "s.yaml:1: unknown key 'equals' in 'rules.when'", nil
      ),
    ] as [(String, String, String?)])
  func `a mistake in a schema is told with its line`(
    _ text: String, _ message: String, _ hint: String?
  ) throws {
    let failure = try #require(scratch.schemaComplaint(text))
    #expect(failure.status == .invalidFile)
    #expect(failure.message.hasPrefix(message), "\(failure.message)")
    if let hint { #expect(failure.hint == hint) }
  }

  @Test(
    arguments: [
      (
        "subject: s", "subject: the JSON Pointer 's' does not begin with '/'",
        "write '/s' for the member of that name"
      ),
      ("subject: [/a, b]", "subject: the JSON Pointer 'b' does not begin with '/'", nil),
      (
        "subject: /a~b", "subject: the JSON Pointer '/a~b' has a '~' that is neither '~0' nor '~1'",
        nil
      ),
      ("subject: []", "subject: a list of pointers is empty", nil),
      ("subject: [/a, /a]", "subject: the pointer /a occurs twice", nil),
      ("subject: [[/a]]", "subject: a single value is needed, not a list", nil),
      ("subject: {}", "subject: a field needs a pointer, a template or a constant", nil),
      ("subject: {pionter: /a}", "unknown key 'pionter'", "did you mean 'pointer'?"),
      ("sbuject: /a", "unknown key 'sbuject'", "did you mean 'subject'?"),
      (
        "subject: {pointer: /a, constant: b}",
        "subject: 'pointer' and 'constant' exclude each other", nil
      ),
      (
        "subject: {template: '{/a}', constant: b}",
        "subject: 'template' and 'constant' exclude each other", nil
      ),
      (
        "subject: {pointer: /a, encoding: utf8}",
        "subject.encoding: subject is text, and has no encoding", nil
      ),
      (
        "keyId: {pointer: /a, encoding: utf16}",
        "keyId.encoding: 'utf16' is not one of auto, utf8,", nil
      ),
      (
        "keyId: {pointer: /a, encoding: raw}", "keyId.encoding: keyId cannot be written in raw", nil
      ),
      (
        "token: {pointer: /a, encoding: utf8}", "token.encoding: token cannot be written in utf8",
        nil
      ),
      (
        "clientDataHash: {pointer: /a, encoding: raw}",
        "clientDataHash.encoding: clientDataHash cannot be written in raw", nil
      ),
      (
        "payload: {template: '{/a}', encoding: base64}",
        "payload.encoding: templates and constants are text", nil
      ),
      ("payload: {pointer: /p, unit: ms}", "payload.unit: only a time has a unit", nil),
      ("payload: {pointer: /p, format: clf}", "payload.format: only a time has a format", nil),
      ("payload: {pointer: /p, zone: UTC}", "payload.zone: only a time has a zone", nil),
      (
        "time: {pointer: /t, format: epoch}", "time.format: an epoch needs a unit",
        "'unit: ms' beside it, or 'format: epoch ms'"
      ),
      (
        "time: {pointer: /t, format: clf, unit: ms}",
        "time.format: 'format' and 'unit' exclude each other", "'epoch' alone has a unit"
      ),
      (
        "time: {pointer: /t, format: '%Y-%m-%d %H:%M'}",
        "time.format: times of this format carry no zone", "say it beside the format: 'zone: UTC'"
      ),
      (
        "time: {pointer: /t, format: '%Y-%m-%d'}",
        "time.format: the pattern '%Y-%m-%d' has no hour", nil
      ),
      ("time: {pointer: /t, format: iso}", "time.format: 'iso' is no format of times", nil),
      (
        "time: {pointer: /t, format: clf, zone: UTC}",
        "time.zone: times of this format carry their zone", nil
      ),
      (
        "time: {pointer: /t, format: epoch ms, zone: UTC}",
        "time.zone: a number counts from 1970 in UTC, and has no zone", nil
      ),
      ("time: {pointer: /t, zone: Europe/Viena}", "time.zone: 'Europe/Viena' is no time zone", nil),
      ("time: {pointer: /t, zone: '+1'}", "time.zone: '+1' is no time zone", nil),
      (
        "subject: /a/3/value",
        "the pointer /a/3/value takes a header by its place, and headers come in any order",
        "'headers: [/a]' and /a/NAME take it by its name, whatever the form"
      ),
      (
        "subject: /a/b/0/Value/stringValue",
        "the pointer /a/b/0/Value/stringValue takes a header by its place", nil
      ),
      ("subject: /a/0/1", "the pointer /a/0/1 takes a header by its place", nil),
      (
        "time: {pointer: /t, unit: min}", "time.unit: 'min' is not one of s, ms, us, ns, rfc3339",
        nil
      ),
      (
        "time: {constant: 5}", "time.constant: a constant time would be the same in every record",
        nil
      ),
      (
        "keyId: {constant: AA}",
        "keyId.constant: a constant keyId would be the same in every record", nil
      ),
      ("time: {template: '{/a}'}", "time.template: a template is text, and time is none", nil),
      ("decision: {constant: ok}", "decision.constant: 'ok' is not one of accepted, rejected", nil),
      (
        "decision: {pointer: /s, values: {200: ok}}",
        "decision.values.200: 'ok' is not one of accepted, rejected, unknown", nil
      ),
      ("decision: {pointer: /s, values: {}}", "decision.values: a table of values is empty", nil),
      (
        "decision: {pointer: /s, values: [200]}",
        "decision.values: a mapping is needed, not a list", nil
      ),
      (
        "decision: {pointer: /s, otherwise: unknown}",
        "decision.otherwise: without 'values' there is nothing else", nil
      ),
      (
        "decision: {pointer: /s, values: {200: accepted}, otherwise: no}",
        "decision.otherwise: 'no' is not one of", nil
      ),
      (
        "decision: {pointer: /s, values: {200: accepted, 200: rejected}}",
        "the key '200' occurs twice", nil
      ),
      (
        "decision: {constant: accepted, values: {200: accepted}}",
        "decision: a constant needs no table of values", nil
      ),
      (
        "subject: {pointer: /s, values: {a: b}}",
        "subject.values: only kind and decision have a table of values", nil
      ),
      (
        "payload: {template: 'GET /path'}", "payload.template: the template has no pointer in it",
        "'constant' is a fixed text"
      ),
      (
        "payload: {template: '{/a'}", "payload.template: the template has a '{' without '}'",
        "'{{' is a brace"
      ),
      (
        "payload: {template: '{/a}}'}", "payload.template: the template has a '}' without '{'",
        "'}}' is a brace"
      ),
      (
        "payload: {template: '{a}'}",
        "payload.template: the JSON Pointer 'a' in the template does not begin with '/'", nil
      ),
      (
        "payload: {template: '{}'}",
        "payload.template: the JSON Pointer '' in the template does not begin with '/'", nil
      ),
    ] as [(String, String, String?)])
  func `a mistake in a field is told with its line`(
    _ field: String, _ message: String, _ hint: String?
  ) throws {
    // Behind the fields that an assertion needs, or in place of one.
    let name = field.prefix { $0 != ":" }
    let text = Self.assertion(field)
      .replacing(name == "time" ? "time: /t, " : "-", with: name == "time" ? "" : "-")
      .replacing(name == "keyId" ? "keyId: /k, " : "-", with: name == "keyId" ? "" : "-")
      .replacing(name == "token" ? "token: /o, " : "-", with: name == "token" ? "" : "-")
    let failure = try #require(scratch.schemaComplaint(text))
    #expect(failure.status == .invalidFile)
    #expect(failure.message.hasPrefix("s.yaml:5: "), "\(failure.message)")
    #expect(failure.message.contains(message), "\(failure.message)")
    if let hint { #expect(failure.hint == hint) }
  }

  @Test(arguments: [
    ("assertion", "keyId: /k, token: /o, clientData: /d", "is an assertion, and maps no time"),
    ("assertion", "time: /t, keyId: /k, clientData: /d", "is an assertion, and maps no token"),
    (
      "assertion", "time: /t, token: /o, clientData: /d",
      "is an assertion, and maps no keyId or deviceId"
    ),
    ("assertion", "time: /t, keyId: /k, token: /o", "is an assertion, and maps no client data"),
    (
      "assertion", "time: /t, keyId: /k, token: /o, payload: /d, challenge: /c",
      "is an assertion, which has no challenge"
    ),
    (
      "attestation", "time: /t, deviceId: /k, token: /o, challenge: /d",
      "is an attestation, and maps no keyId"
    ),
    ("attestation", "time: /t, keyId: /k, challenge: /d", "is an attestation, and maps no token"),
    ("attestation", "time: /t, keyId: /k, token: /o", "is an attestation, and maps no client data"),
    (
      "attestation", "time: /t, keyId: /k, token: /o, payload: /p",
      "is an attestation, which has no payload"
    ),
    (
      "attestation", "time: /t, keyId: /k, token: /o, challenge: /p, serverCounter: /n",
      "is an attestation, which has no serverCounter"
    ),
    ("challenge", "time: /t", "is a challenge, and maps no challenge"),
    ("challenge", "time: /t, challenge: /c, keyId: /k", "is a challenge, which has no keyId"),
    ("deviceCheckToken", "time: /t", "is a DeviceCheck token, and maps no token"),
    ("deviceCheckToken", "token: /t, keyId: /k", "is a DeviceCheck token, which has no keyId"),
    (
      "{pointer: /e, values: {a: assertion, b: challenge}}",
      "time: /t, keyId: /k, token: /o, payload: /p", "may be a challenge, and maps no challenge"
    ),
    (
      "{pointer: /e, values: {a: challenge}, otherwise: attestation}", "time: /t, challenge: /c",
      "may be an attestation, and maps no keyId"
    ),
    (
      "{pointer: /e, values: {a: challenge, d: deviceCheckToken}}", "time: /t, challenge: /c",
      "may be a DeviceCheck token, and maps no token"
    ),
    ("/e", "time: /t, token: /c", "maps too little for any kind: keyId or deviceId"),
  ])
  func `a rule maps what its kind needs, and nothing else`(
    _ kind: String, _ fields: String, _ message: String
  ) throws {
    let failure = try #require(
      scratch.schemaComplaint("rules:\n- name: r\n  kind: \(kind)\n  fields: {\(fields)}\n"))
    #expect(failure.message.hasPrefix("s.yaml:2: rules: 'r' \(message)"), "\(failure.message)")
  }

  @Test func `a rule's kind is said once`() throws {
    let failure = try #require(
      scratch.schemaComplaint(
        "rules:\n- kind: challenge\n  fields: {time: /t, challenge: /c, kind: /k}\n"))
    #expect(
      failure.message
        == "s.yaml:2: rules.kind: the rule's kind is said twice: here, and among its fields")
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

  @Test(arguments: [
    ("{line: '{}'}", "tests: a test needs something to expect"),
    ("{expect: {skipped: true}}", "tests: a test needs a line"),
    ("{line: '{}', expect: {}}", "tests.expect: a test needs something to expect"),
    ("{line: '{}', expect: {skipped: false}}", "tests.expect.skipped: expect what the line is"),
    (
      "{line: '{}', expect: {skipped: true, kind: assertion}}",
      "tests.expect: a line that is no record"
    ),
    (
      "{line: '{}', expect: {reject: missing_field}}",
      "tests.expect.reject: 'missing_field' is not one of"
    ),
    (
      "{line: '{}', expect: {reject: key.unknown}}",
      "tests.expect.reject: 'key.unknown' is not one of"
    ),
    (
      "{line: '{}', expect: {kind: deviceCheckToken, subject: a}}",
      "tests.expect: a DeviceCheck token has"
    ),
    ("{line: '{}', expect: {kind: x}}", "tests.expect.kind: 'x' is not one of"),
    ("{line: '{}', expect: {keyId: xyz}}", "tests.expect.keyId: 'xyz' is not bytes in hex digits"),
    ("{line: '{}', expect: {token: '!'}}", "tests.expect.token: '!' is not bytes in base64"),
    (
      "{line: '{}', expect: {time: yesterday}}",
      "tests.expect.time: 'yesterday' is not a time by RFC 3339"
    ),
    ("{line: '{}', expect: {decision: ok}}", "tests.expect.decision: 'ok' is not one of"),
    (
      "{line: '{}', expect: {serverCounter: -1}}",
      "tests.expect.serverCounter: '-1' is not a number"
    ),
    ("{line: '{}', expect: {keyid: 00}}", "unknown key 'keyid' in 'tests.expect'"),
    ("{line: \"a\\nb\", expect: {skipped: true}}", "tests.line: a log line is one line"),
    ("{line: [], expect: {skipped: true}}", "tests.line: a single value is needed, not a list"),
    ("{lines: '{}', expect: {skipped: true}}", "unknown key 'lines' in 'tests'"),
  ])
  func `a mistake in a test is told with its line`(_ test: String, _ message: String) throws {
    let text = "rules: [{kind: assertion, \(assertionFields)}]\ntests:\n- \(test)\n"
    let failure = try #require(scratch.schemaComplaint(text))
    #expect(failure.message.hasPrefix("s.yaml:3: \(message)"), "\(failure.message)")
  }
}
