import TestSupport
import Testing

/// Every fuzz target over its seeds and over mutations of them, the same ones each time.
/// `pipelines/fuzz` looks for further ones.
struct FuzzTests {
  @Test(arguments: FuzzTarget.all)
  func `a target reads its seeds and their mutations`(target: FuzzTarget) throws {
    let seeds = try target.seeds().map { Array($0.prefix(target.limit)) }
    let run = try target.prepare()
    for seed in seeds { try run(seed) }
    var random = Generator(44)
    for _ in 0..<target.mutations {
      var input = seeds[random.below(seeds.count)]
      for _ in 0...random.below(3) { mutate(&input, of: seeds, &random) }
      try run(Array(input.prefix(target.limit)))
    }
  }

  /// Changes a bit or a byte of an input, or loses, repeats or replaces some of its bytes.
  private func mutate(_ input: inout [UInt8], of seeds: [[UInt8]], _ random: inout Generator) {
    let start = random.below(input.count + 1)
    let end = start + random.below(min(input.count - start, 64) + 1)
    switch random.below(6) {
    case 0 where start < input.count: input[start] ^= 1 << UInt8(random.below(8))
    case 1 where start < input.count: input[start] = [0, 0x7F, 0x80, 0xFF][random.below(4)]
    case 2 where start < input.count: input[start] = random.byte()
    case 3: input.removeSubrange(start..<end)
    case 4: input.insert(contentsOf: Array(input[start..<end]), at: start)
    default:
      let other = seeds[random.below(seeds.count)]
      input.replaceSubrange(
        start..<end, with: other.dropFirst(random.below(other.count + 1)).prefix(64))
    }
  }
}
