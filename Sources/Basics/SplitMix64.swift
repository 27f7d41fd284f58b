/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): small,
/// fast, and the same on every machine. Not for secrets.
@frozen package struct SplitMix64: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// The increment of the state for each number: 2^64 divided by the golden ratio.
  @inlinable package static var step: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  @inlinable package init(state: UInt64) { self.state = state }

  @inlinable package mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  /// Returns a number in which each bit depends on all bits of another one.
  @inlinable package static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
