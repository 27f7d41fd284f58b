import AppAttest
import AuditLog
import OpenSSL

/// An attestation object in a line.
struct FoundAttestation {
  /// The SHA-256 of the leaf's public key, or nil if that is not on P-256.
  let keyID: Digest256?
  /// The leaf's public key as an X9.62 uncompressed point.
  let publicKey: [UInt8]?
  /// The nonce that the leaf states.
  let nonce: Digest256?
  let authData: [UInt8]
  let receipt: [UInt8]
  /// The App ID, in clear in the leaf.
  let appID: String?

  init(_ object: AttestationObject) {
    publicKey = object.leafPublicKey
    keyID = object.leafPublicKey.map { .sha256($0.span) }
    nonce = object.leafNonce
    authData = object.authData
    receipt = object.receipt
    appID = object.leafAppID
  }
}

/// An assertion in a line.
struct FoundAssertion {
  let token: [UInt8]
  let assertion: Assertion
}

/// A token in a line, and its place.
struct FoundToken {
  /// The forms in which tokens are written, with their names.
  enum Form: String {
    case base64, hex
    case markedHex = "hex after a mark such as \\x"
    case array = "arrays of bytes"
  }

  /// The index of the line in the sample.
  var line: Int
  let pointer: Int
  let form: Form
  /// SHA-256 of the App ID.
  let rpIDHash: Digest256
  /// Whether it carries the category of the app.
  let hasCategory: Bool
  /// The attestation object, or nil for an assertion.
  var attestation: FoundAttestation?
  /// The assertion, or nil for an attestation object.
  var assertion: FoundAssertion?

  /// The role of its line.
  var role: Role { attestation == nil ? .assertion : .attestation }

  /// Returns the same token for the line at another index, in another sample.
  func moved(to line: Int) -> FoundToken {
    var token = self
    token.line = line
    return token
  }

  /// Whether it is an attestation object.
  var isAttestation: Bool { attestation != nil }
}

/// All tokens of a sample, found by decoding every text.
struct FoundTokens {
  /// The tokens that parse, in the order of the log.
  private(set) var tokens: [FoundToken] = []
  /// The number of texts that begin one of the two maps but are not whole.
  private(set) var malformed = 0

  /// The length of the shortest text that can hold an assertion.
  private static let shortestText = 60
  /// The length of the longest text, which is an attestation of 64 KiB as an array of numbers.
  private static let longestText = 5 * AttestationObject.byteLimit

  init(_ sample: LogSample) {
    for (index, line) in sample.lines.enumerated() {
      for value in line.values { find(value, line: index) }
    }
  }

  private mutating func find(_ value: SampleValue, line: Int) {
    let text = value.kind == .string ? value.text : value.raw
    guard (Self.shortestText...Self.longestText).contains(text.count),
      let (bytes, form) = Self.decode(text)
        ?? ValueDecoder.marked(value).map({ ($0, value.kind == .string ? .markedHex : .array) }),
      AppAttestSniffer.isAppAttestObject(bytes.span)
    else { return }
    if let parsed = try? AttestationObject.parse(bytes.span) {
      let data = parsed.authenticatorData
      tokens.append(
        FoundToken(
          line: line, pointer: value.pointer, form: form, rpIDHash: data.rpIDHash,
          hasCategory: data.extensions.category.value != nil,
          attestation: FoundAttestation(parsed)))
    } else if let parsed = try? Assertion.parse(bytes.span) {
      tokens.append(
        FoundToken(
          line: line, pointer: value.pointer, form: form, rpIDHash: parsed.rpIDHash,
          hasCategory: parsed.extensions.category.value != nil,
          assertion: FoundAssertion(token: bytes, assertion: parsed)))
    } else {
      malformed += 1
    }
  }

  /// Returns the bytes of a text that may hold a CBOR map, whose first byte is A0 to BF. Its base64
  /// begins with a letter from o to v.
  private static func decode(_ text: ArraySlice<UInt8>) -> ([UInt8], FoundToken.Form)? {
    switch text.first {
    case .some(UInt8(ascii: "o")...UInt8(ascii: "v")):
      ValueDecoder.base64(text).map { ($0, .base64) }
    case UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "A"), UInt8(ascii: "B"):
      ValueDecoder.hex(text).map { ($0, .hex) }
    default: nil
    }
  }
}
