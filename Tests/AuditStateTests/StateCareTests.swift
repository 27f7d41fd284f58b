import AppAttest
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditState

struct StateCareTests {
  private func listed(_ random: inout RandomState, counter: UInt32?) -> KnownKey {
    KnownKey(
      keyID: random.digest(), publicKey: [4] + random.bytes(64), appID: "T.app",
      attestedAt: 1000, lastCounter: counter, subject: "Alice", deviceID: "phone")
  }

  @Test func `an imported key is trusted, stands where its counter was, and has its device`() throws
  {
    let bench = StateBench()
    var random = RandomState()
    let keys = [listed(&random, counter: 7), listed(&random, counter: nil)]
    let imported = try bench.open().importKeys(keys, from: "keys.csv", StateBench.facts(0))
    #expect(imported.added == 2)
    let run = try bench.open(.reference).beginRun(StateBench.facts(1))
    for (index, key) in keys.enumerated() {
      let imported = try #require(try run.history.keys.imported(key.keyID))
      #expect(imported.key == key)
      #expect(imported.position == Position(source: 0, line: UInt64(index + 1)))
      #expect(try run.history.keys.publicKey(key.keyID) == key.publicKey)
      // What is printed has it, too.
      let known = try #require(try bench.open(.reference).key(key.keyID))
      #expect(known.firstValid == imported.position && known.firstAttestation == nil)
      #expect(known.publicKey == key.publicKey)
      #expect(known.subjectText == "Alice")
      #expect(known.snapshot.counters.last == key.lastCounter)
      #expect(try bench.open(.reference).deviceID(of: key.keyID) == "phone")
    }
    #expect(run.history.firstSource == 1)
    #expect(run.history.sourceName(0) == "keys.csv")
    let phone = Digest256.sha256(Array("phone".utf8).span)
    #expect(
      try run.history.keys.imported(ofDevice: phone)
        == keys.sorted { $0.keyID < $1.keyID })
    #expect(try run.history.keys.keys(ofDevice: phone).isEmpty)
    #expect(try StateVerification.run(path: bench.path).damages == [])
  }

  @Test func `a withdrawn finding is forgotten once its night is older than the window`() throws {
    let bench = StateBench()
    try bench.night(0) { try $0.findings.remember(1, .keyUnknown, keyID: nil) }
    try bench.night(1) { try $0.findings.close(1) }
    for (day, count) in [(2, 0), (40, 1)] {
      #expect(try bench.open(day: day).prune(StateBench.facts(day)).findings == count)
    }
  }

  @Test func `the windows are those of the last run`() throws {
    let bench = StateBench()
    for day in 0...1 { try bench.night(day, window: 30 + 30 * day) }
    #expect(try bench.open(.reference).windows()?.window == 60 * StateBench.day)
  }

  @Test func `of a key that is known, an import raises the counter and nothing else`() throws {
    let bench = StateBench()
    var random = RandomState()
    var key = random.key(random.digest())
    key.appID = "first"
    key.firstValid = random.position()
    key.firstAttestation = key.firstValid
    key.publicKey = [4] + random.bytes(64)
    key.snapshot.counters.highs = [.init(time: 5, counter: 10), .init(time: 9, counter: 20)]
    key.snapshot.counters.seen = [1...10, 20...20]
    try bench.night(0) { try $0.keys.remember(key, isNew: true) }
    var list = KnownKey(keyID: key.keyID, publicKey: key.publicKey, appID: "other")
    for (counter, expected) in [(19, 20), (20, 20), (21, 21), (500, 500), (3, 500)]
      as [(UInt32, UInt32)]
    {
      list.lastCounter = counter
      let before = try bench.open(.reference).key(key.keyID)?.snapshot.counters.last
      let imported = try bench.open().importKeys([list], from: "list", StateBench.facts(1))
      #expect(imported.raised == (before == expected ? 0 : 1))
      let known = try #require(try bench.open(.reference).key(key.keyID))
      #expect(known.snapshot.counters.last == expected)
      #expect(known.appID == key.appID)
      #expect(known.firstValid == key.firstValid)
    }
    let known = try #require(try bench.open(.reference).key(key.keyID))
    // Of what lists said the last counts.
    #expect(known.snapshot.counters.seen == [1...10, 20...20, 500...500])
    #expect(try bench.open(.reference).info().keys == 1)
  }
}
