internal import OpenSSL

/// An attestation object as a device sends it, parsed and not yet judged.
public struct AttestationObject: Sendable {
  /// The longest token that is taken, in bytes.
  public static let byteLimit = 65_536

  /// `fmt`, as it is.
  public let format: String
  /// The certificates of `x5c`, the leaf first; at least two.
  let certificates: [Certificate]
  /// The receipt's bytes, not yet parsed.
  public let receipt: [UInt8]
  /// `authData`, as it is.
  public let authData: [UInt8]
  /// `authData`, parsed.
  public let authenticatorData: AuthenticatorData
  /// The attested credential data in it.
  public let credential: AttestedCredential

  /// Parses one CBOR map with `fmt`, `attStmt` and `authData`, and nothing left over; other keys
  /// are ignored.
  public static func parse(_ token: Span<UInt8>) throws(MalformedToken) -> AttestationObject {
    guard token.count <= byteLimit else {
      throw MalformedToken("The attestation is longer than \(byteLimit) bytes.")
    }
    var parts = AttestationParts()
    do throws(CBORError) {
      try CBORReader.checkOneItem(token)
      try parts.read(token)
    } catch {
      throw MalformedToken("The attestation", error)
    }
    return try AttestationObject(parts, token)
  }

  private init(_ parts: AttestationParts, _ token: Span<UInt8>) throws(MalformedToken) {
    guard let format = parts.format else {
      throw MalformedToken("The attestation has no text fmt.")
    }
    guard parts.hasStatement else { throw MalformedToken("The attestation has no map attStmt.") }
    guard let encoded = parts.certificates, encoded.count >= 2 else {
      throw MalformedToken("The attestation has no x5c of at least two byte strings.")
    }
    guard let receipt = parts.receipt else {
      throw MalformedToken("The attestation has no byte string receipt.")
    }
    guard let authData = parts.authData else {
      throw MalformedToken("The attestation has no byte string authData.")
    }
    var certificates: [Certificate] = []
    for (index, string) in encoded.enumerated() {
      do throws(OpenSSLError) {
        certificates.append(try Certificate(der: string.copy(from: token)))
      } catch {
        throw MalformedToken("Certificate \(index + 1) of x5c is \(error.context).")
      }
    }
    self.format = format.withSpan(in: token) { $0.text }
    self.certificates = certificates
    self.receipt = receipt.copy(from: token)
    let authDataBytes = authData.copy(from: token)
    self.authData = authDataBytes
    let data = try AuthenticatorData.parseAttestation(authDataBytes.span)
    guard let credential = data.credential else {
      throw MalformedToken("The authenticator data holds no attested credential data.")
    }
    authenticatorData = data
    self.credential = credential
  }
}

/// Where the parts of an attestation object lie in its token.
struct AttestationParts {
  private(set) var format: CBORString?
  private(set) var hasStatement = false
  /// Nil where `x5c` is no array of byte strings.
  private(set) var certificates: [CBORString]?
  private(set) var receipt: CBORString?
  private(set) var authData: CBORString?

  /// Reads a token that is known to be one valid CBOR item.
  mutating func read(_ token: Span<UInt8>) throws(CBORError) {
    var reader = CBORReader()
    try reader.passSelfDescription(token)
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let key = try Self.readKey(&reader, token)
      switch reader.peekMajor(token) {
      case 3 where key?.equals("fmt", in: token) == true:
        format = try reader.readString(major: 3, token)
      case 5 where key?.equals("attStmt", in: token) == true:
        try readStatement(&reader, token)
      case 2 where key?.equals("authData", in: token) == true:
        authData = try reader.readString(major: 2, token)
      default:
        try reader.skip(token, checked: false)
      }
    }
  }

  private mutating func readStatement(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) {
    hasStatement = true
    var entries = try reader.enterMap(token)
    while try reader.next(&entries, token) {
      let key = try Self.readKey(&reader, token)
      switch reader.peekMajor(token) {
      case 4 where key?.equals("x5c", in: token) == true:
        certificates = try Self.readByteStrings(&reader, token)
      case 2 where key?.equals("receipt", in: token) == true:
        receipt = try reader.readString(major: 2, token)
      default:
        try reader.skip(token, checked: false)
      }
    }
  }

  /// Passes over a key; nil where it is no text.
  private static func readKey(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) -> CBORString? {
    guard reader.peekMajor(token) == 3 else {
      try reader.skip(token, checked: false)
      return nil
    }
    return try reader.readString(major: 3, token)
  }

  /// Passes over an array; nil where an item of it is no byte string.
  private static func readByteStrings(
    _ reader: inout CBORReader, _ token: Span<UInt8>
  ) throws(CBORError) -> [CBORString]? {
    var strings: [CBORString] = []
    var isComplete = true
    var items = try reader.enterArray(token)
    while try reader.next(&items, token) {
      if reader.peekMajor(token) == 2 {
        strings.append(try reader.readString(major: 2, token))
      } else {
        isComplete = false
        try reader.skip(token, checked: false)
      }
    }
    return isComplete ? strings : nil
  }
}
