internal import OpenSSL

/// The positions of the parts of a whole attestation object in its token.
struct AttestationStatement {
  let format: CBORString
  /// The certificates of `x5c`, at least two.
  let certificates: [CBORString]
  /// The receipt, or nil if the attestation has none.
  let receipt: CBORString?
  let authData: CBORString

  /// Finds all parts in one CBOR map with nothing left over. Other keys are ignored.
  init(_ token: Span<UInt8>) throws(MalformedToken) {
    guard token.count <= AttestationObject.byteLimit else {
      throw MalformedToken(
        "The attestation is longer than \(AttestationObject.byteLimit) bytes.")
    }
    var parts = AttestationParts()
    do throws(CBORError) {
      try CBORReader.checkOneItem(token)
      try parts.read(token)
    } catch {
      throw MalformedToken("The attestation", error)
    }
    guard let format = parts.format else {
      throw MalformedToken("The attestation has no text fmt.")
    }
    guard parts.hasStatement else { throw MalformedToken("The attestation has no map attStmt.") }
    guard let certificates = parts.certificates, certificates.count >= 2 else {
      throw MalformedToken("The attestation has no x5c of at least two byte strings.")
    }
    guard !parts.hasReceipt || parts.receipt != nil else {
      throw MalformedToken("The attestation's receipt is not a byte string.")
    }
    guard let authData = parts.authData else {
      throw MalformedToken("The attestation has no byte string authData.")
    }
    self.format = format
    self.certificates = certificates
    receipt = parts.receipt
    self.authData = authData
  }
}

/// The parsed contents of an attestation object, without its certificates and its receipt.
struct AttestationContent: Sendable {
  /// `fmt`, unchanged.
  let format: String
  /// `authData`, unchanged.
  let authData: [UInt8]
  /// `authData`, parsed.
  let authenticatorData: AuthenticatorData
  /// The attested credential data in it.
  let credential: AttestedCredential

  init(_ statement: AttestationStatement, _ token: Span<UInt8>) throws(MalformedToken) {
    format = statement.format.withSpan(in: token) { $0.text }
    let authData = statement.authData.copy(from: token)
    self.authData = authData
    let data = try AuthenticatorData.parseAttestation(authData.span)
    guard let credential = data.credential else {
      throw MalformedToken("The authenticator data contain no attested credential data.")
    }
    authenticatorData = data
    self.credential = credential
  }
}
