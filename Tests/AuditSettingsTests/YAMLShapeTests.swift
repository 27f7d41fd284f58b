import Basics
import Testing
import Yams

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

  @Test(arguments: [
    "", "# nothing\n", "a: 1\nb: [c, {d: e}]\n", "? a\n: 1\n", "a: |\n  ? [b]\n  : 1\n",
    "\"[a]\": 1\n", "- [a, [b]]\n- {c: {d: [e]}}\n", "a: 1\n---\nb: 2\n", "a: '&x %d *x'\n",
    "a: [logs/*.gz, '*']\nb: {c: [d], e: f}\n",
    // Not YAML: composing reports it.
    "a: [b\n", "\u{0}", "]\n", "a: b}\n",
  ])
  func `mappings of words, lists and texts are allowed`(_ text: String) {
    #expect(problem(text) == nil)
  }

  @Test(arguments: [
    ("[a]: 1\n", 1), ("a: 1\n{b: c}: 1\n", 2), ("? [a]\n: 1\n", 1), ("a:\n  - {[b]: c}\n", 2),
    ("a: 1\n? - b\n: 1\n", 2), ("? ? a\n  : b\n: 1\n", 1), ("a: {b: [c]}\n[d]: 1\n", 2),
  ])
  func `a key that is not a word is refused with its line`(_ text: String, _ line: Int) {
    #expect(problem(text) == YAMLShape.Problem(line: line, text: YAMLShape.keys))
  }

  @Test(arguments: [
    ("a: &x [b]\nc: 1\n", 1), ("a: 1\nb: &x c\n", 2), ("a: &x {b: c}\n", 1), ("a: *x\n", 1),
    ("a: [b]\nc: {<<: *x}\n", 2), ("*x : 1\n", 1), ("&x a: 1\n", 1),
  ])
  func `anchors and aliases are refused with their line`(_ text: String, _ line: Int) {
    #expect(problem(text) == YAMLShape.Problem(line: line, text: YAMLShape.aliases))
  }

  @Test(arguments: [("\n", 2), ("\r", 1), ("\r\n", 2), ("\u{85}", 1), ("\u{2028}", 1)])
  func `a directive is refused before libyaml reads it`(_ end: String, _ line: Int) {
    #expect(
      problem("#\(end)%TAG !a! x\(end)---\(end)a: 1\(end)")
        == YAMLShape.Problem(line: line, text: YAMLShape.directives))
  }
}

struct YAMLTextTests {
  @Test(arguments: [
    "/a/b", "/a b", "/a:b", "/a#b", "it's", "true", "null", "", " x", "x ", "2xx", "200", "1.5",
    "- a", "[a]", "{a: b}", "a, b", "*a", "&a", "!a", "%a", "@a", "`a", "\"a\"", "'", "''", "~",
    "/ö/🧪", "no", "On", "a: b", "a #b", "?", "|", ">", "=", "<<", "0x1F", "1e3", "2026-03-01",
    #"\n"#, "a\nb", "a\n\"b\"\\", "---", "...", "a${B}\u{1B}[0m\u{7F}\u{85}\u{2028}\u{E000}\r\n",
  ])
  func `a text is read back as it was`(_ text: String) throws {
    let scalar = YAMLText.scalar(text)
    let read = try #require(
      try Yams.compose(yaml: "[{key: \(scalar)}, \(scalar)]")?.sequence)
    #expect(read[0].mapping?["key"]?.scalar?.string == text)
    #expect(read[1].scalar?.string == text)
    #expect(try Yams.load(yaml: scalar) as? String == text)
  }

  @Test(arguments: ["a${B}", "\u{0}", "\u{7F}", "\u{85}", "\u{2028}", "\u{E000}", "\u{FEFF}", "\n"])
  func `what cannot stand in a line of a file is told`(_ text: String) {
    #expect(!YAMLText.isPlainLine(text))
    #expect(YAMLText.isPlainLine("'\(text.isEmpty ? "" : "ä🧪")'"))
  }
}
