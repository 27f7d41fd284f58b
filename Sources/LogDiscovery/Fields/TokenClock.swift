import AppAttest

/// When tokens were made by Apple's clock: what tells the zone of times that carry none.
struct TokenClock {
  /// The lines on which receipts stand first, and when Apple made these, in milliseconds since 1970.
  private let receipts: [(line: SampleLine, time: Int64)]

  /// The most receipts that are read.
  private static let limit = 200
  private static let quarter: Int64 = 15 * 60_000
  /// A request comes so long after its receipt was made; clocks may differ by a minute.
  private static let delays: ClosedRange<Int64> = -60_000...(5 * 60_000)
  /// An offset has to fit this share of the receipts.
  private static let leastPercent = 60
  /// No place is farther from UTC, in quarters of an hour.
  private static let offsets: ClosedRange<Int64> = -48...56

  /// A clock that nothing is known of.
  init() { receipts = [] }

  init(_ tokens: [FoundToken], _ sample: LogSample) {
    var receipts: [(line: SampleLine, time: Int64)] = []
    var seen: Set<Digest256> = []
    for token in tokens {
      guard receipts.count < Self.limit else { break }
      // Anybody can send a copy of a receipt, at whatever time.
      guard let bytes = token.attestation?.receipt, seen.insert(.sha256(bytes.span)).inserted,
        let time = (try? Receipt.parse(bytes.span))?.creationTime
      else { continue }
      receipts.append((sample.lines[token.line], time))
    }
    self.receipts = receipts
  }

  /// How many requests follow the receipts that they carry by a clock that `time` reads.
  ///
  /// - Parameter lacksZone: Whether the clock may be any zone's, `time` reading it as if it were UTC.
  func fits(lacksZone: Bool, _ time: (SampleLine) -> Int64?) -> Int {
    if lacksZone { return offset(time)?.count ?? 0 }
    return receipts.count { line, made in
      time(line).map { Self.delays.contains($0 - made) } ?? false
    }
  }

  /// The zone in which requests follow the receipts that they carry, and how that is known. `time`
  /// reads the time of a line as if it were UTC.
  func zone(_ time: (SampleLine) -> Int64?) -> (text: String, evidence: String) {
    guard let (offset, count) = offset(time), count * 100 >= receipts.count * Self.leastPercent
    else {
      return (
        "UTC",
        receipts.isEmpty
          ? "is a guess: no receipt here says when it was made"
          : "is a guess: no zone suits the times of the receipts"
      )
    }
    let text = Self.text(offset * 15)
    return (
      text,
      "by \(count) of \(receipts.count) receipts, made shortly before"
        + (offset == 0 ? "" : "; where clocks change, name the place")
    )
  }

  /// The offset from UTC, in quarters of an hour, that fits the most receipts, and how many; nil where
  /// none fits any.
  private func offset(_ time: (SampleLine) -> Int64?) -> (quarters: Int64, count: Int)? {
    var fits: [Int64: Int] = [:]
    for (line, made) in receipts {
      guard let local = time(line) else { continue }
      // The request comes behind its receipt, and not long.
      let quarters = Int64((Double(local - made) / Double(Self.quarter)).rounded(.down))
      for offset in [quarters, quarters + 1] where Self.offsets.contains(offset) {
        if Self.delays.contains(local - made - offset * Self.quarter) {
          fits[offset, default: 0] += 1
        }
      }
    }
    return fits.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
  }

  private static func text(_ minutes: Int64) -> String {
    guard minutes != 0 else { return "UTC" }
    let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return (minutes < 0 ? "-" : "+") + two(hours) + ":" + two(rest)
  }
}
