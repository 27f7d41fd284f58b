internal import Basics

/// Random numbers that are the same on every machine.
///
/// Streams are distinguished by tags, so that the data forged for one device depend on the seed and
/// the device alone, never on the order of the work.
package struct ForgeRandom: Sendable {
  private var random: SplitMix64

  /// Makes a stream for `seed` and `tags`.
  package init(_ seed: UInt64, _ tags: UInt64...) {
    var state = SplitMix64.mixed(seed &+ SplitMix64.step)
    for tag in tags {
      state = SplitMix64.mixed(state ^ SplitMix64.mixed(tag &+ 0x632B_E59B_D9B4_E019))
    }
    random = SplitMix64(state: state)
  }

  /// Returns the next 64 bits.
  package mutating func next() -> UInt64 { random.next() }

  /// Returns a number from 0 up to but without `bound`, or 0 if `bound` is not positive.
  package mutating func below(_ bound: Int) -> Int {
    bound > 0 ? Int(next() % UInt64(bound)) : 0
  }

  /// Returns a number in `range`, bounds included.
  package mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
  }

  /// Returns whether something that happens once in `odds` times happens now.
  package mutating func once(in odds: Int) -> Bool { below(odds) == 0 }

  /// Returns one of `choices`, which are at least one.
  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[below(choices.count)]
  }

  /// Returns `count` bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8]()
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let word = next()
      for shift in 0..<min(8, count - bytes.count) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * shift)))
      }
    }
    return bytes
  }

  /// Returns `choices` in another order.
  package mutating func shuffled<Choice>(_ choices: [Choice]) -> [Choice] {
    var shuffled = choices
    var index = shuffled.count - 1
    while index > 0 {
      shuffled.swapAt(index, below(index + 1))
      index -= 1
    }
    return shuffled
  }
}
