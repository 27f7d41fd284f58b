import AuditLog
import AuditSettings
import Basics
import LogDiscovery

/// The `tests:` section of a pipeline file: sample lines, each with its expected result.
struct TestsSection {
  private static let linesEachRule = 2
  private static let lineBytes = 128 << 10

  let discovery: Discovery
  let schema: CompiledSchema
  /// A line with a token that the schema should read and does not, if there are many of these.
  let unread: SampleLine?

  /// The lines of the section, without indentation, or none if no line is good enough.
  var lines: [String] {
    let audit = SampleAudit(schema)
    func examples(areOdd: Bool) -> [(line: SampleLine, expectation: String)] {
      discovery.examples(ofEachRule: Self.linesEachRule) { line, roles in
        canBeShown(line) ? expectation(line, audit, roles, isOdd: areOdd) : nil
      }
    }
    let plain = examples(areOdd: false)
    var tests = (plain.isEmpty ? examples(areOdd: true) : plain).flatMap { line, expectation in
      let source = discovery.sample.sources[line.source]
      let name = YAMLText.comment("line \(line.number) of \(source)")
      return test(YAMLText.isPlainLine(name) ? name : "a line of the log", line, expectation)
    }
    // The check warns about it.
    if let unread, canBeShown(unread) {
      let name = "a token that is not read"
      switch audit.read(unread) {
      case .reject(let reject): tests += test(name, unread, "{reject: \(reject.code.name)}")
      case .skipped: tests += test(name, unread, "{skipped: true}")
      // Its token is of the other kind.
      case .record, .deviceCheckToken: break
      }
    }
    let skipped = discovery.sample.lines.first { line in
      if case .skipped = audit.read(line) { canBeShown(line) } else { false }
    }
    if !tests.isEmpty, !discovery.draft.isDefault, discovery.sample.records.isEmpty, let skipped {
      tests += test("a line of something else", skipped, "{skipped: true}")
    }
    guard !tests.isEmpty else { return [] }
    return [
      "# Lines of the log, unchanged: `attest-audit check --run-tests` reads them again.", "tests:",
    ] + tests
  }

  /// Returns what a test expects of a line of one of some roles, or nil if an audit does not read it, with a remark or
  /// without one.
  private func expectation(
    _ line: SampleLine, _ audit: SampleAudit, _ roles: [Role], isOdd: Bool
  ) -> String? {
    switch audit.read(line) {
    case .deviceCheckToken where roles == [.deviceCheckToken]: return "{kind: deviceCheckToken}"
    case .record(let kind, _)
    where audit.record.isOdd == isOdd && roles.contains(where: { $0.kind == .fixed(kind) }):
      let record = audit.record
      let members = [
        "kind: \(kind.name)", record.keyID.map { "keyId: '\(Hex.text(audit.bytes($0)))'" },
        "time: '\(CivilTime(milliseconds: record.time).text)'",
      ]
      return "{\(members.compactMap(\.self).joined(separator: ", "))}"
    default: return nil
    }
  }

  private func canBeShown(_ line: SampleLine) -> Bool {
    // In a line of many records, some record often has a name twice.
    guard line.bytes.count <= Self.lineBytes,
      !line.hasDuplicates || !discovery.sample.records.isEmpty,
      let text = String(validating: line.bytes, as: UTF8.self)
    else { return false }
    // A test is one line, and two characters stand for signs of variables.
    return !text.contains { $0.isNewline || "\u{E000}\u{E001}".contains($0) }
  }

  private func test(_ name: String, _ line: SampleLine, _ expected: String) -> [String] {
    [
      "  - name: \(YAMLText.quoted(name))",
      "    line: \(YAMLText.quoted(String(decoding: line.bytes, as: UTF8.self)))",
      "    expect: \(expected)",
    ]
  }
}
