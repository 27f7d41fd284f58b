import Testing

@testable import AuditSettings

struct CommandErrorTests {
  @Test func `a message stays one line of bounded length, whatever it repeats`() {
    let value = String(repeating: "x", count: 1_000_000)
    let error = CommandError(.usage, "pipeline.yaml:4: '\(value)' is no number")
    #expect(error.message.unicodeScalars.count == 2_000)
    #expect(error.message.hasPrefix("pipeline.yaml:4: 'xxx"))
    #expect(error.message.contains("x…x"))
    #expect(error.message.hasSuffix("x' is no number"))
    #expect(error.ofFile("pipeline.yaml").message.unicodeScalars.count == 2_000)
    let escaped = CommandError(.usage, String(repeating: "\n", count: 1_000_000)).message
    #expect(escaped.unicodeScalars.count == 2_000 && !escaped.contains("\n"))
  }

  @Test(arguments: [0, 1, 1_999, 2_000])
  func `a message that is not too long stays as it is`(_ length: Int) {
    let text = String(repeating: "ä", count: length)
    #expect(CommandError(.usage, text).message == text)
  }
}
