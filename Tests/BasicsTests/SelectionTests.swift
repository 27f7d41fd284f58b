import Basics
import Testing

/// The first elements of an order, without sorting all.
struct SelectionTests {
  /// Expects the first `count` of the numbers in front.
  private func expectFirst(_ count: Int, of numbers: [Int]) {
    var moved = numbers
    moved.moveFirst(count, by: <)
    #expect(moved.prefix(count).sorted() == Array(numbers.sorted().prefix(count)))
    #expect(moved.sorted() == numbers.sorted())
  }

  @Test func `each number of elements, of few values and of many`() {
    var random = SplitMix64(state: 7)
    for size in 0...60 {
      for values in [1, 2, 5, 1000] {
        let numbers = (0..<size).map { _ in Int(random.next() % UInt64(values)) }
        for count in 0...size { expectFirst(count, of: numbers) }
      }
    }
  }

  @Test func `elements in order, backwards, and in the order of an organ's pipes`() {
    let size = 10_000
    let pipes = (0..<size).map { min($0, size - $0) }
    for numbers in [Array(0..<size), Array((0..<size).reversed()), pipes] {
      for count in [1, size / 2, size - 1] { expectFirst(count, of: numbers) }
    }
  }

  @Test func `an order in which each division is as uneven as can be`() {
    // Each value that is divided at is the least of those that are left.
    let size = 4096
    var values: [Int: Int] = [:]
    var compared = 0
    var elements = Array(0..<size)
    elements.moveFirst(size - 1) { a, b in
      compared += 1
      if values[a] == nil, values[b] == nil { values[a] = values.count }
      return values[a, default: size + a] < values[b, default: size + b]
    }
    #expect(Set(elements) == Set(0..<size))
    #expect(compared < size * 200)
  }
}
