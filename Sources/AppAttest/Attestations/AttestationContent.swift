internal import OpenSSL

/// The positions of the parts of a whole attestation object in its token.
struct AttestationStatement {
  private(set) var format = CBORString(range: 0..<0, isChunked: false)
  /// The certificates of `x5c`, at least two.
  private(set) var certificates: [CBORString] = []
  /// The receipt, or nil if the attestation has none.
  private(set) var receipt: CBORString?
  private(set) var authData = CBORString(range: 0..<0, isChunked: false)
  /// Whether members were found, each of its type, and a receipt of another type.
  private var (hasFormat, hasStatement, hasCertificates) = (false, false, false)
  private var (hasAuthData, hasOddReceipt) = (false, false)

  /// Finds all parts in one CBOR map with nothing left over. Other keys are ignored.
  init(_ token: Span<UInt8>) throws(MalformedToken) {
    guard token.count <= AttestationObject.byteLimit else {
      throw MalformedToken(
        "The attestation is longer than \(AttestationObject.byteLimit) bytes.")
    }
    do throws(CBORError) {
      try CBORReader.checkOneItem(token)
      try read(token)
    } catch {
      throw MalformedToken("The attestation", error)
    }
    guard hasFormat else { throw MalformedToken("The attestation has no text fmt.") }
    guard hasStatement else {
      throw MalformedToken("The attestation has no map attStmt.")
    }
    guard hasCertificates, certificates.count >= 2 else {
      throw MalformedToken("The attestation has no x5c of at least two byte strings.")
    }
    guard !hasOddReceipt else {
      throw MalformedToken("The attestation's receipt is not a byte string.")
    }
    guard hasAuthData else {
      throw MalformedToken("The attestation has no byte string authData.")
    }
  }

  /// Reads a token that is known to be one valid CBOR item.
  private mutating func read(_ token: Span<UInt8>) throws(CBORError) {
    var reader = CBORReader()
    try reader.skipTags(token)
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let key = try reader.readKey(token)
      switch reader.peekMajor(token) {
      case 3 where key?.equals("fmt", in: token) == true:
        format = try reader.readString(major: 3, token)
        hasFormat = true
      case 5 where key?.equals("attStmt", in: token) == true:
        hasStatement = true
        try readStatement(&reader, token)
      case 2 where key?.equals("authData", in: token) == true:
        authData = try reader.readString(major: 2, token)
        hasAuthData = true
      default:
        try reader.skip(token, checked: false)
      }
    }
  }

  private mutating func readStatement(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) {
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let key = try reader.readKey(token)
      switch reader.peekMajor(token) {
      case 4 where key?.equals("x5c", in: token) == true:
        try readCertificates(&reader, token)
      case 2 where key?.equals("receipt", in: token) == true:
        receipt = try reader.readString(major: 2, token)
      default:
        if key?.equals("receipt", in: token) == true { hasOddReceipt = true }
        try reader.skip(token, checked: false)
      }
    }
  }

  /// Reads an array. It is `x5c` only if all its items are byte strings.
  private mutating func readCertificates(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) {
    hasCertificates = true
    var items = try reader.enterArray(token)
    while try reader.next(&items, token) {
      if reader.peekMajor(token) == 2 {
        certificates.append(try reader.readString(major: 2, token))
      } else {
        hasCertificates = false
        try reader.skip(token, checked: false)
      }
    }
  }
}

/// The parsed contents of an attestation object, without its certificates and its receipt.
struct AttestationContent: Sendable {
  /// `fmt`, unchanged.
  let format: String
  /// `authData`, unchanged.
  let authData: [UInt8]
  let authenticatorData: AuthenticatorData
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
