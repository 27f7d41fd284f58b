/// A linear congruential generator: the same numbers for the same seed, so that a test that fails can
/// be run again.
package struct Generator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  package mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }

  /// Returns a number from 0 up to, but not including, `limit`.
  package mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }

  package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 33) }

  package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

  /// Returns true once in `count` times.
  package mutating func once(in count: Int) -> Bool { below(count) == 0 }
}
