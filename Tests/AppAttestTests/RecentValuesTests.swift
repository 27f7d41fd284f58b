import Testing

@testable import AppAttest

/// The table of issuers and signers that verified.
struct RecentValuesTests {
  private func value(
    _ values: RecentValues<Int>, _ front: [UInt8], _ back: [UInt8] = []
  ) -> Int? {
    values.value(at: front.span, back.span)
  }

  @Test func `a key is compared as a whole, wherever it is divided`() {
    var values = RecentValues<Int>()
    let key: [UInt8] = [1, 2, 3, 4]
    values.insert(1, at: key)
    values.insert(2, at: [])
    for cut in 0...4 {
      #expect(value(values, Array(key[..<cut]), Array(key[cut...])) == 1)
      for place in 0..<4 {
        var other = key
        other[place] ^= 128
        #expect(value(values, Array(other[..<cut]), Array(other[cut...])) == nil)
      }
    }
    #expect(value(values, [1, 2], [3]) == nil)
    #expect(value(values, [1, 2, 3, 4], [0]) == nil)
    #expect(value(values, []) == 2)
  }

  @Test func `a key that comes again has its last value, and a full table begins again`() {
    var values = RecentValues<Int>()
    for number in 0..<RecentValues<Int>.limit { values.insert(number, at: [UInt8(number)]) }
    values.insert(1000, at: [5])
    #expect(value(values, [5]) == 1000)
    #expect(value(values, [0]) == 0)
    values.insert(1001, at: [200])
    #expect(value(values, [200]) == 1001)
    #expect(value(values, [5]) == nil)
  }
}
