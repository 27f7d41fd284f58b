internal import Basics

/// A share of all calls, drawn at random by a generator that is seeded again for each run: nobody
/// can choose to be left out.
struct RandomSample {
  private let threshold: UInt64
  private let takesAll: Bool
  private var random: SplitMix64

  init(share: Double) {
    takesAll = share >= 1
    threshold = takesAll ? .max : UInt64(max(share, 0) * 0x1p64)
    var generator = SystemRandomNumberGenerator()
    random = SplitMix64(state: generator.next())
  }

  /// Returns true if this call is one of the share.
  mutating func next() -> Bool {
    takesAll || random.next() < threshold
  }
}
