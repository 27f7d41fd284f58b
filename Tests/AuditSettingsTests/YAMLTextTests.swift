import Basics
import Testing
import Yams

struct YAMLTextTests {
  @Test(arguments: [
    "/a/b", "/a b", "/a:b", "/a#b", "it's", "true", "null", "", " x", "x ", "2xx", "200", "1.5",
    "- a", "[a]", "{a: b}", "a, b", "*a", "&a", "!a", "%a", "@a", "`a", "\"a\"", "'", "''", "~",
    "/ö/🧪", "no", "On", "a: b", "a #b", "?", "|", ">", "=", "<<", "0x1F", "1e3", "2026-03-01",
    #"\n"#, "a\nb", "a\n\"b\"\\", "---", "...",
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
