import AppAttest

/// The times that Apple signed, and the order of requests: they reveal which times are not those of requests, and the
/// zone of times that have none.
struct TokenClock {
  /// The lines on which attestations occur first, with Apple's signed times in milliseconds since 1970 (`verification.R43`).
  private var attestations: [(line: SampleLine, time: Int64)] = []
  /// Lines of one key, the later one with the next higher counter.
  private var steps: [(line: SampleLine, later: SampleLine)] = []

  private static let limit = 400
  private static let quarter: Int64 = 15 * 60_000
  /// The times of requests after Apple's signed time that an audit accepts, in milliseconds.
  private static let ages: ClosedRange<Int64> = -5 * 60_000...86_400_000
  /// The delays between Apple's signature and the request, in milliseconds. Clocks may differ by a minute.
  private static let delays: ClosedRange<Int64> = -60_000...(5 * 60_000)
  /// The offsets from UTC that places have, in quarters of an hour.
  private static let offsets: ClosedRange<Int64> = -48...56

  init() {}

  /// Reads tokens. `keys` are those of lines, by their indexes.
  init(_ tokens: TokenSearch, _ keys: [Int: Digest256], _ sample: LogSample) {
    var seen: Set<Digest256> = []
    for token in tokens.attestations.tokens where attestations.count < Self.limit {
      guard let object = token.attestation else { continue }
      // Anybody can send a copy of a receipt, at whatever time.
      let signed = object.receipt.isEmpty ? object.authData : object.receipt
      guard seen.insert(.sha256(signed.span)).inserted,
        let time = (try? Receipt.parse(object.receipt.span))?.creationTime ?? object.serialTime
      else { continue }
      attestations.append((sample.lines[token.line], time))
    }
    let requests = tokens.assertions.tokens.compactMap { token in
      keys[token.line].map { (key: $0, counter: token.counter, line: token.line) }
    }
    for requests in Dictionary(grouping: requests, by: \.key).values {
      let sorted = requests.sorted { ($0.counter, $0.line) < ($1.counter, $1.line) }
      for (first, next) in zip(sorted, sorted.dropFirst())
      where first.counter < next.counter && steps.count < Self.limit {
        steps.append((sample.lines[first.line], sample.lines[next.line]))
      }
    }
  }

  /// Returns whether more than half of the attestations were signed at other times (`verification.R17`).
  func contradicts(_ time: (SampleLine) -> Int64?, lacksZone: Bool) -> Bool {
    let shift = lacksZone ? (offset(time)?.quarters ?? 0) * Self.quarter : 0
    let ages = attestations.compactMap { line, signed in time(line).map { $0 - shift - signed } }
    return ages.count { !Self.ages.contains($0) } * 2 > ages.count
  }

  /// Returns the share of steps to the next counter in which a time goes on to another second, less those in which it
  /// goes back.
  func progress(_ time: (SampleLine) -> Int64?) -> Double {
    let sum = steps.reduce(into: Int64(0)) { sum, step in
      guard let first = time(step.line), let later = time(step.later) else { return }
      sum += (later / 1000 - first / 1000).signum()
    }
    return Double(sum) / Double(max(1, steps.count))
  }

  /// Returns the zone in which attestations follow their signatures, and the evidence. `time` reads UTC.
  func zone(_ time: (SampleLine) -> Int64?) -> (text: String, evidence: String) {
    guard let (offset, count) = offset(time), count * 10 >= attestations.count * 6 else {
      return (
        "UTC",
        attestations.isEmpty
          ? "is a guess: no attestation here says when it was signed"
          : "is a guess: no zone suits the times of the attestations"
      )
    }
    let evidence = "by \(count) of \(attestations.count) attestations, signed shortly before"
    guard offset != 0 else { return ("UTC", evidence) }
    let (hours, minutes) = (abs(offset) / 4, abs(offset) % 4 * 15)
    return (
      "\(offset < 0 ? "-" : "+")\(hours < 10 ? "0" : "")\(hours):\(minutes == 0 ? "00" : "\(minutes)")",
      evidence + "; where clocks change, name the place"
    )
  }

  /// Returns the offset from UTC, in quarters of an hour, that fits the most attestations, and their number.
  func offset(_ time: (SampleLine) -> Int64?) -> (quarters: Int64, count: Int)? {
    var fits: [Int64: Int] = [:]
    for (line, made) in attestations {
      guard let local = time(line) else { continue }
      // The request follows the signature.
      let quarters = Int64((Double(local - made) / Double(Self.quarter)).rounded(.down))
      for offset in [quarters, quarters + 1]
      where Self.offsets.contains(offset)
        && Self.delays.contains(local - made - offset * Self.quarter)
      {
        fits[offset, default: 0] += 1
      }
    }
    return fits.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
  }
}
