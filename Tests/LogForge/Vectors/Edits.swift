import Foundation
internal import Minting

/// A value whose parts edits change by their names.
protocol Editable {
  /// Returns the bytes of a part, or nil if no part has the name.
  func bytes(_ name: Substring) -> [UInt8]?
  mutating func set(_ name: Substring, to value: EditValue)
}

/// Changes of a token as text, as the tables in `Data` write them: `NAME = VALUE; NAME = VALUE`.
struct Edits: Sendable {
  private let steps: [(name: Substring, value: Substring)]

  var isEmpty: Bool { steps.isEmpty }

  init(_ text: some StringProtocol) {
    steps = String(text).components(separatedBy: "; ").filter { !$0.isEmpty }.map { step in
      guard let sign = step.firstRange(of: " = ") else {
        preconditionFailure("an edit has a name and a value: \(step)")
      }
      return (step[..<sign.lowerBound], step[sign.upperBound...])
    }
  }

  /// Changes a value. `names` are bytes that it has no names for.
  func apply(to target: inout some Editable, names: [Substring: [UInt8]] = [:]) {
    for step in steps {
      let before = target
      target.set(
        step.name, to: EditValue(text: step.value) { names[$0] ?? before.bytes($0) })
    }
  }
}

/// The right side of an edit: `nil`, a number, a word, or bytes.
///
/// Bytes are `#A0FF`, `"text"`, the name of a part, a call of a function, or a sum of these.
package struct EditValue {
  let text: Substring
  let name: (Substring) -> [UInt8]?

  package init(text: Substring, name: @escaping (Substring) -> [UInt8]?) {
    self.text = text
    self.name = name
  }

  var bytes: [UInt8]? {
    var reader = EditReader(rest: text, name: name)
    return text == "nil" ? nil : reader.sum()
  }

  /// The bytes of a part that is not absent.
  package var some: [UInt8] { bytes ?? [] }

  var string: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  var number: Int {
    guard let number = Int(text) else { preconditionFailure("no number: \(text)") }
    return number
  }

  /// A key and a value of CBOR, with a colon between them.
  var pair: BuildClaims.Pair {
    var reader = EditReader(rest: text, name: name)
    let key = reader.sum()
    _ = reader.skip(":")
    return (key, reader.sum())
  }
}

/// A reader of the bytes of an edit.
struct EditReader {
  var rest: Substring
  let name: (Substring) -> [UInt8]?

  mutating func skip(_ mark: Character) -> Bool {
    rest = rest.drop { $0 == " " }
    guard rest.first == mark else { return false }
    rest.removeFirst()
    return true
  }

  mutating func sum() -> [UInt8] {
    var bytes = term()
    while skip("+") { bytes += term() }
    return bytes
  }

  private mutating func word(_ isPart: (Character) -> Bool) -> Substring {
    let word = rest.prefix(while: isPart)
    rest = rest[word.endIndex...]
    return word
  }

  private mutating func term() -> [UInt8] {
    if skip("#") {
      let digits = word(\.isHexDigit).compactMap(\.hexDigitValue)
      return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
      }
    }
    if skip("\"") {
      let text = word { $0 != "\"" }
      rest.removeFirst()
      let json = try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))
      return Array((json ?? "").utf8)
    }
    let word = word { $0.isLetter || $0.isNumber || $0 == "." }
    // A number is eight bytes.
    if let number = Int(word) { return CBORWriter.bigEndian(UInt64(number), 8) }
    guard skip("(") else {
      guard let bytes = name(word) else { preconditionFailure("no such bytes: \(word)") }
      return bytes
    }
    var arguments: [[UInt8]] = []
    while !skip(")") {
      arguments.append(sum())
      _ = skip(",")
    }
    guard let function = Self.functions[word] else { preconditionFailure("no such call: \(word)") }
    return function(arguments)
  }

  private static func number(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  private static func pairs(_ items: [[UInt8]]) -> [BuildClaims.Pair] {
    stride(from: 0, to: items.count, by: 2).map { (items[$0], items[$0 + 1]) }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static let functions: [Substring: @Sendable ([[UInt8]]) -> [UInt8]] = [
    "sha256": { MintingDigest.sha256($0[0]) },
    "base64": { TextCode.base64.encode($0[0]) },
    "hex": { TextCode.hex.encode($0[0]) },
    // Other texts in logs: with colons between pairs of digits, with percent signs, a character too long, as numbers.
    "colons": { Array($0[0].map { TextCode.hex.encode([$0]) }.joined(separator: [0x3A])) },
    "percent": { arguments in
      var random = ForgeRandom(0)
      return OddBase64.percentSigns.encode(arguments[0], &random)
    },
    "overlong": { arguments in
      var text = TextCode.base64Unpadded.encode(arguments[0])
      repeat { text.append(0x41) } while text.count % 4 != 1
      return text
    },
    "numbers": { Array("\($0[0])".replacing(" ", with: "").utf8) },
    "spacedNumbers": { Array("\($0[0])".utf8) },
    "replaced": { $0[0].replacing($0[1], with: $0[2]) },
    // CBOR in the shortest form, with lengths of eight bytes, and in pieces of a size.
    "text": { CBORWriter.text(text($0[0])) }, "bytes": { CBORWriter.bytes($0[0]) },
    "array": { CBORWriter.array($0) }, "map": { CBORWriter.map(pairs($0)) },
    "text8": { CBORWriter.text(text($0[0]), .longest) },
    "bytes8": { CBORWriter.bytes($0[0], .longest) },
    "map8": { CBORWriter.map(pairs($0), .longest) },
    "textIn": { CBORWriter.chunkedText(text($0[1]), chunk: number($0[0])) },
    "bytesIn": { CBORWriter.chunkedBytes($0[1], chunk: number($0[0])) },
    "openMap": { CBORWriter.openMap(pairs($0)) },
    "cose": { AttestationMint.coseKey($0[0], algorithm: -1 - number($0[1])) },
    // DER.
    "der": { DERWriter.value($0[0][0], $0[1]) }, "octets": { DERWriter.octets($0[0]) },
    "integer": { DERWriter.integer($0[0]) }, "sequence": { DERWriter.sequence($0) },
    "signature": { DERWriter.signature(r: $0[0], s: $0[1]) },
    "openDER": { DERWriter.open($0[0][0], Array($0.dropFirst())) },
    "publicKeyInfo": { CertificateMint.publicKeyInfo($0[0], .p256) },
    "subject": { LeafMint.subject(keyID: $0[0]) },
    // Parts and changes.
    "first": { Array($0[0].prefix(number($0[1]))) },
    "from": { Array($0[0].dropFirst(number($0[1]))) },
    "cut": { $0[0].dropLast(number($0[1])) },
    "fill": { [UInt8](repeating: $0[0][0], count: number($0[1])) },
    "upTo": { [UInt8](repeating: 0, count: number($0[1]) - $0[0].count) },
    "or": { arguments in arguments[0].map { $0 | arguments[1][0] } },
    "and": { arguments in arguments[0].map { $0 & arguments[1][0] } },
    "minus": { [$0[0][0] - 1] },
    // Bytes at a place are others: the arguments are all bytes, the place, and bits to be changed.
    "flip": {
      var bytes = $0[0]
      bytes[number($0[1])] ^= $0[2][0]
      return bytes
    },
    "flipLast": { $0[0].dropLast() + [$0[0][$0[0].count - 1] ^ $0[1][0]] },
    "put": { $0[0].prefix(number($0[1])) + $0[2] + $0[0].dropFirst(number($0[1]) + $0[2].count) },
    "swap": { arguments in
      arguments[0].map { $0 == arguments[1][0] ? arguments[2][0] : $0 }
    },
  ]
}

extension AttestationParts: Editable {
  func bytes(_ name: Substring) -> [UInt8]? {
    switch name {
    case "format": Array(format.utf8)
    case "x5c": CBORWriter.array(x5c.map { CBORWriter.bytes($0) })
    case "x5c0": x5c[0]
    case "x5c1": x5c[1]
    case "receipt": receipt
    case "authData": authData
    case "statement": statement
    case "token": token
    case "respelled": respelledToken
    case "items":
      CBORWriter.text("fmt") + CBORWriter.text(format) + CBORWriter.text("attStmt") + statement
        + CBORWriter.text("authData") + CBORWriter.bytes(authData)
    default: nil
    }
  }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    case "x5c0": x5c[0] = value.some
    case "x5c1": x5c.replaceSubrange(1...1, with: value.bytes.map { [$0] } ?? [])
    case "receipt": hasReceipt = value.bytes != nil
    case "authData": authData = value.some
    case "token": rawToken = value.bytes
    default: preconditionFailure("an attestation has no \(name)")
    }
  }
}

extension Assertion: Editable {
  func bytes(_ name: Substring) -> [UInt8]? {
    switch name {
    case "r": r
    case "s": s
    case "signature": signature
    case "data": authenticatorData
    case "token": token
    case "items":
      Self.signatureKey + CBORWriter.bytes(signature) + Self.authenticatorDataKey
        + CBORWriter.bytes(authenticatorData)
    default: nil
    }
  }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    case "r": r = value.some
    case "s": s = value.some
    case "signature": rawSignature = value.bytes
    case "data": authenticatorData = value.some
    case "token": rawToken = value.bytes
    default: preconditionFailure("an assertion has no \(name)")
    }
  }
}

/// Tokens that are no attestation and no assertion, though they look like one.
enum MalformedTokens {
  static let attestations = edits("attestation")
  static let assertions = edits("assertion")

  private static func edits(_ kind: String) -> [Edits] {
    String(decoding: PackageResources.malformed_txt, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix(kind) }.map { Edits($0.dropFirst(kind.count + 1)) }
  }

  static func attestation(_ parts: AttestationParts, variant: Int, junk: [UInt8]) -> [UInt8] {
    var parts = parts
    attestations[variant].apply(to: &parts, names: ["noise": junk])
    return parts.token
  }

  static func assertion(_ assertion: Assertion, variant: Int, junk: [UInt8]) -> [UInt8] {
    var assertion = assertion
    assertions[variant].apply(to: &assertion, names: ["noise": junk])
    return assertion.token
  }
}
