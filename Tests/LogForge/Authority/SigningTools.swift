package import Minting

/// The two signers that one thread mints with.
package struct SigningTools: ~Copyable {
  package let p256: MintingSigner
  package let p384: MintingSigner

  package init() {
    let p256 = MintingSigner(.p256)
    let p384 = MintingSigner(.p384)
    self.p256 = p256
    self.p384 = p384
  }

  /// Returns the signature of `digest` under `secret` of `curve`.
  func sign(
    _ digest: [UInt8], secret: [UInt8], curve: MintingCurve, salt: UInt8 = 0
  ) -> MintedSignature {
    switch curve {
    case .p256: p256.sign(digest, secret: secret, salt: salt)
    case .p384: p384.sign(digest, secret: secret, salt: salt)
    }
  }

  /// Returns the public point of `secret` on `curve`.
  func publicPoint(of secret: [UInt8], curve: MintingCurve) -> [UInt8] {
    switch curve {
    case .p256: p256.publicPoint(of: secret)
    case .p384: p384.publicPoint(of: secret)
    }
  }
}

/// A key pair that is derived from a seed.
package struct MintedKey: Sendable, Equatable {
  package var curve: MintingCurve
  /// The secret in big-endian order, not reduced.
  package var secret: [UInt8]
  /// The X9.62 uncompressed point.
  package var point: [UInt8]

  /// Makes the key from the next bytes of `random`.
  init(
    _ curve: MintingCurve, _ random: inout ForgeRandom, _ tools: borrowing SigningTools
  ) {
    self.curve = curve
    // Below the order of either curve, and never zero: the first byte is 1 to 127.
    secret = random.bytes(curve.byteCount)
    secret[0] = secret[0] & 0x7F | 1
    point = tools.publicPoint(of: secret, curve: curve)
  }
}
