/// Tokens that are no attestation and no assertion, though they look like one.
enum MalformedTokens {
  /// Returns a malformed attestation made of `parts`. There are 16 variants.
  static func attestation(_ parts: AttestationParts, variant: Int, junk: [UInt8]) -> [UInt8] {
    var parts = parts
    let token = parts.token
    switch variant {
    case 0: return token + [0]
    case 1: return Array(token.dropLast(10))
    case 2: return extended(parts, "fmt", CBORWriter.text("apple-appattest"))
    case 3: return extended(parts, "note", [0x62, 0xC3, 0x28])  // No UTF-8.
    case 4: return extended(parts, "note", nested(16))
    case 5:
      parts.x5c.removeLast()
      return parts.token
    case 6:
      // A receipt that is no byte string. One that is absent is only `attestation.receipt_invalid`.
      return withStatement(
        parts, [x5c(parts), (CBORWriter.text("receipt"), CBORWriter.text("MIAGCSqGSIb3"))])
    case 7:
      parts.x5c[1] = junk
      return parts.token
    case 8:
      // The credential's length runs beyond the end.
      parts.authData[53] = 0x7F
      return parts.token
    case 9:
      parts.authData += [0xA0, 0xA0]
      return parts.token
    case 10:
      parts.authData = Array(parts.authData.prefix(37))
      return parts.token
    case 11: return extended(parts, "note", CBORWriter.bytes([UInt8](repeating: 0, count: 65_536)))
    case 12:
      return CBORWriter.map([
        (CBORWriter.text("fmt"), CBORWriter.bytes(Array("apple-appattest".utf8))),
        (CBORWriter.text("attStmt"), parts.statement),
        (CBORWriter.text("authData"), CBORWriter.bytes(parts.authData)),
      ])
    case 13: return Array(parts.respelledToken.dropLast())  // An open map that never ends.
    case 14:
      // A duplicate key deep inside: in the map behind the COSE key.
      parts.authData += CBORWriter.map([
        (CBORWriter.text("a"), CBORWriter.integer(1)),
        (CBORWriter.text("a"), CBORWriter.integer(1)),
      ])
      return parts.token
    default: return extended(parts, "note", [0x5B] + [UInt8](repeating: 0x7F, count: 8))
    }
  }

  /// Returns a malformed assertion made of `assertion`. There are 14 variants.
  static func assertion(_ assertion: Assertion, variant: Int, junk: [UInt8]) -> [UInt8] {
    var assertion = assertion
    let plain = Array(assertion.authenticatorData.prefix(37))
    switch variant {
    case 0: return assertion.token + [0]
    case 1: return Array(assertion.token.dropLast(3))
    case 2:
      return CBORWriter.map([
        (Assertion.authenticatorDataKey, CBORWriter.bytes(assertion.authenticatorData))
      ])
    case 3: assertion.authenticatorData = Array(plain.dropLast())
    case 4: assertion.authenticatorData = plain + [0xFF]
    case 5: assertion.authenticatorData = plain + [0xA0, 0xA0]
    case 6: return extended(assertion, "signature", CBORWriter.bytes(assertion.signature))
    case 7:
      return CBORWriter.map([
        (Assertion.signatureKey, CBORWriter.text("MEUCIQ")),
        (Assertion.authenticatorDataKey, CBORWriter.bytes(assertion.authenticatorData)),
      ])
    case 8: return extended(assertion, "note", nested(16))
    case 9:
      return extended(assertion, "note", CBORWriter.bytes([UInt8](repeating: 0, count: 4_096)))
    case 10: return [0xBF] + junk.map { $0 | 0xE0 }
    case 11:
      return CBORWriter.array([
        CBORWriter.bytes(assertion.signature), CBORWriter.bytes(assertion.authenticatorData),
      ])
    case 12: assertion.authenticatorData = plain + [0x01]
    default:
      assertion.authenticatorData =
        plain
        + CBORWriter.map([
          (CBORWriter.text("a"), CBORWriter.integer(1)),
          (CBORWriter.text("a"), CBORWriter.integer(2)),
        ])
    }
    return assertion.token
  }

  /// Returns `depth` arrays within each other.
  private static func nested(_ depth: Int) -> [UInt8] {
    [UInt8](repeating: 0x81, count: depth - 1) + [0x80]
  }

  private static func extended(_ parts: AttestationParts, _ key: String, _ value: [UInt8])
    -> [UInt8]
  {
    CBORWriter.map([
      (CBORWriter.text("fmt"), CBORWriter.text(parts.format)),
      (CBORWriter.text("attStmt"), parts.statement),
      (CBORWriter.text("authData"), CBORWriter.bytes(parts.authData)),
      (CBORWriter.text(key), value),
    ])
  }

  private static func extended(_ assertion: Assertion, _ key: String, _ value: [UInt8])
    -> [UInt8]
  {
    CBORWriter.map([
      (Assertion.signatureKey, CBORWriter.bytes(assertion.signature)),
      (Assertion.authenticatorDataKey, CBORWriter.bytes(assertion.authenticatorData)),
      (CBORWriter.text(key), value),
    ])
  }

  private static func x5c(_ parts: AttestationParts) -> (key: [UInt8], value: [UInt8]) {
    (CBORWriter.text("x5c"), CBORWriter.array(parts.x5c.map { CBORWriter.bytes($0) }))
  }

  private static func withStatement(
    _ parts: AttestationParts, _ statement: [(key: [UInt8], value: [UInt8])]
  ) -> [UInt8] {
    CBORWriter.map([
      (CBORWriter.text("fmt"), CBORWriter.text(parts.format)),
      (CBORWriter.text("attStmt"), CBORWriter.map(statement)),
      (CBORWriter.text("authData"), CBORWriter.bytes(parts.authData)),
    ])
  }
}
