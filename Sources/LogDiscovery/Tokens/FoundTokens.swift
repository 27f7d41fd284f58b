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
  let rpIDHash: Digest256
  let environment: AttestEnvironment?
  /// The App ID, in clear in the leaf.
  let appID: String?
  let hasCategory: Bool

  init(_ object: AttestationObject) {
    publicKey = object.leafPublicKey
    keyID = object.leafPublicKey.map { .sha256($0.span) }
    nonce = object.leafNonce
    authData = object.authData
    receipt = object.receipt
    rpIDHash = object.authenticatorData.rpIDHash
    environment = object.credential.environment
    appID = object.leafAppID
    hasCategory = object.authenticatorData.extensions.category.value != nil
  }
}

/// An assertion in a line.
struct FoundAssertion {
  let token: [UInt8]
  let assertion: Assertion
}

/// A token in a line, and its place.
struct FoundToken {
  enum Object {
    case attestation(FoundAttestation)
    case assertion(FoundAssertion)
  }

  /// The index of the line in the sample.
  let line: Int
  let pointer: Int
  /// The forms in which tokens are written, with their names.
  enum Form: String {
    case base64, hex
    case markedHex = "hex after a mark such as \\x"
    case array = "arrays of bytes"
  }

  let form: Form
  let object: Object

  /// Returns the same token for the line at another index, in another sample.
  func moved(to line: Int) -> FoundToken {
    FoundToken(line: line, pointer: pointer, form: form, object: object)
  }

  /// Whether it carries the category of the app.
  var hasCategory: Bool {
    switch object {
    case .attestation(let attestation): attestation.hasCategory
    case .assertion(let found): found.assertion.extensions.category.value != nil
    }
  }

  var attestation: FoundAttestation? {
    if case .attestation(let attestation) = object { attestation } else { nil }
  }

  var assertion: FoundAssertion? {
    if case .assertion(let assertion) = object { assertion } else { nil }
  }
}

/// All tokens of a sample, found by decoding every text.
struct FoundTokens {
  /// The tokens that parse, in the order of the log.
  private(set) var tokens: [FoundToken] = []
  /// The number of texts that begin one of the two maps but are not whole, by pointer.
  private(set) var malformed: [Int: Int] = [:]

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
    let object: FoundToken.Object
    if let parsed = try? AttestationObject.parse(bytes.span) {
      object = .attestation(FoundAttestation(parsed))
    } else if let parsed = try? Assertion.parse(bytes.span) {
      object = .assertion(FoundAssertion(token: bytes, assertion: parsed))
    } else {
      malformed[value.pointer, default: 0] += 1
      return
    }
    tokens.append(
      FoundToken(line: line, pointer: value.pointer, form: form, object: object))
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
