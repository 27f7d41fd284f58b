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

  /// Changes bits or bytes of an input in one to three places, or loses, repeats or replaces some of its bytes.
  package mutating func mutate(_ input: inout [UInt8], of seeds: [[UInt8]]) {
    for _ in 0...below(3) {
      let start = below(input.count + 1)
      let end = start + below(min(input.count - start, 64) + 1)
      switch below(6) {
      case 0 where start < input.count: input[start] ^= 1 << UInt8(below(8))
      case 1 where start < input.count: input[start] = [0, 0x7F, 0x80, 0xFF][below(4)]
      case 2 where start < input.count: input[start] = byte()
      case 3: input.removeSubrange(start..<end)
      case 4: input.insert(contentsOf: Array(input[start..<end]), at: start)
      default:
        let other = seeds[below(seeds.count)]
        input.replaceSubrange(start..<end, with: other.dropFirst(below(other.count + 1)).prefix(64))
      }
    }
  }
}
