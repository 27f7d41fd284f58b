import Foundation
import Testing

@testable import LogForge

struct OddBase64Tests {
  /// Decodes `text` as Python's `b64decode` does: it drops characters of no alphabet, and ends
  /// where padding completes a group. Before that, percent signs are decoded and both alphabets
  /// taken.
  private func lenient(_ text: [UInt8]) throws -> [UInt8] {
    let plain = try #require(String(decoding: text, as: UTF8.self).removingPercentEncoding)
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes = [UInt8]()
    var (group, digits, padding) = (UInt32(0), 0, 0)
    for character in plain.utf8 {
      if character == UInt8(ascii: "=") {
        padding += 1
        if digits >= 2 && digits + padding >= 4 { break }
        continue
      }
      let twin: UInt8 = character == 0x2D ? 0x2B : character == 0x5F ? 0x2F : character
      guard let value = alphabet.firstIndex(of: twin) else { continue }
      padding = 0
      group = group << 6 | UInt32(value)
      digits += 1
      if digits == 4 {
        bytes += (0..<3).map { UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32($0))) }
        (group, digits) = (0, 0)
      }
    }
    #expect(digits != 1)
    if digits == 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 4)) }
    if digits == 3 {
      bytes += [UInt8(truncatingIfNeeded: group >> 10), UInt8(truncatingIfNeeded: group >> 2)]
    }
    return bytes
  }

  /// Returns true if a strict reader of base64 takes `text`, padded or not, with a space for `+`.
  private func isStrict(_ text: [UInt8]) -> Bool {
    var plain = String(decoding: text, as: UTF8.self).replacing(" ", with: "+")
    if !plain.contains(/[+\/]/) {
      plain = plain.replacing("-", with: "+").replacing("_", with: "/")
    }
    if !plain.contains("=") {
      plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    }
    guard let bytes = Data(base64Encoded: plain) else { return false }
    return bytes.base64EncodedString() == plain
  }

  @Test(arguments: OddBase64.allCases, 30...36)
  func `lenient readers take what strict ones refuse, for the same bytes`(
    way: OddBase64, count: Int
  ) throws {
    for seed in 0..<50 as Range<UInt64> {
      var random = ForgeRandom(seed, UInt64(count))
      let bytes = random.bytes(count)
      let text = way.encode(bytes, &random)
      #expect(try lenient(text) == bytes, "\(String(decoding: text, as: UTF8.self))")
      // A space in front may be a plus sign, if the length allows it.
      let isLonger = way == .leadingSpace || way == .trailingSpace
      #expect(isLonger || !isStrict(text), "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test(arguments: [37, 100, 140])
  func `every way is one of its own`(count: Int) {
    var random = ForgeRandom(7, UInt64(count))
    let bytes = random.bytes(count)
    var texts = Set<[UInt8]>()
    for way in OddBase64.allCases { texts.insert(way.encode(bytes, &random)) }
    #expect(texts.count >= OddBase64.allCases.count - (count % 3 == 1 ? 0 : 3))
  }

  @Test func `broken lines hold the same text`() {
    var random = ForgeRandom(3)
    for count in [0, 32, 57, 58, 200] {
      let bytes = random.bytes(count)
      for code in TextCode.allCases {
        let lines = code.encodeLines(bytes)
        #expect(lines.filter { $0 != 0x0D && $0 != 0x0A } == code.encode(bytes))
        let isHex = code == .hex || code == .upperHex
        #expect(lines.suffix(2) == (isHex || count == 0 ? lines.suffix(2) : [0x0D, 0x0A]))
        if !isHex {
          #expect(lines.split(separator: 0x0A).allSatisfy { $0.count <= 77 })
        }
      }
    }
  }
}
