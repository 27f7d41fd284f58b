import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Byte buffer` {
  @Test func `what is appended lies where it is said to`() {
    var buffer = ByteBuffer(capacity: 0)
    var ranges: [(Range<Int>, [UInt8])] = []
    var random = Generator(5)
    for _ in 0..<500 {
      let bytes = (0..<random.below(200)).map { _ in random.byte() }
      ranges.append((buffer.append(bytes.span), bytes))
    }
    for (range, bytes) in ranges { #expect(Array(buffer.storage[range]) == bytes) }
    #expect(buffer.count == ranges.reduce(0) { $0 + $1.1.count })
  }

  @Test func `nothing is appended where the body says nil`() {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(7)
    let refused = unsafe buffer.append(atMost: 1000) { target in
      unsafe target[0] = 1
      return nil
    }
    #expect(refused == nil)
    #expect(buffer.count == 1)
    let taken = unsafe buffer.append(atMost: 1000) { target in
      #expect(target.count == 1000)
      unsafe target[0] = 8
      unsafe target[1] = 9
      return 2
    }
    #expect(taken == 1..<3)
    #expect(Array(buffer.storage[0..<buffer.count]) == [7, 8, 9])
  }

  @Test func `memory beyond what is to be kept is given back`() {
    var buffer = ByteBuffer(capacity: 64)
    _ = buffer.append([UInt8](repeating: 1, count: 3 << 20).span)
    #expect(buffer.storage.count >= 3 << 20)
    buffer.removeAll()
    #expect(buffer.count == 0)
    #expect(buffer.storage.count <= 1 << 20)
    _ = buffer.append([UInt8](repeating: 2, count: 100).span)
    let held = buffer.storage.count
    buffer.removeAll()
    #expect(buffer.storage.count == held)
  }

  @Test func `empty bytes are an empty range`() {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(1)
    #expect(buffer.append([UInt8]().span) == 1..<1)
    #expect(unsafe buffer.append(copying: UnsafeRawBufferPointer(start: nil, count: 0)) == 1..<1)
  }
}
