import AppAttest
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Signature identity` {
  private static let nonce = digest(1)

  /// Two numbers and their signature in DER, the order of P-256 less the second one, and two numbers that are no scalars.
  private static let names: [Substring: [UInt8]] = {
    var names: [Substring: [UInt8]] = [
      "r": [UInt8](repeating: 0x11, count: 32), "s": [UInt8](repeating: 0x22, count: 32),
      "zero": [UInt8](repeating: 0, count: 32), "large": [0] + [UInt8](repeating: 0xFF, count: 32),
    ]
    names["otherS"] = [UInt8](
      written: "#DDDDDDDCDDDDDDDEDDDDDDDDDDDDDDDD9AC4D88B84F57C62D197A8A0DA41032F")
    names["strict"] = [UInt8](written: "der(#30, der(#02, r) + der(#02, s))", names)
    return names
  }()

  private static func bytes(_ text: String) -> [UInt8] { [UInt8](written: text, names) }

  private static func loose(_ signature: [UInt8], nonce: Digest256 = Self.nonce) -> Digest256 {
    SignatureIdentity.digest(nonce: nonce, loose: signature.span)
  }

  // detection.R33.
  @Test func `two signatures are the same if r and s up to its sign are, or else their bytes`() {
    let strict = Self.bytes("strict")
    var apart = [Self.loose(strict), Self.loose(strict, nonce: digest(2))]
    for one in TextCase.read("signature-forms") {
      let form = Self.bytes(one.text)
      let identity = Self.loose(form)
      if one.message.hasPrefix("as ") {
        let other = Self.bytes(String(one.message.dropFirst(3)))
        #expect(identity == Self.loose(other), "\(one.text)")
      } else {
        apart.append(identity)
      }
      if one.message == "bytes" {
        let digest = Digest256.sha256(Array(Self.nonce.bytes + form).span)
        #expect(identity == digest, "\(one.text)")
      }
    }
    #expect(Set(apart).count == apart.count)
  }

  @Test func `mutated signatures harm nothing`() {
    var random = Generator(21)
    for _ in 0..<20_000 {
      var form = Self.bytes("strict")
      for _ in 0...random.below(4) {
        form[random.below(8) == 0 ? random.below(form.count) : random.below(4) % form.count] =
          random.bytes(1)[0]
        if random.below(4) == 0 { form.removeLast(random.below(form.count)) }
        if form.isEmpty { form = [0x30] }
      }
      _ = Self.loose(form)
    }
  }
}
