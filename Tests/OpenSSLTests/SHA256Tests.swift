import OpenSSL
import Testing

@Suite struct `SHA-256` {
  /// FIPS 180-4.
  @Test func `the digests of nothing and of three letters are those of the standard`() {
    #expect(sha256([]).prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    #expect(sha256(Array("abc".utf8)).prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
    #expect(SHA256Stream().digest() == sha256([]))
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
    #expect(stream.digest() == sha256(bytes))
  }

  @Test func `every length around the ends of blocks, cut anywhere, is hashed as a stream is`() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 5) }
    for length in 0...200 {
      let message = Array(bytes[..<length])
      var stream = SHA256Stream()
      unsafe message.withUnsafeBytes { unsafe stream.update($0) }
      let digest = stream.digest()
      #expect(sha256(message) == digest)
      for cut in [0, 1, 31, 32, 37, 55, 56, 63, 64, 65, 119, 120, length] where cut <= length {
        #expect(sha256(Array(message[..<cut]), Array(message[cut...])) == digest)
      }
    }
  }
}
