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

  @Test func `an earlier night's attestation says whose a device's assertions are`() throws {
    var nights = StagedNights()
    let (first, second) = (keys[0], keys[1])
    _ = try nights.run([first.attestation.of("D")])
    let change = second.time
    let next = try nights.run([
      first.assertions[0].at(change - 60_000).of("D"), second.attestation.of("D"),
      second.assertions[0].at(change + 60_000).of("D"),
    ])
    #expect(next.codes == [])
    #expect(next.owners[1] == first.keyID && next.owners[3] == second.keyID)
    // One of these comes late.
    let last = try nights.run([
      second.assertions[1].at(change + 90_000_000).of("D"),
      first.assertions[1].at(change - 40_000).of("D"),
    ])
    #expect(last.codes == [] && last.counts == [2, 0, 0])
    #expect(last.owners[1] == second.keyID && last.owners[2] == first.keyID)
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
            fingerprint: Fingerprint.device(.keyUnknown, device: name), firstSeen: "2026-03-01")
        ])
      #expect(nights.standing == ["key.unknown 3"])
      let third = try nights.run([at(50, key.assertions[3]).of(name)])
      #expect(third.codes == [] && third.closed.isEmpty && third.keys.map(\.assertions) == [1])
    }
  }

  /// Records of a device of which an audit finds something before it knows their key.
  static let found: [(name: String, records: @Sendable (StagedKey) -> [StagedRecord])] = [
    ("a malformed token", { [$0.assertions[0].malformed] }),
    ("another app", { [$0.assertions[0].ofAnotherApp] }),
    ("odd JSON", { [$0.assertions[0].odd] }),
    ("a replay", { [$0.assertions[0], $0.assertions[0]] }),
  ]

  /// `detection.R25`, `reports.R24`: the key is part of the fingerprint.
  @Test(arguments: found.map(\.name), [false, true])
  func `what is found of a device's records moves to its key with a late attestation`(
    _ name: String, isClaimedFirst: Bool
  ) throws {
    let key = keys[0]
    let records = try #require(Self.found.first { $0.name == name }).records(key).enumerated().map {
      at(Double($0.offset + 1), $0.element).of("D")
    }
    let parts =
      [records] + (isClaimedFirst ? [[keys[1].attestation.failing.of("D")]] : [])
      + [[key.attestation.of("D")]]
    var (one, several) = (StagedNights(), StagedNights())
    _ = try one.run(parts.flatMap(\.self))
    for part in parts { _ = try several.run(part) }
    #expect(Set(several.open.keys) == Set(one.open.keys))
    #expect(several.open.values.contains { $0.keyID == key.keyID })
  }

  @Test func `a failed attestation that comes late makes untrusted of unknown`() throws {
    var nights = StagedNights()
    let key = keys[0]
    _ = try nights.run([at(1, key.assertions[0]).of("D")])
    let second = try nights.run([key.attestation.failing.of("D")])
    #expect(second.codes == ["high attestation.nonce_mismatch 1", "high key.untrusted 1"])
    #expect(second.closed.map(\.code) == [.keyUnknown])
    // Nothing new: nothing is counted again.
    let third = try nights.run([keys[1].attestation.failing.of("D")])
    #expect(third.codes == ["high attestation.nonce_mismatch 1"])
    // A valid one takes what waited from the failed ones' keys.
    let fourth = try nights.run([key.attestation.of("D"), at(80, key.assertions[1]).of("D")])
    #expect(fourth.codes == [] && fourth.keys.map(\.verified) == [2])
    #expect(nights.open.values.filter { $0.code == .keyUntrusted }.isEmpty)
    #expect(try nights.run([at(90, key.assertions[2]).of("D")]).keys.map(\.assertions) == [1])
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

  @Test func `a device's late attestation takes what another key had`() throws {
    for pause in [0, 1] {
      var nights = StagedNights()
      let (first, second) = (keys[0], keys[1])
      let change = second.time
      _ = try nights.run([first.attestation.of("D")])
      let wrong = try nights.run([
        second.assertions[0].at(change + 60_000).of("D"),
        second.assertions[1].at(change + 61_000).of("D"),
      ])
      #expect(wrong.codes == (1...2).map { "high assertion.signature_invalid \($0)" })
      for _ in 0..<pause { _ = try nights.run([keys[2].attestation]) }
      let late = try nights.run([second.attestation.of("D")])
      #expect(late.codes == [] && late.closed.count == 2)
      #expect(nights.standing == [] && late.keys.map(\.verified) == [2])
      // What moved is compared as if it had been the right key's from the beginning.
      let last = try nights.run([
        second.assertions[1].at(change + 90_000_000).of("D"),
        second.assertions[3].at(change + 90_000_001).of("D"),
        second.assertions[2].at(change + 90_100_001).of("D"),
      ])
      #expect(last.codes == ["critical replay.assertion 1", "high counter.regression 3"])
      // The first key again takes nothing that the second one signed.
      #expect(
        try nights.run([first.attestation.at(change + 30_000).of("D")]).codes
          == ["critical replay.attestation 1"])
    }
  }

  @Test func `an assertion of no configured app may turn out to be of another key`() throws {
    let (first, second) = (keys[0], keys[1])
    let foreign = second.assertions[0].ofAnotherApp.at(second.time + 60_000).of("D")
    let records = [[first.attestation.of("D"), foreign], [second.attestation.of("D")], [foreign]]
    var nights = StagedNights()
    for night in records { _ = try nights.run(night) }
    let together = try StagedAudit().run(records.flatMap { $0 })
    #expect(Set(nights.open.keys) == Set(together.findings.map(\.fingerprint)))
    #expect(nights.standing.contains { $0.hasPrefix("assertion.app_id_mismatch") })
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

  @Test(arguments: 0..<6)
  func `random nights join as one run over all of them does`(_ seed: UInt64) throws {
    var random = Generator(seed + 30)
    var records: [[StagedRecord]] = Array(repeating: [], count: 4)
    let end = keys[2].time - start + 10_000_000
    let length = end / 4 + 1
    func add(_ record: StagedRecord, _ time: Int64, isLate: Bool) {
      let night = min(Int(max(time, 0) / length), 3)
      records[min(night + (isLate ? 1 : 0), 3)].append(record.at(start + time))
    }
    for (index, key) in keys.enumerated() {
      let own = key.time - start
      // Whose a device is has to be known in time; what a failed attestation claims need not be.
      add(key.attestation.of("D"), own, isLate: false)
      add(key.attestation.failing.of("F\(index)"), own + 1, isLate: random.below(2) == 0)
      for (counter, assertion) in key.assertions.prefix(20).enumerated() {
        let due = own + (end - own) * Int64(counter) / 20 + Int64(random.below(60_000)) - 30_000
        let device = ["D", "F\(index)", "nobody"][random.below(3)]
        add(assertion.of(device), due, isLate: random.below(4) == 0)
      }
    }
    var line: UInt64 = 0
    for night in records.indices {
      records[night].sort { $0.record.time < $1.record.time }
      for index in records[night].indices {
        line += 1
        records[night][index].line = line
      }
    }
    var nights = StagedNights()
    for night in records { _ = try nights.run(night) }
    // Findings about a counter may name a record of another night; their fingerprints are equal.
    let together = try StagedAudit().run(records.flatMap { $0 })
    #expect(
      Set(nights.open.keys).symmetricDifference(together.findings.map(\.fingerprint)).isEmpty,
      "\(nights.standing) but \(together.findings.map(\.place).sorted())")
    #expect(together.findings.count > 3)
  }
}
