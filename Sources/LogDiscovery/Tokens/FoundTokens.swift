import AppAttest
import AuditLog

/// A token in a line, and its place.
struct FoundToken {
  /// The forms in which tokens are written, with their names.
  enum Form: String {
    case base64, hex
    case markedHex = "hex after a mark such as \\x"
    case array = "arrays of bytes"
    case odd = "base64 that only lenient decoders read"
  }

  /// The index of the line in the sample.
  var line: Int
  let pointer: Int
  let form: Form
  /// The attestation object, or nil for an assertion.
  private(set) var attestation: AttestationObject?
  /// The attested public key, as X9.62 uncompressed point, and its SHA-256, or nil.
  private(set) var publicKey: [UInt8]?
  private(set) var keyID: Digest256?
  /// The assertion, with its bytes, or nil for an attestation object.
  private(set) var assertion: (token: [UInt8], assertion: Assertion)?
  let rpIDHash: Digest256
  let hasCategory: Bool

  var counter: UInt32 { assertion?.assertion.counter ?? 0 }
  var role: Role { attestation == nil ? .assertion : .attestation }

  /// Parses a token, or returns nil if it is malformed.
  fileprivate init?(_ bytes: [UInt8], _ form: Form, line: Int, pointer: Int) {
    self.line = line
    self.pointer = pointer
    self.form = form
    if let object = try? AttestationObject.parse(bytes.span) {
      attestation = object
      publicKey = object.leafPublicKey
      keyID = publicKey.map { .sha256($0.span) }
      rpIDHash = object.authenticatorData.rpIDHash
      hasCategory = object.authenticatorData.extensions.category.value != nil
    } else if let parsed = try? Assertion.parse(bytes.span) {
      assertion = (bytes, parsed)
      rpIDHash = parsed.rpIDHash
      hasCategory = parsed.extensions.category.value != nil
    } else {
      return nil
    }
  }
}

/// All tokens of a sample, found by decoding every text.
struct FoundTokens {
  /// The tokens that parse, in the order of the log.
  private(set) var tokens: [FoundToken] = []
  /// The number of texts that begin one of the two maps but are not whole.
  private(set) var malformed = 0

  /// The lengths of texts that are decoded: of an assertion, and of 64 KiB as an array of numbers.
  static let lengths = 60...(5 * AttestationObject.byteLimit)

  init(_ sample: LogSample) {
    for (index, line) in sample.lines.enumerated() {
      for value in line.values {
        guard let (bytes, form) = Self.decode(value, in: line),
          AppAttestSniffer.isAppAttestObject(bytes.span)
        else { continue }
        if let token = FoundToken(bytes, form, line: index, pointer: value.pointer) {
          tokens.append(token)
        } else {
          malformed += 1
        }
      }
    }
  }

  /// Returns tokens without those where the other kind has more, unless most of their own kind are there.
  static func ofOwnPlaces(_ tokens: [FoundToken]) -> [FoundToken] {
    let counts = Dictionary(grouping: tokens, by: \.role).mapValues { tokens in
      Dictionary(grouping: tokens, by: \.pointer).mapValues(\.count)
    }
    return tokens.filter { token in
      let own = counts[token.role] ?? [:]
      let most = counts.values.map { $0[token.pointer, default: 0] }.max() ?? 0
      return own.most?.pointer == token.pointer || own[token.pointer, default: 0] == most
    }
  }

  /// Returns the bytes of a value that may hold a CBOR map, whose first byte is A0 to BF.
  private static func decode(
    _ value: SampleValue, in line: SampleLine
  ) -> ([UInt8], FoundToken.Form)? {
    let text = value.kind == .string ? value.text : value.raw
    guard lengths.contains(text.count), let first = text.first else { return nil }
    let plain: ([UInt8], FoundToken.Form)? =
      if (UInt8(ascii: "o")...UInt8(ascii: "v")).contains(first) {
        ValueDecoder.base64(text).map { ($0, .base64) }
      } else if "abAB".utf8.contains(first) {
        ValueDecoder.hex(text).map { ($0, .hex) }
      } else {
        nil
      }
    if let plain { return plain }
    guard value.kind != .string || line.holdsToken else { return nil }
    let isMarked = unsafe text.withUnsafeBufferPointer { unsafe HexDigits.prefix($0) > 0 }
    return ValueDecoder.bytes(value, .token).map {
      ($0, value.kind != .string ? .array : isMarked ? .markedHex : .odd)
    }
  }
}
