import Testing

@testable import AuditReport

@Suite struct `Sources of a stored report` {
  @Test func `names of which Unicode makes one are two`() {
    let sources = StoredSources()
    let names = ["jos\u{E9}.jsonl", "jose\u{301}.jsonl", "b"]
    #expect(names.map(sources.number) == [0, 1, 2] && names.map(sources.number) == [0, 1, 2])
  }
}
