import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// Challenges that a log brings after the event that used them.
@Suite struct `Late challenges` {
  private func audit(isRequired: Bool = true, ttl: Int64? = 50) -> ReplayNights {
    var audit = ReplayNights()
    audit.detection.challengesRequired = isRequired
    audit.detection.challengeTTL = ttl
    audit.detection.reorderTolerance = 10
    return audit
  }

  private func use(_ time: Int64, _ decision: Decision = .unknown) -> ReplaySample {
    var event = ReplaySample(time: time, line: 1)
    event.decision = decision
    return event
  }

  private func nights(_ event: ReplaySample, _ challenges: Int64...) -> [ReplayNight] {
    [ReplayNight(events: [event])]
      + challenges.indices.map { index in
        ReplayNight(challenges: [
          ChallengeSample(
            time: challenges[index], source: UInt32(index + 1), line: UInt64(index + 2))
        ])
      }
  }

  private func codes(
    _ nights: [ReplayNight], _ audit: ReplayNights
  ) throws -> [(found: [String], closed: [String])] {
    try audit.run(nights).map { ($0.codes, $0.closed.map(\.code.name)) }
  }

  @Test func `the finding says what is remembered of the event`() throws {
    var event = use(200, .accepted)
    event.requestID = "r"
    let outcome = try audit().run(nights(event, 100))[1]
    let finding = try #require(outcome.findings.first)
    #expect(finding.keyID == digest(1) && finding.clientDataHash == event.hash)
    #expect(finding.time == 200 && finding.decision == .accepted)
    #expect(finding.appID == "" && finding.requestID == "")
    #expect(
      finding.detail.hasPrefix("The challenge was used 100 ms after it was last issued, at "))
    #expect(outcome.additions == [digest(1): 1])
  }

  @Test func `what waited for its key is said once`() throws {
    var before = use(200)
    before.isBehind = true
    var after = use(200)
    after.isWaited = true
    for isOfDevice in [false, true] {
      before.isOfDevice = isOfDevice
      after.wasOfDevice = isOfDevice
      func night(_ events: [ReplaySample], _ times: Int64...) -> ReplayNight {
        ReplayNight(
          events: events,
          challenges: times.map { ChallengeSample(time: $0, source: 9, line: 9) })
      }
      func found(_ nights: ReplayNight...) throws -> [[String]] {
        try codes(nights, audit()).map { $0.found + $0.closed.map { "-" + $0 } }
      }
      let missing = "challenge.not_issued 0.1"
      // What was said of a device is said of its key once that is known.
      let settled = isOfDevice ? [missing, "-challenge.not_issued"] : []
      #expect(
        try found(night([before]), night([after]), night([], 190))
          == [[missing], settled, ["-challenge.not_issued"]])
      #expect(
        try found(night([before]), night([after], 190)) == [[missing], ["-challenge.not_issued"]])
      #expect(
        try found(night([before]), night([after], 100))
          == [[missing], ["challenge.expired 0.1 9.9", "-challenge.not_issued"]])
      #expect(
        try found(night([before]), night([after]), night([], 100))
          == [[missing], settled, ["challenge.expired 0.1 9.9", "-challenge.not_issued"]])
    }
  }

  /// Events of many hashes, and the challenges of these, on any nights.
  private func shuffled(_ seed: UInt64) -> [ReplayNight] {
    var random = Generator(seed)
    var nights = [ReplayNight](repeating: ReplayNight(), count: 5)
    var line: UInt64 = 0
    for number in 0..<80 {
      let hash = [UInt8](repeating: UInt8(number), count: 32)
      let time = Int64(random.below(400))
      line += 1
      var event = ReplaySample(key: UInt8(random.below(4)), time: time, line: line, hash: hash)
      event.kind = random.below(4) == 0 ? .attestation : .assertion
      event.decision = [.unknown, .accepted, .rejected][random.below(3)]
      event.isLookedAt = random.below(4) > 0
      event.isBehind = random.below(5) == 0
      event.isOfDevice = event.isBehind && event.kind == .assertion && random.below(2) == 0
      if !event.isLookedAt || random.below(4) == 0 {
        event.codes = CodeSet([.attestationNonceMismatch])
      }
      event.source = UInt32(random.below(nights.count))
      nights[Int(event.source)].events.append(event)
      for _ in 0..<random.below(4) {
        line += 1
        let source = UInt32(random.below(nights.count))
        nights[Int(source)].challenges.append(
          ChallengeSample(
            hash: hash, time: time + 20 - Int64(random.below(120)), source: source, line: line))
      }
    }
    return nights
  }

  @Test(arguments: 0..<20, [Int64?.none, 50])
  func `shuffled between nights they come to what one run comes to`(
    _ seed: UInt64, _ ttl: Int64?
  ) throws {
    let nights = shuffled(seed)
    for isRequired in [true, false] {
      let audit = audit(isRequired: isRequired, ttl: ttl)
      let whole = try audit.run(.together(nights), nil).findings.map(\.standing).sorted()
      #expect(try audit.standing(nights) == whole)
      let expected: Set<String> = Set(
        ["decision.rejected_valid"] + (isRequired ? ["challenge.not_issued"] : [])
          + (ttl == nil ? [] : ["challenge.expired"]))
      #expect(Set(whole.map { String($0.prefix { $0 != " " }) }) == expected)
    }
  }

  @Test func `more events of one hash than are examined keep what was said`() throws {
    var nights = [ReplayNight(), ReplayNight(challenges: [ChallengeSample(source: 1, line: 1)])]
    for line in 1...UInt64(ReplayMemory.eventLimit + 5) {
      nights[0].events.append(ReplaySample(time: 20, line: line))
    }
    let outcomes = try audit(ttl: nil).run(nights)
    #expect(outcomes[1].closed.isEmpty)
    nights[0].events.removeLast(5)
    // They are all of one instant, and share their fingerprints.
    let fewer = try audit(ttl: nil).run(nights)[1]
    #expect(fewer.closed.map(\.code) == [.challengeNotIssued])
  }
}
