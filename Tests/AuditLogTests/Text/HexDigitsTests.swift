import Testing

@testable import AuditLog

@Suite struct `Hex digits of logs` {
  private func decode(_ text: [UInt8]) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(0xEE)
    let range = unsafe text.withUnsafeBufferPointer { unsafe HexDigits.decode($0, into: &buffer) }
    guard let range else {
      #expect(buffer.count == 1, "a refused text leaves the buffer as it was")
      return nil
    }
    #expect(range.lowerBound == 1 && range.upperBound == buffer.count)
    return Array(buffer.storage[range])
  }

  @Test func `every other byte is refused in either place`() {
    let digits = Set("0123456789abcdefABCDEF".utf8)
    for byte in UInt8.min...255 {
      #expect((decode([byte, 0x30]) != nil) == digits.contains(byte), "\(byte)")
      #expect((decode([0x30, byte]) != nil) == digits.contains(byte), "\(byte)")
      #expect((decode([0x30, 0x30, 0x30, byte]) != nil) == digits.contains(byte), "\(byte)")
      for place in 0..<70 {
        var text = [UInt8](repeating: 0x39, count: 70)
        text[place] = byte
        #expect((decode(text) != nil) == digits.contains(byte), "\(byte) at \(place)")
      }
    }
  }

  @Test func `every byte is read from digits of either case, many at a time`() {
    let bytes = Array(UInt8.min...255)
    let text = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(decode(Array(text.utf8)) == bytes)
    #expect(decode(Array(text.uppercased().utf8)) == bytes)
    #expect(decode(Array(text.utf8.prefix(34))) == Array(0...16))
  }
}
