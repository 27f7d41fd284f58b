import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// Assertions that name their device only, over nights.
@Suite struct `Devices over nights` {
  private let keys = StagedKey.all
  private var start: Int64 { keys[0].time }

  private func at(_ hours: Double, _ record: StagedRecord) -> StagedRecord {
    record.at(start + Int64(hours * 3_600_000))
  }

  @Test func `a device that is named a night late has its assertions verified after all`() throws {
    for name in ["D", String(repeating: "d", count: 900)] {
      var nights = StagedNights()
      let key = keys[0]
      let first = try nights.run([
        at(1, key.assertions[0]).of(name), at(2, key.assertions[1]).of(name),
        at(2, keys[1].assertions[0]).of("nobody"),
      ])
      #expect(first.codes == ["high key.unknown 1 x2", "high key.unknown 3"])
      let second = try nights.run([key.attestation.of(name), at(26, key.assertions[2]).of(name)])
      #expect(second.codes == [] && second.counts == [2, 0, 0])
      #expect(second.keys.map(\.verified) == [3])
      #expect(
        second.closed == [
          ClosedFinding(
            code: .keyUnknown, keyID: key.keyID,
            fingerprint: Fingerprint.of(.keyUnknown, name.utf8), firstSeen: "2026-03-01")
        ])
      #expect(nights.standing == ["key.unknown 3"])
      let third = try nights.run([at(50, key.assertions[3]).of(name)])
      #expect(third.codes == [] && third.closed.isEmpty && third.keys.map(\.assertions) == [1])
    }
  }

  @Test func `a claimed key that is attested without naming the device settles its claim`() throws {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([key.attestation.failing.of("D"), at(1, key.assertions[0]).of("D")])
    #expect(nights.standing.contains("key.untrusted 2"))
    let second = try nights.run([key.attestation])
    #expect(second.codes == [] && second.keys.map(\.verified) == [1])
    #expect(nights.standing == ["attestation.nonce_mismatch 1"])
    let third = try nights.run([at(26, key.assertions[1]).of("D")])
    #expect(third.codes == [] && third.keys.map(\.verified) == [1])
  }

  @Test func `where devices are joined no more, what waits is left alone`() throws {
    var nights = StagedNights()
    _ = try nights.run([at(1, keys[0].assertions[0]).of("D")])
    nights.audit.joinsDevices = false
    #expect(try nights.run([keys[0].attestation]).codes == [])
    nights.audit.joinsDevices = true
    let last = try nights.run([keys[0].attestation.at(start + 1000).of("D")])
    #expect(last.closed.map(\.code) == [.keyUnknown] && last.keys.map(\.verified) == [1])
  }

  @Test func `for reference, devices are known and nothing is left`() throws {
    var nights = StagedNights()
    _ = try nights.run([keys[0].attestation.of("D"), at(1, keys[1].assertions[0]).of("E")])
    let state = nights.history.state
    let outcome = try nights.run(
      [at(2, keys[0].assertions[0]).of("D"), keys[1].attestation.of("E")], mode: .reference)
    #expect(outcome.codes == [] && outcome.closed.isEmpty && outcome.counts == [2, 0, 0])
    #expect(nights.history.state.devices == state.devices)
  }

  @Test func `failed attestations without number leave little, valid ones everything`() throws {
    var nights = StagedNights()
    let (first, second) = (keys[0], keys[1])
    var records: [StagedRecord] = []
    for index in 0..<200 {
      let key = index % 2 == 0 ? first : second
      records.append(key.attestation.failing.at(start + Int64(index)).of("D"))
    }
    records += [first.attestation.of("D"), second.attestation.of("D")]
    _ = try nights.run(records)
    let left = try #require(nights.history.state.devices.values.first)
    #expect(left.count < 25 && left.filter(\.isValid).map(\.keyID) == [first.keyID, second.keyID])
    #expect(left.filter { !$0.isValid }.map(\.time).max() == start + 199)
  }

  @Test(arguments: 0..<40)
  func `random nights join as one run over all of them does, whatever comes late`(
    _ seed: UInt64
  ) throws {
    var random = Generator(seed + 900)
    var records: [[StagedRecord]] = Array(repeating: [], count: 5)
    let span = [100_000, 3_600_000, 90_000_000][random.below(3)]
    for key in keys {
      for _ in 0..<random.below(4) {
        var record = key.attestation.of("D\(random.below(2))")
        if random.below(4) == 0 { record = record.failing }
        if random.below(4) == 0 { record = record.decided(.rejected) }
        records[random.below(5)].append(record.at(start + Int64(random.below(span))))
      }
      for _ in 0..<12 {
        let night = random.below(5)
        let record = key.assertions[random.below(6)].of("D\(random.below(2))")
          .decided(random.below(3) == 0 ? .rejected : .unknown)
          .stored(random.below(3) == 0 ? UInt32(random.below(6)) : nil)
        let time = start + Int64(random.below(span))
        records[night].append(record.at(time))
        if random.below(4) == 0 {
          records[(night + random.below(2)) % 5].append(record.at(time + Int64(random.below(900))))
        }
      }
    }
    let order = records.indices.shuffled(using: &random)
    var line: UInt64 = 0
    for night in order {
      for index in records[night].indices {
        line += 1
        records[night][index].line = line
      }
    }
    var nights = StagedNights()
    for night in order { _ = try nights.run(records[night]) }
    let together = try StagedAudit().run(order.flatMap { records[$0] })
    let found = Set(together.findings.map(\.fingerprint))
    #expect(
      Set(nights.open.keys) == found,
      """
      only nights \(nights.open.filter { !found.contains($0.key) }.values.map(\.place).sorted()), \
      only one \(together.findings.filter { nights.open[$0.fingerprint] == nil }.map(\.place))
      """)
  }
}
