import AppAttest
import Testing

@testable import AuditEngine

struct SourceOrderTests {
  @Test func `without a list the numbers are the order`() throws {
    for order in [SourceOrder(), try #require(SourceOrder([0, 1, 2]))] {
      #expect(order == SourceOrder())
      #expect([0, 7, UInt32.max].map { order.place(of: $0) } == [0, 7, .max])
    }
  }

  @Test func `a source has its place in the list, and the order of numbers behind it`() throws {
    let order = try #require(SourceOrder([2, 0, 3, 1]))
    #expect((0...5).map { order.place(of: UInt32($0)) } == [1, 3, 0, 2, 4, 5])
    let places = [Position(source: 0, line: 9), Position(source: 2, line: 10)].map {
      order.place(of: $0)
    }
    #expect(places[1] < places[0])
  }

  @Test(arguments: [[0, 0], [1], [0, 2], [3, 1, 0], [.max]] as [[UInt32]])
  func `a list that is no order is none`(_ numbers: [UInt32]) {
    #expect(SourceOrder(numbers) == nil)
  }
}
