import AppAttest

/// The times at which tokens were made by Apple's clock. They reveal the zone of times that carry
/// none.
struct TokenClock {
  /// The lines on which receipts occur first, and the times at which Apple made these, in
  /// milliseconds since 1970.
  private let receipts: [(line: SampleLine, time: Int64)]

  /// The largest number of receipts that are read.
  private static let limit = 200
  private static let quarter: Int64 = 15 * 60_000
  /// The delays between a receipt and its request, in milliseconds. Clocks may differ by a minute.
  private static let delays: ClosedRange<Int64> = -60_000...(5 * 60_000)
  /// The share of the receipts that an offset has to fit, in percent.
  private static let leastPercent = 60
  /// The offsets from UTC that places have, in quarters of an hour.
  private static let offsets: ClosedRange<Int64> = -48...56

  /// Makes a clock without any receipts.
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

  /// Returns the number of requests that follow their receipts by a clock that `time` reads.
  ///
  /// - Parameter lacksZone: True if the clock may be in any zone. `time` reads it as if it were
  ///   UTC.
  func fits(lacksZone: Bool, _ time: (SampleLine) -> Int64?) -> Int {
    if lacksZone { return offset(time)?.count ?? 0 }
    return receipts.count { line, made in
      time(line).map { Self.delays.contains($0 - made) } ?? false
    }
  }

  /// Returns the zone in which requests follow their receipts, and the evidence for it. `time`
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

  /// Returns the offset from UTC, in quarters of an hour, that fits the most receipts, and their
  /// number. Returns nil if none fits any.
  private func offset(_ time: (SampleLine) -> Int64?) -> (quarters: Int64, count: Int)? {
    var fits: [Int64: Int] = [:]
    for (line, made) in receipts {
      guard let local = time(line) else { continue }
      // The request comes shortly after its receipt.
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
