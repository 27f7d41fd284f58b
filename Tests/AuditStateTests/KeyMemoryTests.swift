import AppAttest
import AuditEngine
import Testing

@testable import AuditState

struct KeyMemoryTests {
  @Test func `keys come back as they were remembered, whatever they hold`() throws {
    let bench = StateBench()
    var random = RandomState()
    var keys: [Digest256: KeptKey] = [:]
    for day in 0..<3 {
      // Some are new, some change.
      let fresh = (0..<40).map { _ in random.digest() }
      let changed = keys.keys.shuffled().prefix(20)
      let remembered = (fresh + changed).sorted().map { random.key($0) }
      try bench.night(day) { history throws in
        for key in keys.keys.sorted() { #expect(try history.keys.key(key) == keys[key]) }
        for key in remembered { try history.keys.remember(key, isNew: keys[key.keyID] == nil) }
        // Nothing takes effect before the commit.
        for key in fresh { #expect(try history.keys.key(key) == nil) }
      }
      for key in remembered { keys[key.keyID] = key }
    }
    let state = try bench.open(.reference, day: 3)
    #expect(try state.info().keys == 120)
    for (keyID, key) in keys { #expect(try state.key(keyID) == key) }
    var all: [KeptKey] = []
    try state.forEachKey { all.append($0) }
    #expect(all.map(\.keyID) == keys.keys.sorted())
    #expect(try StateVerification.run(path: bench.path).damages == [])
  }

  @Test func `a key with very many counters waits for the commit like any other`() throws {
    let bench = StateBench()
    var random = RandomState()
    var key = random.key(random.digest())
    key.snapshot.counters.seen = (0..<200_000).map { UInt32($0 * 3)...UInt32($0 * 3 + 1) }
    let small = random.key(Digest256([UInt8](repeating: 0xFF, count: 32)) ?? Digest256())
    try bench.night(0) { history throws in
      try history.keys.remember(key, isNew: true)
      try history.keys.remember(small, isNew: true)
    }
    #expect(try bench.open(.reference).key(key.keyID) == key)
    #expect(try bench.open(.reference).key(small.keyID) == small)
  }

  @Test func `a device's keys come in the order of time, and of what was remembered first`() throws
  {
    let bench = StateBench()
    var random = RandomState()
    let device = random.digest()
    let other = random.digest()
    func entry(_ time: Int64, _ isValid: Bool) -> KeptDevice {
      KeptDevice(device: device, keyID: random.digest(), time: time, isValid: isValid)
    }
    let first = [entry(50, true), entry(.min, false), entry(50, false), entry(.max, true)]
    let second = [entry(50, true), entry(-3, true)]
    try bench.night(0) { history throws in
      for entry in first { try history.keys.remember(entry) }
      try history.keys.remember(
        KeptDevice(device: other, keyID: device, time: 1, isValid: true))
      #expect(try history.keys.keys(ofDevice: device).isEmpty)
    }
    try bench.night(1) { history throws in for entry in second { try history.keys.remember(entry) }
    }
    try bench.night(2) { history throws in
      let found = try history.keys.keys(ofDevice: device)
      #expect(found == [first[1], second[1], first[0], first[2], second[0], first[3]])
      #expect(try history.keys.keys(ofDevice: other).map(\.keyID) == [device])
      #expect(try history.keys.keys(ofDevice: random.digest()).isEmpty)
    }
  }

  @Test func `keys are remembered in ascending order, and rows for advance alone`() throws {
    let bench = StateBench()
    var random = RandomState()
    let keys = [random.digest(), random.digest()].sorted().map { random.key($0) }
    try bench.night(0) { history throws in
      try history.keys.remember(keys[1], isNew: true)
      #expect(throws: AuditError.self) { try history.keys.remember(keys[0], isNew: true) }
      #expect(throws: AuditError.self) { try history.keys.remember(keys[1], isNew: true) }
    }
    let state = try bench.open(.reference)
    let run = try state.beginRun(StateBench.facts(1))
    #expect(throws: AuditError.self) {
      try run.history.remember(records: [random.record(random.bytes(32))])
    }
    #expect(throws: AuditError.self) { try run.history.keep(rows: [random.bytes(80)]) }
  }
}
