import AppAttest

/// The `tests:` section of a pipeline file: sample lines, each with its expected result.
struct TestsText {
  /// The number of lines of a rule that are shown.
  private static let linesEachRule = 2
  /// The length of the longest line that is shown, in bytes.
  private static let lineBytes = 32 << 10

  let discovery: Discovery
  /// The function that returns milliseconds since 1970 as RFC 3339.
  let timeText: (Int64) -> String

  /// The lines of the section, without indentation, or none if no line is good enough.
  var lines: [String] {
    var tests = rules.flatMap { rule in
      examples(rule).flatMap { text($0, rule) }
    }
    if !schema.isDefault, !rules.isEmpty, let line = skipped {
      tests += test("a line of something else", line, "{skipped: true}")
    }
    guard !tests.isEmpty else { return [] }
    return [
      "# Lines of the log as they stand in it: `attest-audit check --run-tests` reads them again.",
      "tests:",
    ] + tests
  }

  private var schema: FoundSchema { discovery.schema }

  /// The rules of the file, or those that the default schema replaces.
  private var rules: [FoundRule] { schema.isDefault ? schema.rules : schema.completeRules }

  /// Returns whether a rule reads a line, and no other does.
  private func isRead(_ line: SampleLine, by rule: FoundRule) -> Bool {
    if schema.isDefault { return line.isDefaultRecord }
    return rule.fits(line) && rules.count { $0.fits(line) } == 1
  }

  /// Returns the shortest good lines of a rule, in the order of the log.
  private func examples(_ rule: FoundRule) -> [SampleLine] {
    let lines = discovery.shapes[rule.shape].sample.lines
    let shortest = rule.examples.sorted { lines[$0].bytes.count < lines[$1].bytes.count }
    let good = shortest.lazy.filter { index in
      canBeShown(lines[index]) && isRead(lines[index], by: rule)
        && expectation(lines[index], rule) != nil
    }
    return good.prefix(Self.linesEachRule).sorted().map { lines[$0] }
  }

  private func canBeShown(_ line: SampleLine) -> Bool {
    guard line.bytes.count <= Self.lineBytes, !line.hasDuplicates,
      let text = String(validating: line.bytes, as: UTF8.self)
    else { return false }
    return YAMLText.isPlainLine(text, besides: ["\t", "\u{1E}"])
  }

  /// A line that no rule fits.
  private var skipped: SampleLine? {
    discovery.sample.lines.first { line in
      !rules.contains { $0.fits(line) } && canBeShown(line)
    }
  }

  private func text(_ line: SampleLine, _ rule: FoundRule) -> [String] {
    guard let expected = expectation(line, rule) else { return [] }
    let source = discovery.sample.sources[line.source]
    let name = YAMLText.comment("line \(line.number) of \(source)")
    return test(YAMLText.isPlainLine(name) ? name : "a line of the log", line, expected)
  }

  private func test(_ name: String, _ line: SampleLine, _ expected: String) -> [String] {
    [
      "  - name: \(YAMLText.quoted(name))",
      "    line: \(YAMLText.quoted(String(decoding: line.bytes, as: UTF8.self)))",
      "    expect: \(expected)",
    ]
  }

  /// Returns the expected result of a line, or nil if the line lacks something.
  private func expectation(_ line: SampleLine, _ rule: FoundRule) -> String? {
    if rule.role == .deviceCheckToken { return "{kind: \(rule.role.kind)}" }
    guard let time = (rule.fields + schema.shared).first(where: { $0.name == "time" }),
      case .pointers(let pointers, _, let form) = time.form, let pointer = pointers.first,
      let milliseconds = line[pointer].flatMap({ (form ?? FoundTime()).milliseconds($0) })
    else { return nil }
    var expected = ["kind: \(rule.role.kind)"]
    if rule.fields.contains(where: { $0.name == "keyId" }) {
      let tokens = discovery.shapes[rule.shape].tokens
      let keys = rule.role == .attestation ? tokens.attestationKeys : tokens.assertionKeys
      guard let key = keys.key(in: line) else { return nil }
      expected.append("keyId: '\(key.hex)'")
    }
    expected.append("time: '\(timeText(milliseconds))'")
    for name in ["challenge", "clientData", "clientDataHash"] {
      if let field = rule.fields.first(where: { $0.name == name }), !field.isPresent(in: line) {
        return nil
      }
    }
    return "{\(expected.joined(separator: ", "))}"
  }
}
