/// The parts of a source's batches, which can be finished in any order, in the order of their lines.
struct InOrder<Part: Sendable>: Sendable {
  /// Parts that came before those that precede them, by their number in the source.
  private var waiting: [UInt64: Part] = [:]
  private var next: UInt64 = 0
  /// The number of all batches, once it is known.
  private var count: UInt64?

  /// Whether all parts have come and the number of batches is known.
  var isComplete: Bool { next == count }

  /// Adds the part of a batch, and returns those whose turn it is.
  mutating func add(_ part: Part, sequence: UInt64) -> [Part] {
    waiting[sequence] = part
    var ready: [Part] = []
    while let part = waiting.removeValue(forKey: next) {
      ready.append(part)
      next += 1
    }
    return ready
  }

  /// Sets the number of all batches.
  mutating func end(count: UInt64) { self.count = count }
}
