import FindingCodes

/// The plan of all requests and their times. It is a pure function of the options, so that any part
/// of the day can be written without the rest.
struct TrafficPlan: Sendable {
  /// The start of the first day, 2026-03-01T00:00:00Z, in milliseconds since 1970.
  static let dayStart: Int64 = 1_772_323_200_000
  static let dayLength: Int64 = 86_400_000
  /// The end of the first day.
  static let dayEnd = dayStart + dayLength
  /// The longest time between the issue and the use of a challenge, in milliseconds.
  static let challengeLead: Int64 = 100_000

  /// One line to be written.
  struct Row: Sendable {
    var time: Int64
    var key: UInt32
    /// The number of the event: 0 for the attestation, then 1, 2, 3… for the assertions.
    var event: UInt32
    var isChallenge: Bool
  }

  let seed: UInt64
  /// The end of the last day.
  let end: Int64
  let counts: [UInt32]
  let writesChallenges: Bool
  /// Whether assertions have challenges as well as attestations.
  private let challengesAssertions: Bool

  init(_ options: ForgeOptions) {
    seed = options.seed
    end = options.end
    writesChallenges = options.writesChallenges
    challengesAssertions = options.writesChallenges(for: .assertion)
    counts =
      options.zipf
      ? Self.zipf(keys: options.keys, assertions: options.assertions)
      : (0..<options.keys).map {
        UInt32(
          options.assertions / options.keys
            + ($0 < options.assertions % options.keys ? 1 : 0))
      }
  }

  /// Returns the time at which the device of `key` attests, in the first third of the first day.
  func attestationTime(_ key: Int) -> Int64 {
    var random = ForgeRandom(seed, 0xA77, UInt64(key))
    return Self.dayStart + 300_000 + random.within(0...28_800_000)
  }

  /// Returns the counter of an assertion. It increases by one each time, and by more for requests
  /// that never arrived.
  func counter(key: Int, event: UInt32) -> UInt32 {
    key % 3 == 1 ? event + event / 7 : event
  }

  /// Returns the rows in `range`, of one server of `servers`, by time.
  func rows(in stretch: Range<Int64>, server: Int, of servers: Int) -> [Row] {
    let range = stretch.clamped(to: Self.dayStart..<end)
    var rows = [Row]()
    let ahead = writesChallenges ? Self.challengeLead : 0
    for key in counts.indices {
      let attested = attestationTime(key)
      if attested >= range.lowerBound && attested < range.upperBound + ahead {
        add(attested, key, 0, range, server, servers, to: &rows)
      }
      let count = Int64(counts[key])
      guard count > 0 else { continue }
      let base = attested + 2_000
      guard range.upperBound + ahead > base else { continue }
      let span = end - 1_000 - base
      var random = ForgeRandom(seed, 0xFA5, UInt64(key))
      let phase = Int64(random.next() % UInt64(span))
      // Assertion j comes (j · span + phase) / count after the base.
      var event = max(0, ((range.lowerBound - base) * count - phase + span - 1) / span)
      while event < count {
        let time = base + (event * span + phase) / count
        if time >= range.upperBound + ahead { break }
        if time >= range.lowerBound {
          add(time, key, UInt32(event + 1), range, server, servers, to: &rows)
        }
        event += 1
      }
    }
    rows.sort {
      ($0.time, $0.key, $0.event, $0.isChallenge ? 0 : 1)
        < ($1.time, $1.key, $1.event, $1.isChallenge ? 0 : 1)
    }
    return rows
  }

  private func add(
    _ time: Int64, _ key: Int, _ event: UInt32, _ range: Range<Int64>, _ server: Int,
    _ servers: Int, to rows: inout [Row]
  ) {
    var random = ForgeRandom(seed, 0x5E6, UInt64(key), UInt64(event))
    if range.contains(time) && random.below(servers) == server {
      rows.append(Row(time: time, key: UInt32(key), event: event, isChallenge: false))
    }
    guard writesChallenges && (event == 0 || challengesAssertions) else { return }
    var other = ForgeRandom(seed, 0xC4A, UInt64(key), UInt64(event))
    let issued = time - other.within(500...Self.challengeLead)
    if range.contains(issued) && other.below(servers) == server {
      rows.append(Row(time: issued, key: UInt32(key), event: event, isChallenge: true))
    }
  }

  /// Returns the shares of keys: key i gets a share in proportion to 1 / (i + 1), and the remainder
  /// of rounding goes to the first keys.
  static func zipf(keys: Int, assertions: Int) -> [UInt32] {
    var total = 0.0
    for rank in 1...max(keys, 1) { total += 1 / Double(rank) }
    var counts = (1...max(keys, 1)).map { UInt32(Double(assertions) / (Double($0) * total)) }
    var left = assertions - counts.reduce(0) { $0 + Int($1) }
    var index = 0
    while left > 0 {
      counts[index % counts.count] += 1
      left -= 1
      index += 1
    }
    return counts
  }
}
