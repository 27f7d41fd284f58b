import Basics
import Testing

struct SplitMix64Tests {
  /// The first numbers of the reference implementation (Vigna, splitmix64.c) from the state 1234567.
  @Test func `the numbers are those of the reference`() {
    var random = SplitMix64(state: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    for number in expected { #expect(random.next() == number) }
  }
}
