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
    var tests = discovery.examples(audit, ofEachRule: Self.linesEachRule, where: canBeShown)
      .flatMap { example -> [String] in
        let source = discovery.sample.sources[example.line.source]
        let name = YAMLText.comment("line \(example.line.number) of \(source)")
        return test(
          YAMLText.isPlainLine(name) ? name : "a line of the log", example.line,
          example.expectation)
      }
    // The check warns about it.
    if let unread, canBeShown(unread) {
      var code: String?
      if case .reject(let reject) = audit.read(unread) { code = reject.code.name }
      tests += test(
        "a token that is not read", unread, code.map { "{reject: \($0)}" } ?? "{skipped: true}")
    }
    let skipped = discovery.sample.lines.first { line in
      if case .skipped = audit.read(line) { canBeShown(line) } else { false }
    }
    if !tests.isEmpty, !discovery.draft.isDefault, discovery.sample.records == nil, let skipped {
      tests += test("a line of something else", skipped, "{skipped: true}")
    }
    guard !tests.isEmpty else { return [] }
    return [
      "# Lines of the log, unchanged: `attest-audit check --run-tests` reads them again.", "tests:",
    ] + tests
  }

  private func canBeShown(_ line: SampleLine) -> Bool {
    // In a line of many records, some record often has a name twice.
    guard line.bytes.count <= Self.lineBytes,
      !line.hasDuplicates || discovery.sample.records != nil,
      let text = String(validating: line.bytes, as: UTF8.self)
    else { return false }
    return YAMLText.isPlainLine(text, besides: ["\t", "\u{1E}"])
  }

  private func test(_ name: String, _ line: SampleLine, _ expected: String) -> [String] {
    [
      "  - name: \(YAMLText.quoted(name))",
      "    line: \(YAMLText.quoted(String(decoding: line.bytes, as: UTF8.self)))",
      "    expect: \(expected)",
    ]
  }
}
