import Basics
import TestSupport
import Testing

/// Sums by which a file that was changed is found.
struct ByteSumsTests {
  private func sums(_ bytes: [UInt8], by step: Int) -> [UInt8] {
    var sums = StreamSums()
    for start in stride(from: 0, to: bytes.count, by: step) {
      unsafe Array(bytes[start...].prefix(step)).withUnsafeBytes { unsafe sums.add($0) }
    }
    return sums.bytes
  }

  @Test(arguments: [0, 1, 31, 32, 33, 64, 1000])
  func `the sums of a stream do not depend on its pieces`(_ count: Int) {
    var generator = Generator(UInt64(count))
    let bytes = generator.bytes(count)
    let expected = sums(bytes, by: max(count, 1))
    #expect(expected.count == 32)
    for step in [1, 7, 32, 40, 100] { #expect(sums(bytes, by: step) == expected) }
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      #expect(sums(changed, by: 64) != expected)
    }
    #expect(sums(bytes + [0], by: 64) != expected)
  }
}
