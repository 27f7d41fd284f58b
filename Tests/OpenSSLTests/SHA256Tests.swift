import OpenSSL
import Testing

@Suite struct `SHA-256 of two parts` {
  private func hash(_ first: [UInt8], _ second: [UInt8]?) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, count in
      if let start = output.baseAddress {
        if let second {
          unsafe SHA256.hash(first.span, second.span, into: start)
        } else {
          unsafe SHA256.hash(first.span, into: start)
        }
        count = 32
      }
    }
  }

  private func reference(_ bytes: [UInt8]) -> [UInt8] {
    var stream = SHA256Stream()
    unsafe bytes.withUnsafeBytes { unsafe stream.update($0) }
    return stream.digest()
  }

  @Test func `every length around the ends of blocks, cut anywhere, is hashed as a stream is`() {
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 5) }
    for length in 0...200 {
      let message = Array(bytes[..<length])
      let digest = reference(message)
      #expect(hash(message, nil) == digest)
      for cut in [0, 1, 31, 32, 37, 55, 56, 63, 64, 65, 119, 120, length] where cut <= length {
        #expect(hash(Array(message[..<cut]), Array(message[cut...])) == digest)
      }
    }
  }
}
