import AppAttest

/// The `tests:` section of a pipeline file: sample lines, and what has to be read from them.
struct TestsText {
  /// The lines of a rule that are shown.
  private static let linesEachRule = 2
  /// The longest line that is shown, in bytes.
  private static let lineBytes = 32 << 10

  let search: SchemaSearch
  /// Writes milliseconds since 1970 as RFC 3339.
  let timeText: (Int64) -> String

  /// The lines of the section, from the margin on; nothing where no line is good enough.
  var lines: [String] {
    var tests = rules.flatMap { rule in
      examples(rule).flatMap { text($0, rule) }
    }
    if !search.schema.isDefault, !rules.isEmpty, let index = skipped {
      tests += test("a line of something else", index, "{skipped: true}")
    }
    guard !tests.isEmpty else { return [] }
    return [
      "# Lines of the log as they stand in it: `attest-audit check --run-tests` reads them again.",
      "tests:",
    ] + tests
  }

  /// The rules that the file has; those that the default schema stands for.
  private var rules: [FoundRule] {
    search.schema.isDefault ? search.schema.rules : search.schema.completeRules
  }

  /// Whether a rule reads a line, and no other does.
  private func isRead(_ line: SampleLine, by rule: FoundRule) -> Bool {
    if search.schema.isDefault { return line.isDefaultRecord }
    return rule.fits(line) && rules.count { $0.fits(line) } == 1
  }

  /// The shortest good lines of a rule.
  private func examples(_ rule: FoundRule) -> [Int] {
    let good = rule.examples.filter { index in
      return canBeShown(index) && isRead(search.sample.lines[index], by: rule)
        && expectation(index, rule) != nil
    }
    return good.sorted { bytes($0) < bytes($1) }.prefix(Self.linesEachRule).sorted()
  }

  private func bytes(_ index: Int) -> Int { search.sample.lines[index].bytes.count }

  private func canBeShown(_ index: Int) -> Bool {
    guard bytes(index) <= Self.lineBytes, !search.sample.lines[index].hasDuplicates,
      let text = String(validating: search.sample.lines[index].bytes, as: UTF8.self)
    else { return false }
    return YAMLText.isPlainLine(text)
  }

  /// A line that no rule fits.
  private var skipped: Int? {
    search.sample.lines.indices.first { index in
      canBeShown(index)
        && !rules.contains { $0.fits(search.sample.lines[index]) }
    }
  }

  private func text(_ index: Int, _ rule: FoundRule) -> [String] {
    guard let expected = expectation(index, rule) else { return [] }
    let line = search.sample.lines[index]
    let source = search.sample.sources[line.source]
    let name = YAMLText.comment("line \(line.number) of \(source)")
    return test(YAMLText.isPlainLine(name) ? name : "a line of the log", index, expected)
  }

  private func test(_ name: String, _ index: Int, _ expected: String) -> [String] {
    let line = String(decoding: search.sample.lines[index].bytes, as: UTF8.self)
    return [
      "  - name: \(YAMLText.quoted(name))", "    line: \(YAMLText.quoted(line))",
      "    expect: \(expected)",
    ]
  }

  /// What a line has to read as; nil where the line lacks something.
  private func expectation(_ index: Int, _ rule: FoundRule) -> String? {
    if rule.role == .deviceCheckToken { return "{kind: \(rule.role.kind)}" }
    let line = search.sample.lines[index]
    guard let time = search.schema.shared.first(where: { $0.name == "time" }),
      case .pointers(let pointers, _, let unit) = time.form, let pointer = pointers.first,
      let milliseconds = line[pointer].flatMap({ TimeSearch.milliseconds($0, unit: unit) })
    else { return nil }
    var expected = ["kind: \(rule.role.kind)"]
    if rule.fields.contains(where: { $0.name == "keyId" }) {
      let keys =
        rule.role == .attestation ? search.tokens.attestationKeys : search.tokens.assertionKeys
      guard let key = keys.key(in: line) else { return nil }
      expected.append("keyId: '\(key.hex)'")
    }
    expected.append("time: '\(timeText(milliseconds))'")
    for name in ["challenge", "clientData", "clientDataHash"] {
      if let field = rule.fields.first(where: { $0.name == name }), !isPresent(field, line) {
        return nil
      }
    }
    return "{\(expected.joined(separator: ", "))}"
  }

  private func isPresent(_ field: FoundField, _ line: SampleLine) -> Bool {
    switch field.form {
    case .pointers(let pointers, let encoding, _):
      guard let pointer = pointers.first(where: line.holds) else { return false }
      return encoding == "raw" || line[pointer]?.kind == .string
    case .table(let pointer, _, _): return line.holds(pointer)
    case .template(let parts):
      return parts.allSatisfy { part in
        if case .value(let pointer) = part { line[pointer]?.isText ?? false } else { true }
      }
    }
  }
}
