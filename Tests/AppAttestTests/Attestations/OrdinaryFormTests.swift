import TestSupport
import Testing

@testable import AppAttest

/// The quick reader of the tokens that devices send, held against the strict reader.
@Suite struct `Ordinary forms` {
  private static let signature = CBOR.bytes((0..<70).map { UInt8($0) })
  private static let fixed = [UInt8](repeating: 7, count: 32) + [0x40, 0, 0, 1, 2]
  private static let pairs: [([UInt8], [UInt8])] = [
    (CBOR.text("apple_bundle_version_01"), CBOR.text("1.2.3")),
    (CBOR.text("apple_validation_category_01"), CBOR.bytes([4, 0, 0, 0])),
    (CBOR.text("apple_cd_hash_type_01"), [2]),
  ]

  private static func token(_ data: [UInt8], isSwapped: Bool = false) -> [UInt8] {
    let parts = [
      (CBOR.text("signature"), signature), (CBOR.text("authenticatorData"), CBOR.bytes(data)),
    ]
    return CBOR.map(isSwapped ? parts.reversed() : parts)
  }

  private func agree(_ token: [UInt8]) -> Bool {
    AssertionReading(token, Assertion.parse(_:))
      == AssertionReading(token, Assertion.parse(any:))
  }

  @Test func `tokens in either order of their members are read alike both ways`() {
    for data in [Self.fixed, Self.fixed + CBOR.map(Self.pairs)] {
      for isSwapped in [false, true] {
        let token = Self.token(data, isSwapped: isSwapped)
        #expect(agree(token))
      }
    }
  }

  @Test(arguments: [false, true])
  func `every changed byte and every cut is read alike both ways`(_ isSwapped: Bool) {
    let original = Self.token(Self.fixed + CBOR.map(Self.pairs), isSwapped: isSwapped)
    var different = 0
    for index in original.indices {
      // Inside the longer strings a few values stand for all.
      let isInside = original[index] == 7 || (index > 14 && index < 80)
      for byte in stride(from: 0, to: 256, by: isInside ? 51 : 1) {
        var token = original
        token[index] = UInt8(byte)
        if !agree(token) { different += 1 }
      }
      if !agree(Array(original[..<index])) { different += 1 }
      if !agree(original + original[..<index]) { different += 1 }
    }
    #expect(different == 0)
  }

  @Test func `other heads, keys and tails are read alike both ways`() {
    let data = Self.fixed
    let name = CBOR.text("authenticatorData")
    let tokens: [[UInt8]] = [
      [], [0xA2], [0xA0], [0xA1] + CBOR.text("signature") + Self.signature,
      [0xA2] + CBOR.text("signature") + Self.signature + CBOR.text("signature") + Self.signature,
      [0xA2] + name + CBOR.bytes(data) + name + CBOR.bytes(data),
      [0xA2] + CBOR.text("signature") + [0x58, 5, 1, 2, 3, 4, 5] + name + [0x59, 0, 37] + data,
      [0xA2] + CBOR.text("signature") + [0x40] + name + [0x5A, 0, 0, 0, 37] + data,
      [0xA2] + CBOR.text("signature") + CBOR.chunked([1, 2]) + name + CBOR.bytes(data),
      [0xB8, 2] + CBOR.text("signature") + [0x40] + name + CBOR.bytes(data),
      [0xBF] + CBOR.text("signature") + [0x40] + name + CBOR.bytes(data) + [0xFF],
      [0xA2, 0x78, 9] + Array("signature".utf8) + [0x40] + name + CBOR.bytes(data),
      [0xA2] + CBOR.text("signature") + [0x59, 0xFF, 0xFF, 1],
      Self.token(data) + [0], Self.token(Array(data.dropLast())), Self.token(data + [0]),
    ]
    for token in tokens { #expect(agree(token), "\(token)") }
  }
}
