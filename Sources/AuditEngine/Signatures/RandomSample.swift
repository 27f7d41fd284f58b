/// Draws a share of all calls at random, by a generator that is seeded anew for each run: nobody can
/// choose to be left out.
struct RandomSample {
  private let threshold: UInt64
  private let takesAll: Bool
  private var state: UInt64

  init(share: Double) {
    takesAll = share >= 1
    threshold = takesAll ? .max : UInt64(max(share, 0) * 0x1p64)
    var generator = SystemRandomNumberGenerator()
    state = generator.next()
  }

  /// SplitMix64 (Steele, Lea and Flood, 2014).
  mutating func next() -> Bool {
    if takesAll { return true }
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31 < threshold
  }
}
