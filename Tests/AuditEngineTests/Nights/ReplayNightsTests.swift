import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// Nights one after the other, compared with one run over all of them.
@Suite struct `Replay audit over nights` {
  /// Hashes that differ where a careless comparison does not look.
  private static let hashes: [[UInt8]] = {
    let opaque = [UInt8](repeating: 1, count: 16)
    let plain = [UInt8](repeating: 7, count: 32)
    var late = plain
    late[31] = 8
    var half = plain
    half[16] = 8
    return [
      plain, late, half, opaque, [UInt8](repeating: 1, count: 17),
      // The bytes that the opaque hash has in a group's key.
      Digest256.sha256(opaque.span).bytes, [UInt8](repeating: 1, count: 255),
    ]
  }()

  private func policy(_ scope: ReplayScope, retry: Int64 = 0) -> DetectionPolicy {
    var policy = DetectionPolicy()
    policy.replayScope = scope
    policy.retryTolerance = retry
    policy.reorderTolerance = 5
    policy.challengesRequired = true
    policy.challengeTTL = 40
    return policy
  }

  /// Returns nights of 100 ms each. With `unverified`, the assertions of two keys cannot be
  /// verified on any.
  private func nights(
    _ seed: UInt64, count: Int = 3, events: Int = 60, unverified: Bool = false
  ) -> [ReplayNight] {
    var random = Generator(seed)
    var line: UInt64 = 0
    return (0..<count).map { night in
      var result = ReplayNight()
      let start = Int64(night) * 100
      for _ in 0..<events {
        line += 1
        var event = ReplaySample(line: line)
        event.source = UInt32(night)
        event.hash = Self.hashes[random.below(Self.hashes.count)]
        event.kind = random.below(4) == 0 ? .attestation : .assertion
        event.key = UInt8(random.below(5))
        event.identity = UInt8(random.below(4))
        // Half of the requests fall on a night's last instant, and its next one's first.
        event.time = start + Int64(random.below(2) == 0 ? random.below(100) : 0)
        event.requestID = [nil, "", "a", "b", String(repeating: "c", count: 600)][random.below(5)]
        event.decision = [.unknown, .accepted, .rejected, .rejected, .rejected][random.below(5)]
        event.isLookedAt = random.below(9) > 0
        event.isBehind = unverified && event.key > 2
        event.isOfDevice = event.key == 4 && event.isBehind
        event.isValidAttestation = event.kind == .attestation && !event.isBehind
        result.events.append(event)
      }
      for _ in 0..<6 {
        line += 1
        result.challenges.append(
          ChallengeSample(
            hash: Self.hashes[random.below(Self.hashes.count)],
            // Not so early that the tolerance makes it count for the night before.
            time: start + 5 + Int64(random.below(95)), source: UInt32(night), line: line))
      }
      return result
    }
  }

  private func together(_ outcomes: [ReplayNights.Outcome]) -> ReplayNights.Outcome {
    var all = ReplayNights.Outcome()
    var places: [String: Int] = [:]
    for outcome in outcomes {
      all.additions.merge(outcome.additions, uniquingKeysWith: +)
      all.verdicts += outcome.verdicts
      for finding in outcome.findings {
        guard let place = places[finding.standing] else {
          places[finding.standing] = all.findings.count
          all.findings.append(finding)
          continue
        }
        // It comes back more severe, and is one finding.
        #expect(finding.severity > all.findings[place].severity)
        all.findings[place] = finding
        if let keyID = finding.keyID { all.additions[keyID, default: 0] -= 1 }
      }
    }
    // Findings of one run are ordered by time first, and only then by night.
    all.findings.sort {
      ($0.time ?? 0, $0.position, $0.code.rawValue) < ($1.time ?? 0, $1.position, $1.code.rawValue)
    }
    return all
  }

  /// Returns an outcome as nights and one run have it alike. Of findings with one fingerprint the
  /// most severe counts, and what earlier runs found of a record that was not accepted may be
  /// reported again, without all that it says.
  private func alike(_ outcome: ReplayNights.Outcome) -> ReplayNights.Outcome {
    var outcome = outcome
    let worst = Dictionary(
      outcome.findings.map { ($0.fingerprint, $0.severity) }, uniquingKeysWith: max)
    for index in outcome.findings.indices {
      let finding = outcome.findings[index]
      outcome.findings[index].severity = worst[finding.fingerprint] ?? finding.severity
      guard finding.code.followsDecision else { continue }
      outcome.findings[index].decision = .unknown
      outcome.findings[index].appID = ""
      outcome.findings[index].requestID = ""
      outcome.findings[index].detail.replace(" A copy of the request was accepted.", with: "")
    }
    return outcome
  }

  @Test(arguments: 0..<12, ReplayScope.allCases)
  func `nights come to what one run over all of them comes to`(
    _ seed: UInt64, _ scope: ReplayScope
  ) throws {
    let policy = policy(scope, retry: seed % 3 == 0 ? 30 : 0)
    let nights = nights(seed)
    let audit = ReplayNights(detection: policy)
    let memory = MemoryHistory()
    let split = try together(audit.run(nights, memory))
    let whole = try audit.run(.together(nights), nil)
    #expect(alike(split) == alike(whole))
    #expect(split.findings.contains { ($0.related?.source ?? 9) < $0.position.source })
    // Nothing is forgotten; of what is not examined, only what a late challenge would clear.
    let events = nights.flatMap(\.events)
    let looked = events.filter(\.isLookedAt).count
    let void = try memory.state.records.filter { bytes in
      let record = try unsafe bytes.withUnsafeBytes { unsafe try KeptRecord($0) }
      return record.flags.contains(.void)
    }
    #expect(
      memory.state.records.count - void.count == looked + nights.flatMap(\.challenges).count)
    let unissued = split.findings.filter { $0.code == .challengeNotIssued }.count
    #expect(void.count <= min(unissued, events.count - looked))
  }

  @Test(arguments: 0..<12, ReplayScope.allCases)
  func `late files come to what one run over all of them comes to`(
    _ seed: UInt64, _ scope: ReplayScope
  ) throws {
    var random = Generator(seed)
    var nights = nights(seed, unverified: seed % 2 == 0)
    // Every night has events of all three, no two of one instant.
    var events = nights.flatMap(\.events).shuffled(using: &random)
    for index in events.indices { events[index].time = Int64(index) }
    events.shuffle(using: &random)
    for night in nights.indices {
      let count = events.count / (nights.count - night)
      nights[night].events = events.suffix(count).map {
        var event = $0
        event.source = UInt32(night)
        return event
      }
      events.removeLast(count)
    }
    let audit = ReplayNights(detection: policy(scope, retry: seed % 3 == 0 ? 30 : 0))
    let whole = try audit.run(.together(nights), nil).findings.map(\.standing).sorted()
    #expect(try audit.standing(nights) == whole)
    #expect(whole.contains { $0.hasPrefix("replay.") })
  }
}
