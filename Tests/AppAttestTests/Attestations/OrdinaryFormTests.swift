import TestSupport
import Testing

@testable import AppAttest

/// The quick readers of what devices send, held against the strict reader.
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

  @Test func `what devices send takes the quick way`() {
    for data in [Self.fixed, Self.fixed + CBOR.map(Self.pairs)] {
      for isSwapped in [false, true] {
        let token = Self.token(data, isSwapped: isSwapped)
        #expect(OrdinaryAssertion(token.span) != nil)
        #expect(agree(token))
      }
    }
    #expect(AuthenticatorExtensions.ordinary(CBOR.map(Self.pairs).span) != nil)
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

  private func extensions(_ bytes: [UInt8]) -> Result<AuthenticatorExtensions, CBORError> {
    Result { () throws(CBORError) in try AuthenticatorExtensions(bytes.span) }
  }

  private func anyExtensions(_ bytes: [UInt8]) -> Result<AuthenticatorExtensions, CBORError> {
    Result { () throws(CBORError) in try AuthenticatorExtensions(any: bytes.span) }
  }

  @Test func `maps of all kinds behind the counter are read alike both ways`() {
    let keys = [
      CBOR.text("apple_bundle_version_01"), CBOR.text("apple_validation_category_01"),
      CBOR.text("a"), CBOR.text("b"), CBOR.text("é"), [0x61, 0xFF], [0x05], CBOR.bytes([1]),
      [0x78, 1, 0x61], CBOR.text(String(repeating: "x", count: 300)), [0x7F, 0x61, 0x61, 0xFF],
    ]
    let values: [[UInt8]] = [
      [0], [0x20], [0x18, 1], [0x1B, 0, 0, 0, 0, 0, 0, 0, 1], CBOR.bytes([4, 0, 0, 0]),
      CBOR.bytes([1, 2, 3]), CBOR.text("1.2"), CBOR.text("é"), [0x61, 0x80], [0xF5], [0xF8, 31],
      [0xF8, 32], [0xF9, 0, 0], [0xFF], [0x80], [0xA0], [0xC0, 0], [0x1C], [0x5F, 0x41, 1, 0xFF],
      [0x59, 0, 4, 1, 0, 0, 0], [0x44, 1],
    ]
    var state: UInt64 = 7
    func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for _ in 0..<8_000 {
      let count = below(11)
      var bytes = CBOR.head(5, count)
      for _ in 0..<count { bytes += keys[below(keys.count)] + values[below(values.count)] }
      switch below(8) {
      case 0: bytes[below(bytes.count)] = UInt8(below(256))
      case 1: bytes.removeLast(below(bytes.count))
      default: break
      }
      let plain = bytes.isEmpty ? .success(AuthenticatorExtensions()) : anyExtensions(bytes)
      #expect(extensions(bytes) == plain, "\(bytes)")
    }
  }
}
