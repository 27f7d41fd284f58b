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

  @Test func `base64 of every length is decoded as bit by bit`() {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ ".utf8)
    var random = Generator(23)
    for length in (0..<200) where length % 4 != 1 {
      for _ in 0..<5 {
        var text = (0..<length).map { _ in alphabet[random.below(alphabet.count)] }
        #expect(decode(text) == PlainBase64.decode(text))
        // One alphabet, and no bits behind the last byte.
        text = text.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") ? 0x41 : $0 }
        if length % 4 != 0 { text[length - 1] = 0x41 }
        #expect(decode(text) == PlainBase64.decode(text))
        #expect(decode(text) != nil)
      }
    }
  }

  @Test func `every byte in every place of a vector is taken or refused`() {
    let text = [UInt8](repeating: UInt8(ascii: "Q"), count: 96)
    for place in 0..<text.count {
      for byte in UInt8.min...255 where byte != UInt8(ascii: "=") || place < 90 {
        var changed = text
        changed[place] = byte
        if decode(changed) != PlainBase64.decode(changed) {
          Issue.record("\(byte) at \(place)")
        }
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
