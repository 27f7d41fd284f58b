import LogForge
import TestSupport
import Testing

@testable import AppAttest

/// The quick reader of the tokens that devices send, held against the strict reader.
@Suite struct `Ordinary forms` {
  private static let signature = CBORWriter.bytes((0..<70).map { UInt8($0) })
  private static let fixed = [UInt8](repeating: 7, count: 32) + [0x40, 0, 0, 1, 2]
  private static let pairs: [(key: [UInt8], value: [UInt8])] = [
    (CBORWriter.text("apple_bundle_version_01"), CBORWriter.text("1.2.3")),
    (CBORWriter.text("apple_validation_category_01"), CBORWriter.bytes([4, 0, 0, 0])),
    (CBORWriter.text("apple_cd_hash_type_01"), [2]),
  ]

  private static func token(_ data: [UInt8], isSwapped: Bool = false) -> [UInt8] {
    let parts = [
      (key: CBORWriter.text("signature"), value: signature),
      (CBORWriter.text("authenticatorData"), CBORWriter.bytes(data)),
    ]
    return CBORWriter.map(isSwapped ? parts.reversed() : parts)
  }

  private func agree(_ token: [UInt8]) -> Bool {
    AssertionReading(token, Assertion.parse(_:))
      == AssertionReading(token, Assertion.parse(any:))
  }

  @Test(arguments: [false, true])
  func `every changed byte and every cut is read alike both ways`(_ isSwapped: Bool) {
    let original = Self.token(Self.fixed + CBORWriter.map(Self.pairs), isSwapped: isSwapped)
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
    let name = CBORWriter.text("authenticatorData")
    let tokens: [[UInt8]] = [
      [], [0xA2], [0xA0], [0xA1] + CBORWriter.text("signature") + Self.signature,
      [0xA2] + CBORWriter.text("signature") + Self.signature + CBORWriter.text("signature")
        + Self.signature,
      [0xA2] + name + CBORWriter.bytes(data) + name + CBORWriter.bytes(data),
      [0xA2] + CBORWriter.text("signature") + [0x58, 5, 1, 2, 3, 4, 5] + name + [0x59, 0, 37]
        + data,
      [0xA2] + CBORWriter.text("signature") + [0x40] + name + [0x5A, 0, 0, 0, 37] + data,
      [0xA2] + CBORWriter.text("signature") + CBORWriter.chunkedBytes([1, 2], chunk: 7) + name
        + CBORWriter.bytes(data),
      [0xB8, 2] + CBORWriter.text("signature") + [0x40] + name + CBORWriter.bytes(data),
      [0xBF] + CBORWriter.text("signature") + [0x40] + name + CBORWriter.bytes(data) + [0xFF],
      [0xA2, 0x78, 9] + Array("signature".utf8) + [0x40] + name + CBORWriter.bytes(data),
      [0xA2] + CBORWriter.text("signature") + [0x59, 0xFF, 0xFF, 1],
      Self.token(data) + [0], Self.token(Array(data.dropLast())), Self.token(data + [0]),
    ]
    for token in tokens { #expect(agree(token), "\(token)") }
  }
}
