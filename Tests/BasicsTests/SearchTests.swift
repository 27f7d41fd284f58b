import Basics
import Testing

struct SearchTests {
  @Test func `the place is the first that does not come before`() {
    for count in 0...40 {
      for place in 0...count {
        #expect((0..<count).searched { $0 < place } == place)
        #expect((7..<7 + count).searched { $0 < 7 + place } == 7 + place)
      }
    }
  }

  @Test func `the largest ranges do not overflow`() {
    let found = (Int.max - 3..<Int.max).searched { $0 < Int.max - 1 }
    #expect(found == Int.max - 1)
  }
}
