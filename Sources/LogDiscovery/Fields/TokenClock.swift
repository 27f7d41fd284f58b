import AppAttest

/// The times at which Apple made receipts. They reveal the zone of times that have none.
struct TokenClock {
  /// The lines on which receipts occur first, with their times in milliseconds since 1970.
  private var receipts: [(line: SampleLine, time: Int64)] = []

  private static let quarter: Int64 = 15 * 60_000
  /// The delays between a receipt and its request, in milliseconds. Clocks may differ by a minute.
  private static let delays: ClosedRange<Int64> = -60_000...(5 * 60_000)
  /// The offsets from UTC that places have, in quarters of an hour.
  private static let offsets: ClosedRange<Int64> = -48...56

  init() {}

  init(_ tokens: [FoundToken], _ sample: LogSample) {
    var seen: Set<Digest256> = []
    for token in tokens where receipts.count < 200 {
      // Anybody can send a copy of a receipt, at whatever time.
      guard let bytes = token.attestation?.receipt, seen.insert(.sha256(bytes.span)).inserted,
        let time = (try? Receipt.parse(bytes.span))?.creationTime
      else { continue }
      receipts.append((sample.lines[token.line], time))
    }
  }

  /// Returns the zone in which requests follow their receipts, and the evidence. `time` reads UTC.
  func zone(_ time: (SampleLine) -> Int64?) -> (text: String, evidence: String) {
    guard let (offset, count) = offset(time), count * 10 >= receipts.count * 6 else {
      return (
        "UTC",
        receipts.isEmpty
          ? "is a guess: no receipt here says when it was made"
          : "is a guess: no zone suits the times of the receipts"
      )
    }
    let evidence = "by \(count) of \(receipts.count) receipts, made shortly before"
    guard offset != 0 else { return ("UTC", evidence) }
    let (hours, minutes) = (abs(offset) / 4, abs(offset) % 4 * 15)
    return (
      "\(offset < 0 ? "-" : "+")\(hours < 10 ? "0" : "")\(hours):\(minutes == 0 ? "00" : "\(minutes)")",
      evidence + "; where clocks change, name the place"
    )
  }

  /// Returns the offset from UTC, in quarters of an hour, that fits the most receipts, and their number.
  func offset(_ time: (SampleLine) -> Int64?) -> (quarters: Int64, count: Int)? {
    var fits: [Int64: Int] = [:]
    for (line, made) in receipts {
      guard let local = time(line) else { continue }
      // The request follows its receipt.
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
