import CSimdjson
import Foundation
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Base64 of logs` {
  private func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

  private func decode(_ text: [UInt8]) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(0xEE)
    let range = unsafe text.withUnsafeBufferPointer { unsafe Base64.decode($0, into: &buffer) }
    guard let range else {
      #expect(buffer.count == 1, "a refused text leaves the buffer as it was")
      return nil
    }
    #expect(range.lowerBound == 1 && range.upperBound == buffer.count)
    #expect(buffer.storage[0] == 0xEE)
    return Array(buffer.storage[range])
  }

  @Test(arguments: [
    ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
    ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"), ("Zg", "f"), ("Zm8", "fo"), ("Zm9vYg", "foob"),
  ])
  func `the vectors of RFC 4648 are read, padded or not`(_ text: String, _ content: String) {
    #expect(decode(text) == Array(content.utf8))
  }

  @Test func `either alphabet and a space for plus are the same bytes`() {
    for text in ["+/+/", "-_-_", " / /"] {
      #expect(decode(text) == [0xFB, 0xFF, 0xBF], "\(text)")
    }
    #expect(decode(" w==") == [0xFB])
    #expect(decode("/w==") == [0xFF])
  }

  @Test(arguments: ["+_-/", " _-/", "+AA-", "_AA/", "-AA "])
  func `characters of both alphabets are refused, wherever they stand`(_ text: String) {
    #expect(decode(text) == nil)
    for gap in 0..<120 {
      let middle = text.index(after: text.startIndex)
      let fill = String(repeating: "A", count: 4 * gap)
      #expect(decode(fill + text) == nil)
      #expect(decode(text[..<middle] + fill + text[middle...]) == nil)
    }
  }

  private func decode(_ text: Substring) -> [UInt8]? { decode(String(text)) }

  @Test(arguments: ["Zh==", "Zm9=", "Zh", "Zm9", "Z/==", "Z_"])
  func `bits that no byte holds are refused`(_ text: String) {
    #expect(decode(text) == nil)
    #expect(decode(String(repeating: "AAAA", count: 20) + text) == nil)
  }

  @Test(arguments: [
    "Zg==\n", "\nZg==", "Zm9v\tYmFy", "Zm9v\r\nYmFy\r\n", "Z\ng=\n=", "\r\n", "\t\tZg\n",
  ])
  // records.R33.
  func `line breaks and tabs are passed over`(_ text: String) {
    let plain = text.unicodeScalars.filter { !"\r\n\t".unicodeScalars.contains($0) }
    var bare = ""
    bare.unicodeScalars.append(contentsOf: plain)
    #expect(decode(text) == decode(bare))
    #expect(decode(text) != nil)
  }

  @Test func `text in lines of 76 characters is read as text in one`() {
    var random = Generator(12)
    for length in [1, 56, 57, 58, 300, 5000] {
      let content = (0..<length).map { _ in random.byte() }
      let lines = Data(content).base64EncodedString(
        options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
      #expect(decode(lines + "\r\n") == content)
      #expect(decode(lines + "!") == nil)
    }
  }

  @Test(arguments: [
    "Z", "Zm9vY", "=", "==", "===", "Zg=", "Zg===", "Zm8==", "Zm9v=", "Zm9v==", "Z===", "Zg==Zg==",
    "Zg==\u{B}", "\u{A0}Zg==", "Z\n", "Zg=\n", "Zm=v", "=m9v", "Zm9v!", "Zm9v.YmF",
    "Zm\u{0}v", "Zm9é", "ＡＡＡＡ", "*m9v", "Z*9v", "Zm*v", "Zm9*", "Z*", "*g", "Zm*",
  ])
  func `what is no base64 is refused`(_ text: String) {
    #expect(decode(text) == nil)
  }

  @Test func `every byte in every place is taken or refused as the alphabets say`() {
    let taken = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ ".utf8)
    for byte in UInt8.min...255 where byte != UInt8(ascii: "=") && ![9, 10, 13].contains(byte) {
      // By single characters, by vectors, and by both.
      for length in [8, 56] {
        let isTaken = (0..<length).allSatisfy { place in
          var text = [UInt8](repeating: UInt8(ascii: "A"), count: length)
          text[place] = byte
          return (decode(text) != nil) == taken.contains(byte)
        }
        #expect(isTaken, "\(byte)")
      }
    }
  }

  @Test func `random bytes come back from all four forms`() {
    var random = Generator(11)
    for length in 0..<300 {
      let content = (0..<length).map { _ in random.byte() }
      let standard = Data(content).base64EncodedString()
      let url = standard.replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_")
      let spaced = standard.replacingOccurrences(of: "+", with: " ")
      for text in [standard, url, spaced] {
        #expect(decode(text) == content)
        #expect(decode(text.replacingOccurrences(of: "=", with: "")) == content)
      }
    }
  }

  @Test func `all widths of vectors decode alike`() {
    let letters = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let signs = Array("+-_ /".utf8)
    var random = Generator(13)
    var forms = Set<UInt32>()
    for _ in 0..<20_000 {
      var text = (0..<Int(random.byte())).map { _ in letters[Int(random.byte()) % letters.count] }
      if text.count % 4 == 1 { text.removeLast() }
      for _ in 0..<Int(random.byte() % 3) where !text.isEmpty {
        let sign = random.byte() % 8 == 0 ? random.byte() : signs[Int(random.byte()) % signs.count]
        text[Int(random.byte()) % text.count] = sign
      }
      let all = [ATTEST_BASE64_FOUR, ATTEST_BASE64_HALF_LINE, ATTEST_BASE64_LINE].map { width in
        // A byte behind what the text holds stays as it is.
        var bytes = [UInt8](repeating: 0xA5, count: text.count * 3 / 4 + 1)
        let form = unsafe attest_base64_decode_narrowly(width, text, text.count, &bytes)
        forms.insert(form.rawValue)
        return (form, form == ATTEST_BASE64_NONE ? [bytes[bytes.count - 1]] : bytes)
      }
      #expect(all.allSatisfy { $0 == all[0] && $0.1.last == 0xA5 }, "\(text)")
    }
    #expect(forms.count == 3)
  }
}
