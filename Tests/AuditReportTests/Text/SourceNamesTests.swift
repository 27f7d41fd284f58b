import Testing

@testable import AuditReport

@Suite struct `Source names` {
  @Test func `a run that stands alone numbers its sources from 0`() {
    let names = SourceNames(["a", "b"])
    #expect([0, 1, 2, UInt32.max].map { names[$0] } == ["a", "b", "", ""])
    let result = SourceNames(InMemoryResult())
    #expect(result[0] == "day/a.jsonl" && result[2] == "")
  }

  @Test(arguments: [1, 7, UInt32.max - 1, UInt32.max])
  func `earlier sources have names too, and no number traps`(_ first: UInt32) {
    let names = SourceNames(["a", "b"], first: first, earlier: { "earlier \($0)" })
    #expect(names[0] == "earlier 0" && names[first - 1] == "earlier \(first - 1)")
    #expect(names[first] == "a")
    #expect(names[first == .max ? 0 : first + 1] == (first == .max ? "earlier 0" : "b"))
    if first < 9 { #expect(names[first + 2] == "" && names[.max] == "") }
    #expect(SourceNames([], first: first)[.max] == "" && SourceNames([], first: first)[0] == "")
  }
}
