import AppAttest
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Signature identity` {
  private let nonce = digest(1)
  private let r = [UInt8](repeating: 0x11, count: 32)
  private let s = [UInt8](repeating: 0x22, count: 32)

  private func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    [tag, UInt8(content.count)] + content
  }

  private func loose(_ signature: [UInt8], nonce: Digest256? = nil) -> Digest256 {
    SignatureIdentity.digest(nonce: nonce ?? self.nonce, loose: signature.span)
  }

  private var strict: [UInt8] { element(0x30, element(2, r) + element(2, s)) }

  /// n − s, by hand: the order of P-256 less 2222…22.
  private let otherS: [UInt8] = {
    let order: [UInt8] =
      [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25,
        0x51,
      ]
    var result = order
    var borrow = 0
    for index in stride(from: 31, through: 0, by: -1) {
      let difference = Int(order[index]) - 0x22 - borrow
      result[index] = UInt8(truncatingIfNeeded: difference)
      borrow = difference < 0 ? 1 : 0
    }
    return result
  }()

  @Test func `every encoding of one pair is one signature`() {
    let padded = element(2, [0, 0, 0] + r)
    let forms: [[UInt8]] = [
      element(0x30, padded + element(2, s)),
      // Lengths in more bytes than needed.
      [0x30, 0x81, 68] + element(2, r) + element(2, s),
      [0x30, 0x82, 0, 68] + element(2, r) + element(2, s),
      [0x30, 69, 2, 0x81, 32] + r + element(2, s),
      // An indefinite length.
      [0x30, 0x80] + element(2, r) + element(2, s) + [0, 0],
      // The other s.
      element(0x30, element(2, r) + element(2, [0] + otherS)),
      [0x30, 0x80] + element(2, [0] + r) + element(2, [0, 0] + otherS) + [0, 0],
    ]
    for form in forms { #expect(loose(form) == loose(strict), "\(form.prefix(6))") }
  }

  @Test func `other pairs, other orders and other nonces are other signatures`() {
    var all = [loose(strict), loose(strict, nonce: digest(2))]
    all.append(loose(element(0x30, element(2, s) + element(2, r))))
    all.append(loose(element(0x30, element(2, r) + element(2, r))))
    all.append(loose(element(0x30, element(2, Array(r.dropLast())) + element(2, s))))
    all.append(loose(element(0x30, element(2, r + [1]) + element(2, s))))
    #expect(Set(all).count == all.count)
  }

  @Test func `what holds no pair is compared by its bytes`() {
    let forms: [[UInt8]] = [
      [], [0x30], [0x30, 0], [0x30, 0x80], [0x30, 0x80, 0, 0], strict + [0],
      Array(strict.dropLast()), [0x31] + strict.dropFirst(), [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x30, 0xFF], [0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8) + element(2, r),
      element(0x30, element(2, r)), element(0x30, element(2, r) + element(2, s) + element(2, s)),
      element(0x30, element(2, []) + element(2, s)),
      // A negative number.
      element(0x30, element(2, [0x80] + r.dropFirst()) + element(2, s)),
      element(0x30, element(3, r) + element(2, s)), [UInt8](repeating: 0, count: 72),
      [0x30, 0x80] + element(2, r) + element(2, s) + [0, 1],
    ]
    #expect(Set(forms.map { loose($0) }).count == forms.count)
    for form in forms {
      #expect(loose(form) == Digest256.sha256(Array(nonce.bytes + form).span))
    }
  }

  @Test func `numbers that are no scalars of the curve stay apart`() {
    let zero = [UInt8](repeating: 0, count: 32)
    let large = [0] + [UInt8](repeating: 0xFF, count: 32)
    let pairs: [([UInt8], [UInt8])] = [
      (zero, s), (r, zero), (zero, zero), (large, s), (r, large), (large, large), (r, s),
    ]
    let all = pairs.map { loose(element(0x30, element(2, $0.0) + element(2, $0.1))) }
    #expect(Set(all).count == all.count)
    // Padding hides none of them either.
    #expect(
      loose(element(0x30, element(2, zero) + element(2, s)))
        == loose(element(0x30, element(2, [0]) + element(2, [0] + s))))
  }

  @Test func `mutated signatures harm nothing`() {
    var random = Generator(21)
    for _ in 0..<20_000 {
      var form = strict
      for _ in 0...random.below(4) {
        form[random.below(8) == 0 ? random.below(form.count) : random.below(4) % form.count] =
          random.bytes(1)[0]
        if random.below(4) == 0 { form.removeLast(random.below(form.count)) }
        if form.isEmpty { form = [0x30] }
      }
      _ = loose(form)
    }
  }
}
