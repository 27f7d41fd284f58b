import Testing

@testable import AuditSettings

struct YAMLShapeTests {
  private func problem(_ text: String) -> YAMLShape.Problem? {
    do throws(YAMLShape.Problem) {
      try YAMLShape.check(text)
      return nil
    } catch {
      return error
    }
  }

  /// Returns lists of which each holds the one before twice, the last of them named `x39`.
  private var bomb: String {
    (1..<40).reduce("x0: &x0 [a, a]\n") { $0 + "x\($1): &x\($1) [*x\($1 - 1), *x\($1 - 1)]\n" }
  }

  @Test(arguments: [
    "", "# nothing\n", "a: 1\nb: [c, {d: e}]\n", "a: &x [b]\nc: *x\nd: {<<: *x}\n", "? a\n: 1\n",
    "a: |\n  ? [b]\n  : 1\n", "\"[a]\": 1\n", "- [a, [b]]\n- {c: {d: [e]}}\n", "a: 1\n---\nb: 2\n",
    // No YAML: composing says so.
    "a: [b\n", "a: *x\n", "\u{0}",
  ])
  func `words as keys are what is wanted`(_ text: String) {
    #expect(problem(text) == nil)
  }

  @Test(arguments: [
    ("[a]: 1\n", 1), ("a: 1\n{b: c}: 1\n", 2), ("? [a]\n: 1\n", 1), ("a: &x b\n*x : 1\n", 2),
    ("a:\n  - {[b]: c}\n", 2), ("a: 1\n? - b\n: 1\n", 2), ("? ? a\n  : b\n: 1\n", 1),
  ])
  func `a key that is no word is told with its line`(_ text: String, _ line: Int) {
    #expect(problem(text) == YAMLShape.Problem(line: line, text: "a key has to be a word"))
  }

  @Test func `aliases that stand for too much are told`() {
    #expect(problem(bomb) != nil)
    let few = bomb.split(separator: "\n").prefix(18).joined(separator: "\n")
    #expect(problem(few) == nil)
  }

  @Test func `a long text that aliases repeat is told`() {
    func repeated(_ times: Int) -> String {
      "a: &x \(String(repeating: "y", count: 160_000))\nb:\n"
        + String(repeating: "  - *x\n", count: times)
    }
    #expect(problem(repeated(100)) == nil)
    #expect(problem(repeated(110))?.line == 107)
  }

  @Test(arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}"])
  func `many directives are told before they are compared`(_ end: String) {
    func directives(_ count: Int) -> String {
      (0..<count).map { "%TAG !a\($0)! x\(end)" }.joined() + "---\(end)a: 1\(end)"
    }
    #expect(problem(directives(YAMLShape.mostDirectives)) == nil)
    let many = problem(directives(50_000))
    #expect(many?.text == "more than 64 lines begin with '%'")
    #expect(many?.line == (end.utf8.last == UInt8(ascii: "\n") ? 65 : 1))
    // Elsewhere a percent sign is a character like others.
    #expect(problem("a: '\(String(repeating: "%d ", count: 1000))'\n") == nil)
  }

  @Test func `what would be compared without end is not compared`() throws {
    func nested(_ value: Int) -> String {
      String(repeating: "{", count: 40) + "a: \(value)" + String(repeating: "}: 1", count: 39) + "}"
    }
    let twice = "{" + [1, 1, 2, 2].map { "\(nested($0)): 1" }.joined(separator: ", ") + "}"
    let context = PipelineNode.Context(
      file: "p.yaml", substitution: Substitution(date: "2026-03-01", environment: [:]))
    for text in [twice, bomb + "*x39 : 1\n", bomb + "? *x39\n: 1\n", bomb + "inputs: *x39\n"] {
      #expect(throws: CommandError.self) { try YAMLFile.read(text, context: context) }
    }
  }
}
