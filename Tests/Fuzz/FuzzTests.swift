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
      random.mutate(&input, of: seeds)
      try run(Array(input.prefix(target.limit)))
    }
  }
}
