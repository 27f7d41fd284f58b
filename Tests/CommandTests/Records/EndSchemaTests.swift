import Foundation
import TestSupport
import Testing

/// The built program with schemas: by name, by path, inline; what `check` says and how it ends.
struct EndSchemaTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func run(_ arguments: String...) throws -> Program.Outcome {
    try Program.run(arguments, in: scratch.path)
  }

  private static let key = String(repeating: "A", count: 43) + "="

  /// Lines of a gateway: an assertion, a DeviceCheck token, two that no rule fits, a blank one.
  private static let gateway = """
    {"time":"2026-03-01T10:00:01.000Z","method":"POST","path":"/v1/transfers","headers":{"x-app-key-id":"\(key)","X-APP-ASSERTION":"oWA="},"body":"{\\"amount\\":12}","status":200,"request_id":"r2"}
    {"time":"2026-03-01T10:00:02.000Z","method":"POST","path":"/verify-device","headers":{},"body":"{\\"device_token\\":\\"AgAA\\"}","status":200,"request_id":"r3"}
    {"time":"2026-03-01T10:00:03.000Z","method":"GET","path":"/health","headers":{},"body":"","status":200,"request_id":"r4"}
    {"time":"2026-03-01T10:00:03.000Z","method":"GET","path":"/attest/verify","headers":{},"body":"","status":405,"request_id":"r5"}

    """ + "\n"

  @Test(arguments: ["name", "path", "inline", "named in a file", "path in a file"])
  func `a schema is chosen by name, by path, or written in the pipeline file`(
    _ way: String
  ) throws {
    try scratch.write("a.jsonl", Self.gateway)
    let text = try String(
      contentsOf: Repository.folder.appending(path: "pipelines/schemas/device-integrity.yaml"),
      encoding: .utf8)
    try scratch.write("conf/mine.yaml", text)
    var arguments: [String]
    switch way {
    case "name": arguments = ["--schema", "device-integrity"]
    case "path": arguments = ["--schema", "conf/mine.yaml"]
    case "inline":
      let indented = text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { "  " + $0 }.joined(separator: "\n")
      try scratch.write("conf/p.yaml", "schema:\n\(indented)\n")
      arguments = ["--pipeline", "conf/p.yaml"]
    case "named in a file":
      try scratch.write("conf/p.yaml", "schema: device-integrity\n")
      arguments = ["--pipeline", "conf/p.yaml"]
    default:
      try scratch.write("conf/p.yaml", "schema: mine.yaml\n")
      arguments = ["--pipeline", "conf/p.yaml"]
    }
    let outcome = try Program.run(
      ["audit", "a.jsonl", "--app-id", "A.b", "--out", "report", "--quiet"] + arguments,
      in: scratch.path)
    #expect(outcome.errors == "")
    let records = try scratch.report().summary.records
    #expect(
      records == [
        "lines": 5, "blank": 1, "attestations": 0, "assertions": 1, "challenges": 0,
        "deviceCheckTokens": 1, "skipped": 2, "unreadable": 0, "notAudited": 0, "known": 0,
        "items": 0, "ambiguousTimes": 0,
      ])
  }

  @Test func `flags win over the file, and the file over the schema`() throws {
    func scope(_ file: String) throws -> String? {
      try scratch.write("p.yaml", file)
      let outcome = try run("check", "p.yaml")
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.output.split(separator: "\n").first { $0.hasPrefix("detect.replayScope") }
        .map { String($0.split(separator: " ")[1]) }
    }
    #expect(try scope("schema: swiftui\n") == "exact")
    #expect(try scope("schema: swiftui\ndetect: {replayScope: key}\n") == "key")
    #expect(try scope("schema: capgo\n") == "global")
    #expect(try scope("") == "global")
  }

  // MARK: Check

  @Test func `check says what a schema file maps`() throws {
    try scratch.write(
      "s.yaml",
      """
      headers: [/h]
      replayScope: exact
      hash: raw
      rules:
        - name: new keys
          when: [{pointer: /path, is: [/a, /b]}, {pointer: /x, not: y}, {pointer: /z, present: false}]
          kind: attestation
          fields:
            time: {pointer: /ts, unit: ms}
            keyId: [/k, /h/Key]
            token: /o
            challenge: {template: "{{{/c} x"}
            decision: {pointer: /s, values: {2xx: accepted}, otherwise: rejected}
            platform: {constant: ios}
      """)
    let outcome = try run("check", "s.yaml")
    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        schema                    s
          hash                    raw: client data is the hash
          headers                 /h, without case
          new keys                attestation
            when                  /path is '/a' or '/b'
            when                  /x is there, and not 'y'
            when                  /z is not there
            time                  /ts, ms
            keyId                 /k or /h/Key
            token                 /o
            challenge             '{{{/c} x'
            decision              /s, 2xx is accepted, all else is rejected
            platform              'ios'
        replayScope               exact

        """)
    #expect(outcome.status == 0)
  }

  @Test func `check puts the schema into a pipeline's description`() throws {
    try scratch.write("p.yaml", "schema: capgo\n")
    let outcome = try run("check", "p.yaml")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.contains(
        "\nschema                    capgo\n  record                  the kind"))
  }

  @Test(arguments: [
    (
      "p.yaml", "schema: {rules: [{kind: assertion, fields: {time: t}}]}\n",
      "p.yaml:1: schema.rules.fields.time: the JSON Pointer 't' does not begin with '/'"
    ),
    ("p.yaml", "inputs: [a]\nschema: nope\n", "p.yaml:2: schema: no schema is called 'nope'"),
    ("p.yaml", "schema: nope.yaml\n", "p.yaml:1: cannot read nope.yaml: no such file or directory"),
    ("p.yaml", "schema: [a]\n", "p.yaml:1: schema: a mapping is needed, not a list"),
    (
      "s.yaml", "rules: [{kind: assertion}]\n",
      "s.yaml:1: rules: 'rule 1' is an assertion, and maps no time"
    ),
    ("s.yaml", "fields: {time: /t}\n", "s.yaml:1: a schema needs rules"),
  ])
  func `check ends with 65 where a schema is not valid`(
    _ name: String, _ text: String, _ message: String
  ) throws {
    try scratch.write(name, text)
    let outcome = try run("check", name)
    #expect(outcome.status == 65)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("attest-audit: error: \(message)\n"), "\(outcome.errors)")
    let audit = try run(
      "audit", "--pipeline", "p.yaml", "--schema", "s.yaml", "--app-id", "A.b", "x")
    #expect(audit.status == 65)
  }

  @Test func `a schema that the command line names wrongly is bad usage`() throws {
    let outcome = try run("audit", "a", "--app-id", "A.b", "--schema", "swiftiu")
    #expect(
      outcome
        == Program.Outcome(
          status: 64, output: "",
          errors: "attest-audit: error: --schema: no schema is called 'swiftiu'\n"
            + "hint: did you mean 'swiftui'?\n"))
  }

  // MARK: Tests of a schema

  private static let rules = """
    rules:
      - kind: challenge
        fields: {time: /t, challenge: /c, subject: /s}

    """

  @Test func `tests that pass are counted`() throws {
    try scratch.write(
      "s.yaml",
      Self.rules + "tests:\n- {line: '{\"t\":1,\"c\":\"x\"}', expect: {challenge: x}}\n"
        + "- {line: '{', expect: {reject: record.malformed_json}}\n")
    let outcome = try run("check", "s.yaml", "--run-tests")
    #expect(outcome.errors == "")
    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("\ntests                     2 passed\n"))
    #expect(try !run("check", "s.yaml").output.contains("tests"))
  }

  @Test(arguments: [
    ("{challenge: y}", "{\"t\":1,\"c\":\"x\"}", "expected challenge 'y', found 'x'"),
    ("{subject: y}", "{\"t\":1,\"c\":\"x\"}", "expected subject 'y', found none"),
    ("{subject: 17}", "{\"t\":1,\"c\":\"x\",\"s\":17.0}", "expected subject '17', found '17.0'"),
    ("{kind: assertion}", "{\"t\":1,\"c\":\"x\"}", "expected kind assertion, found challenge"),
    (
      "{time: \"1970-01-01T00:00:02Z\"}", "{\"t\":1,\"c\":\"x\"}",
      "expected time 1970-01-01T00:00:02.000Z, found 1970-01-01T00:00:01.000Z"
    ),
    ("{decision: accepted}", "{\"t\":1,\"c\":\"x\"}", "expected decision accepted, found unknown"),
    ("{keyId: 00ff}", "{\"t\":1,\"c\":\"x\"}", "expected keyId 00ff, found none"),
    ("{serverCounter: 1}", "{\"t\":1,\"c\":\"x\"}", "expected serverCounter 1, found none"),
    ("{payload: x}", "{\"t\":1,\"c\":\"x\"}", "expected payload 'x', found none"),
    (
      "{skipped: true}", "{\"t\":1,\"c\":\"x\"}",
      "expected a line that is skipped, found kind challenge"
    ),
    (
      "{kind: deviceCheckToken}", "{\"t\":1,\"c\":\"x\"}",
      "expected a DeviceCheck token, found kind challenge"
    ),
    (
      "{challenge: x}", "{\"t\":1}",
      "expected a record, found record.missing_field: The field challenge (/c) is missing."
    ),
    (
      "{reject: record.bad_encoding}", "{\"t\":1}",
      "expected record.bad_encoding, found record.missing_field: The field challenge (/c) is missing."
    ),
    (
      "{reject: record.missing_field}", "{\"t\":1,\"c\":\"x\"}",
      "expected record.missing_field, found kind challenge"
    ),
  ])
  func `a test that fails says what was expected and what was found`(
    _ expect: String, _ line: String, _ complaint: String
  ) throws {
    try scratch.write(
      "s.yaml", Self.rules + "tests:\n- name: mine\n  line: '\(line)'\n  expect: \(expect)\n")
    let outcome = try run("check", "s.yaml", "--run-tests")
    #expect(outcome.status == 65)
    #expect(outcome.output == "")
    #expect(
      outcome.errors
        == "attest-audit: error: s.yaml:5: 'mine': \(complaint)\n"
        + "hint: 1 of 1 tests fail with the schema s\n")
    #expect(try run("check", "s.yaml").status == 0)
  }

  @Test func `all tests that fail are told`() throws {
    try scratch.write(
      "s.yaml",
      Self.rules + "tests:\n- {line: '{}', expect: {skipped: true}}\n"
        + "- {line: '{', expect: {reject: record.malformed_json}}\n"
        + "- {line: '[]', expect: {reject: record.missing_field}}\n")
    let outcome = try run("check", "s.yaml", "--run-tests")
    let lines = outcome.errors.split(separator: "\n")
    #expect(outcome.status == 65)
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("attest-audit: error: s.yaml:5: 'test 1': expected a line that"))
    #expect(
      lines[1].hasPrefix("attest-audit: error: s.yaml:7: 'test 3': expected record.missing_f"))
    #expect(lines[2] == "hint: 2 of 3 tests fail with the schema s")
  }

  @Test(arguments: [
    "schema: capgo\n", "inputs: [a]\n", "", "schema: s.yaml\n",
    "schema: {rules: [{fields: {time: /t, challenge: /c}}]}\n",
    "tests: []\n",
  ])
  func `checking nothing is an error`(_ text: String) throws {
    try scratch.write("s.yaml", Self.rules)
    try scratch.write("p.yaml", text)
    for name in ["p.yaml", "s.yaml"] {
      let outcome = try run("check", name, "--run-tests")
      #expect(outcome.status == 65)
      #expect(
        outcome.errors.hasPrefix("attest-audit: error: \(name): there are no tests to run\nhint: "),
        "\(outcome.errors)")
    }
  }

  @Test func `a pipeline file's tests and those of its schema file are run`() throws {
    let test = "tests:\n- {line: '{\"t\":1,\"c\":\"x\"}', expect: {challenge: x}}\n"
    try scratch.write("conf/s.yaml", Self.rules + test)
    try scratch.write("conf/p.yaml", "schema: s.yaml\n" + test)
    let both = try run("check", "conf/p.yaml", "--run-tests")
    #expect(both.output.hasSuffix("\ntests                     2 passed\n"), "\(both.errors)")
    // Those of a schema that comes along are the program's own.
    try scratch.write(
      "p.yaml", "schema: capgo\ntests:\n- {line: '{}', expect: {reject: record.missing_field}}\n")
    #expect(try run("check", "p.yaml", "--run-tests").output.hasSuffix(" 1 passed\n"))
    try scratch.write("p.yaml", "tests:\n- {line: '{}', expect: {skipped: true}}\n")
    #expect(
      try run("check", "p.yaml", "--run-tests").errors
        == "attest-audit: error: p.yaml:2: 'test 1': expected a line that is skipped, found "
        + "record.missing_field: The field token is missing.\n"
        + "hint: 1 of 1 tests fail with the schema default\n")
  }
}
