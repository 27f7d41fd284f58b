import OpenSSL
import Testing

struct SHA256StreamTests {
  private func whole(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe digest.withUnsafeMutableBufferPointer {
      guard let start = $0.baseAddress else { return }
      unsafe SHA256.hash(bytes.span, into: start)
    }
    return digest
  }

  @Test func `nothing hashes to the digest of nothing`() {
    let digest = SHA256Stream().digest()
    #expect(digest.prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    #expect(digest == whole([]))
  }

  @Test(arguments: [1, 7, 63, 64, 65, 1000])
  func `pieces of any size hash like the whole`(_ step: Int) {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var stream = SHA256Stream()
    for start in stride(from: 0, to: bytes.count, by: step) {
      unsafe bytes[start..<min(start + step, bytes.count)].withUnsafeBytes {
        unsafe stream.update($0)
      }
      unsafe stream.update(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    #expect(stream.digest() == whole(bytes))
  }
}
