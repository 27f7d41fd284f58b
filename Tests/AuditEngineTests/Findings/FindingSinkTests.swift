import AppAttest
import AuditLog
import Basics
import RowShuffle
import Synchronization
import TestSupport
import Testing

@testable import AuditEngine

/// The treatment of findings that are accepted.
struct FindingSinkTests {
  private static let key = Digest256((0..<32).map { UInt8($0) })!
  private static let other = Digest256((1..<33).map { UInt8($0) })!

  private static func entry(
    _ target: AcceptedFinding.Target, upTo severity: Severity = .critical,
    expires: String = "2026-12-31"
  ) -> AcceptedFinding {
    AcceptedFinding(target, severity: severity, reason: "looked into", expires: expires)
  }

  private static func subject(_ key: Digest256?, line: UInt64) -> Finding {
    Finding(
      time: Int64(line), kind: .assertion, keyID: key, clientDataHash: [1, 2], counter: 3,
      position: Position(source: 0, line: line))
  }

  /// Sends one finding of each kind through a sink: `counter.gap` at two keys, twice at the first,
  /// `key.unknown` at the first key, a reject.
  private func run(
    _ accepted: AcceptedFindings, app: String = ""
  ) throws -> (sink: FindingSink, rows: [Finding], shown: Int) {
    let scratch = try Scratch()
    let plan = MemoryPlan(memory: 64 << 20, jobs: 1, verdicts: false, verifier: .openssl)
    let shuffles = Shuffles(plan, workers: 1, folder: scratch.path, wantsVerdicts: false)
    let progress = AuditProgress()
    let sink = FindingSink(
      policy: SeverityPolicy(overrides: [:]), accepted: accepted,
      writer: shuffles.findings.writer(0), texts: shuffles.texts, progress: progress)
    for (key, line) in [(Self.key, 1), (Self.other, 2), (Self.key, 3)] {
      var subject = Self.subject(key, line: UInt64(line))
      subject.appID = app
      try sink.emit(.counterGap, subject, FindingDetail("A gap."))
    }
    try sink.emit(
      .keyUnknown, key: Self.key, at: Self.subject(Self.key, line: 4), severity: .high,
      FindingDetail("Unknown.", count: 9))
    try sink.emit(
      reject: RejectedLine(
        reject: Reject(.badEncoding, "Bad."), position: Position(source: 0, line: 5), byteOffset: 0,
        sha256: Self.key, head: [], severity: .medium), "Bad.")
    var totals = AuditTotals()
    totals.accepted = accepted.entries.map { AcceptedCount($0) }
    totals += sink.totals
    let result = SortedResult(
      sources: ["log"], inputs: [],
      graded: GradedTotals(totals, SeverityPolicy(overrides: [:]), accepted), shuffles: shuffles,
      run: Cancellation<AuditError>())
    var rows: [Finding] = []
    try result.forEachFinding { rows.append($0) }
    return (sink, rows, progress.findings.load(ordering: .relaxed))
  }

  @Test func `accepted by code and key, all of that code at that key are counted apart`() throws {
    let (sink, rows, shown) = try run(
      AcceptedFindings(
        [Self.entry(.key(.counterGap, Self.key))], day: "2026-11-20"))
    #expect(rows.filter { !$0.isAccepted }.map(\.position.line) == [5, 2, 4])
    #expect(sink.acceptedCounts == [2])
    #expect(sink.totals.findingsByCode[Int(FindingCode.counterGap.rawValue)] == 1)
    #expect(sink.totals.findingsBySeverity.reduce(0, +) == 3)
    #expect(shown == 3)
  }

  @Test func `accepted by fingerprint, one finding is, whatever its kind`() throws {
    let all = try run(.none).rows
    for (index, finding) in all.enumerated() {
      let (sink, rows, _) = try run(
        AcceptedFindings(
          [Self.entry(.fingerprint(0)), Self.entry(.fingerprint(finding.fingerprint))],
          day: "2026-11-20"))
      var left = all
      left.remove(at: index)
      #expect(rows.filter { !$0.isAccepted } == left)
      #expect(rows.filter(\.isAccepted).map(\.fingerprint) == [finding.fingerprint])
      #expect(sink.acceptedCounts == [0, 1])
    }
  }

  @Test func `of two entries that fit, the one by fingerprint counts`() throws {
    let fingerprint = Fingerprint.key(.keyUnknown, Self.key)
    let (sink, _, _) = try run(
      AcceptedFindings(
        [Self.entry(.key(.keyUnknown, Self.key)), Self.entry(.fingerprint(fingerprint))],
        day: "2026-11-20"))
    #expect(sink.acceptedCounts == [0, 1])
  }

  @Test func `what is more severe than an entry covers is reported, and counted as such`() throws {
    let low = Self.entry(.key(.keyUnknown, Self.key), upTo: .medium)
    let (sink, rows, _) = try run(AcceptedFindings([low], day: "2026-11-20"))
    #expect(rows.allSatisfy { !$0.isAccepted })
    #expect(sink.acceptedCounts == [0] && sink.moreSevereCounts == [1])
    // A wider entry may cover it all the same.
    let all = Self.entry(.code(.keyUnknown), upTo: .high)
    let wide = try run(AcceptedFindings([low, all], day: "2026-11-20"))
    #expect(wide.rows.filter(\.isAccepted).map(\.code) == [.keyUnknown])
    #expect(wide.sink.acceptedCounts == [0, 1] && wide.sink.moreSevereCounts == [0, 0])
  }

  @Test(arguments: [
    ("2026-12-30", true), ("2026-12-31", true), ("2027-01-01", false), ("", true),
  ])
  func `an entry holds to the end of its last day`(_ day: String, _ holds: Bool) throws {
    let accepted = AcceptedFindings(
      [Self.entry(.key(.counterGap, Self.key)), Self.entry(.fingerprint(0xAB))], day: day)
    #expect(accepted.entries.count == (holds ? 2 : 0))
    #expect(try run(accepted).rows.count { !$0.isAccepted } == (holds ? 3 : 5))
    #expect(
      accepted.expired.map(\.expiry)
        == (holds
          ? []
          : [
            "counter.gap of the key \(Self.key.hex) was accepted until 2026-12-31, and is accepted "
              + "no longer",
            "the finding 00000000000000ab was accepted until 2026-12-31, and is accepted no longer",
          ]))
  }
}

extension FindingSink {
  fileprivate var acceptedCounts: [UInt64] { totals.accepted.map(\.count) }
  fileprivate var moreSevereCounts: [UInt64] { totals.accepted.map(\.moreSevere) }
}
