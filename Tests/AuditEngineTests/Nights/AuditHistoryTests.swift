import AppAttest
import AuditLog
import LogForge
import TestSupport
import Testing

@testable import AuditEngine

/// Whole audits with a history, over files.
@Suite struct `Audit with a history` {
  private let scratch: TestSupport.Scratch
  private let lines = SyntheticDay.shared.lines

  init() throws {
    scratch = try TestSupport.Scratch()
    try SyntheticDay.shared.writeSettings(to: scratch)
  }

  private func anchors(_ name: String) throws -> [[UInt8]] {
    try TrustAnchors.certificates(pem: scratch.bytes("anchors/synthetic-\(name)-root.pem"))
  }

  private func audit(
    _ files: [[String]], _ history: RunMemory?, jobs: Int = 2, memory: Int = 64 << 20
  ) throws -> any AuditResult {
    let inputs = try files.enumerated().map { index, lines in
      try scratch.write("\(index).jsonl", lines.map { $0 + "\n" }.joined())
    }
    var configuration = AuditConfiguration(
      inputs: inputs,
      apps: [
        AppPolicy(id: SyntheticApp.bank.id, environments: [.production, .development]),
        AppPolicy(id: SyntheticApp.game.id, environments: [.production]),
      ], trustAnchors: try anchors("attestation"), receiptAnchors: try anchors("receipt"),
      limits: AuditLimits(memory: memory, jobs: jobs, tempDirectory: scratch.path))
    configuration.verification.verifier = .openssl
    configuration.verdicts = true
    configuration.history = history
    return try Audit(configuration: configuration, progress: AuditProgress(), notice: { _ in })
      .run()
  }

  private func findings(_ result: any AuditResult) throws -> [Finding] {
    var findings: [Finding] = []
    try result.forEachFinding { findings.append($0) }
    return findings
  }

  /// Returns the findings of records that came before. Not every record has a request identifier.
  private func repetitions(_ findings: [Finding]) -> [Finding] {
    findings.filter { $0.code == .recordDuplicate || $0.code.name.hasPrefix("replay.") }
  }

  @Test func `sources are numbered on from those of earlier runs`() throws {
    let memory = MemoryHistory()
    let names = ["a.jsonl", "b.jsonl"]
    let first = try audit([lines, ["no record"]], memory.beginRun(names: names))
    memory.commit()
    #expect(first.firstSource == 0 && first.sources.count == 2)
    #expect(try findings(first).map(\.position) == [Position(source: 1, line: 1)])
    let second = try audit(
      [["{", "]"], lines], memory.beginRun(names: names))
    #expect(second.firstSource == 2 && second.sources.count == 2)
    #expect([0, 1, 2, .max].map(second.earlierSource) == ["a.jsonl", "b.jsonl", "", ""])
    let found = try findings(second)
    #expect(
      found.prefix(2).map(\.position)
        == [Position(source: 2, line: 1), Position(source: 2, line: 2)])
    #expect(repetitions(found).count == lines.count)
    for finding in repetitions(found) {
      #expect(finding.related == Position(source: 0, line: finding.position.line))
      #expect(finding.position.source == 3)
    }
    var rejects: [Position] = []
    try second.forEachReject { rejects.append($0.position) }
    #expect(rejects == found.prefix(2).map(\.position))
    var verdicts: [Position] = []
    try second.forEachVerdict { verdicts.append($0.position) }
    #expect(verdicts.count == lines.count + 2 && verdicts == verdicts.sorted())
    #expect(verdicts.first?.source == 2 && verdicts.last?.source == 3)
  }

  @Test func `numbers at the end of their range do not trap`() throws {
    var history = MemoryHistory().beginRun()
    history.firstSource = .max
    let result = try audit([["{"]], history)
    #expect(result.firstSource == .max)
    #expect(try findings(result).map(\.position.source) == [.max])
  }

  @Test func `without a history nothing is remembered and nothing differs`() throws {
    // In the same order, the lines would be passed over.
    let doubled = [lines, Array(lines.reversed())]
    let alone = try audit(doubled, nil)
    #expect(alone.firstSource == 0 && alone.earlierSource(0) == "")
    let history = try audit(doubled, MemoryHistory().beginRun(names: ["a", "b"]))
    let found = try findings(alone)
    #expect(try findings(history) == found)
    #expect(repetitions(found).count == lines.count)
    #expect(alone.totals.verdicts == history.totals.verdicts)
  }

  @Test func `jobs and memory change no result`() throws {
    // Nights of ever more: what was new on one comes again on all later ones.
    func run(_ jobs: Int, _ memory: Int) throws -> ([[Finding]], [[[UInt8]]]) {
      let history = MemoryHistory()
      var found: [[Finding]] = []
      var records: [[[UInt8]]] = []
      for count in [12, 24, lines.count] {
        let night = Array(lines.prefix(count))
        let result = try audit(
          [night, Array(night.reversed())], history.beginRun(names: ["a", "b"]), jobs: jobs,
          memory: memory)
        found.append(repetitions(try findings(result)))
        history.commit()
        records.append(history.state.segments.last?.records ?? [])
      }
      return (found, records)
    }
    let (found, records) = try run(1, 64 << 20)
    // Each record occurs twice in a night; of the first one, what earlier nights had comes again.
    #expect(found.map(\.count) == [12, 24 + 12, lines.count + 24])
    #expect(records.map(\.count) == [24, 48, lines.count * 2])
    for (jobs, memory) in [(2, 64 << 20), (4, 256 << 20), (3, 1 << 30)] {
      let (otherFound, otherRecords) = try run(jobs, memory)
      #expect(otherFound == found)
      #expect(otherRecords == records)
    }
  }
}
