import AppAttest
import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditState

/// `testdata/state-v1` was written by the first version; every later one has to read it.
struct StateFixtureTests {
  private static let folder = Repository.folder.appending(path: "testdata/state-v1")

  /// The content of the fixture.
  private enum Content {
    static func digest(_ tag: UInt8) -> Digest256 {
      Digest256([UInt8](repeating: tag, count: 32)) ?? Digest256()
    }

    static let keys: [KeptKey] = ([1, 2, 3] as [UInt8]).map { tag in
      var key = KeptKey(keyID: digest(tag))
      // The version that made the fixture took whatever waited for judged.
      key.waitingFrom = .max
      key.firstAttestation = Position(source: 0, line: UInt64(tag))
      guard tag > 1 else { return key }
      key.firstValid = Position(source: 0, line: UInt64(tag))
      key.publicKey = [4] + [UInt8](repeating: tag, count: 64)
      key.appID = "ABCDE12345.com.example.bank"
      key.environment = .production
      key.attestedAt = 1_763_600_000_000
      key.osVersion = "26.1"
      key.category = ValidationCategory(rawValue: 4)
      key.bundleVersion = "412"
      key.receiptType = "ATTEST"
      key.receiptCreated = 1_763_600_000_001
      key.riskMetric = "2"
      key.subject = .init(
        identity: [5, 0, 1, 2], text: "user 🧀", position: Position(source: 1, line: 9))
      key.highs = [
        .init(time: -5, counter: 3), .init(time: 7, counter: 9, position: key.firstValid),
      ]
      key.seen = [1...3, 9...9, 4_294_967_295...4_294_967_295]
      return key
    }
    static let device = KeptDevice(
      device: digest(9), keyID: digest(2), time: 1_763_600_000_000, isValid: true)
    static let records: [[UInt8]] = (0..<40).map { tag in
      [UInt8](repeating: tag, count: 32) + [32] + [UInt8](repeating: 255 - tag, count: 95)
    }
    static let rows: [[UInt8]] = (0..<5).map { [UInt8](repeating: $0, count: 60 + Int($0)) }
    static let input = AccountedSources.Entry(
      input: AccountedInput(
        source: 0, name: "logs/a.jsonl", sha256: digest(7).bytes, bytes: 5000, lines: 12,
        resumeBytes: 4990, resumeLines: 11, head: digest(8).bytes),
      stamp: stamp)
    static let stamp = FileStamp(
      path: "/logs/a.jsonl", device: 1, inode: 2, size: 3, modified: 4, changed: 5)
  }

  private static let start = StateBench.start

  /// Makes such a state anew, in the folder that the variable names.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ATTEST_STATE_FIXTURE"] != nil))
  func `a state of this version is written`() throws {
    let path = ProcessInfo.processInfo.environment["ATTEST_STATE_FIXTURE"] ?? ""
    let state = try StateDirectory.open(path: path, mode: .advance, now: Self.start)
    let run = try state.beginRun(
      TransactionFacts(
        id: "20251121T044000Z-00000001", day: "2025-11-20", startedAt: Self.start,
        window: 30 * StateBench.day, pendingFor: 3 * StateBench.day))
    for key in Content.keys { try run.history.keys.remember(key) }
    try run.history.keys.remember(Content.device)
    try run.history.remember(records: Content.records)
    try run.history.keep(rows: Content.rows)
    try run.history.findings.remember(77, .keyUnknown, keyID: Content.digest(3))
    var outcome = StateBench.outcome(["logs/a.jsonl", "logs/b.jsonl"], [Content.input])
    outcome.totals.findings = 1
    try run.prepare(outcome)
    try run.commit()
    run.finish()
  }

  @Test func `the first version's state opens, and gives what it holds`() throws {
    let bench = try StateBench()
    try FileManager.default.copyItem(atPath: Self.folder.path, toPath: bench.path)
    // Whoever only reads sees it as it would be.
    #expect(try StateVerification.run(path: bench.path).damages == [])
    let seen = try bench.open(.reference)
    #expect(try seen.info().format == 1)
    let reference = try seen.beginRun(StateBench.facts(1))
    for key in Content.keys { #expect(try reference.history.keys.key(key.keyID) == key) }
    let state = try bench.open(day: 1)
    #expect(try StateVerification.run(path: bench.path).damages == [])
    #expect(try state.info().format == StateFormat.version)
    #expect(try state.info().latest.map(\.id) == ["20251121T044000Z-00000001"])
    #expect(try state.ledger.input(content: Content.input.input.sha256) == Content.input.input)
    #expect(try state.ledger.input(untouched: Content.stamp) == Content.input.input)
    let run = try state.beginRun(StateBench.facts(1))
    #expect(run.history.firstSource == 2)
    #expect(run.history.sourceName(1) == "logs/b.jsonl")
    for key in Content.keys { #expect(try run.history.keys.key(key.keyID) == key) }
    #expect(try run.history.keys.keys(ofDevice: Content.device.device) == [Content.device])
    for record in Content.records {
      #expect(try run.history.records(of: Array(record.prefix(33))) == [record])
    }
    #expect(try run.history.keptRows() == [Content.rows])
    #expect(
      try run.history.findings.sighting(77) == Sighting(firstSeen: "2025-11-20", times: 1))
    try run.prepare(StateBench.outcome())
    try run.commit()
  }

  @Test func `what the first version did not know of a key is remembered from now on`() throws {
    let bench = try StateBench()
    try FileManager.default.copyItem(atPath: Self.folder.path, toPath: bench.path)
    var known = Content.keys[1]
    known.subject?.text = "another"
    try bench.night(1) { try $0.keys.remember(known) }
    #expect(try StateVerification.run(path: bench.path).damages == [])
    try bench.night(2) { history throws in
      #expect(try history.keys.key(known.keyID) == known)
      #expect(try history.keys.key(Content.keys[2].keyID) == Content.keys[2])
    }
  }

  @Test func `its findings have no severity, so that whatever is more than info is news once`()
    throws
  {
    let bench = try StateBench()
    try FileManager.default.copyItem(atPath: Self.folder.path, toPath: bench.path)
    let run = try bench.open(day: 1).beginRun(StateBench.facts(1))
    let sighting = try #require(try run.history.findings.sighting(77))
    #expect(sighting.worst == nil && sighting.isNews(.low) && !sighting.isNews(.info))
    try run.history.findings.remember(77, .keyUnknown, keyID: nil, severity: .high)
    try run.prepare(StateBench.outcome())
    try run.commit()
    run.finish()
    let later = try bench.open(.reference).beginRun(StateBench.facts(2))
    #expect(try later.history.findings.sighting(77)?.isNews(.high) == false)
    #expect(try later.history.findings.sighting(77)?.isNews(.critical) == true)
  }
}
