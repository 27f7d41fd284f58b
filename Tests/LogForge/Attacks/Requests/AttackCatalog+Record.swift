import FindingCodes
internal import Minting

extension AttackCatalog {
  static let recordAttacks: [Attack] = [
    Attack(code: .recordMalformedJSON, variants: 10, play: malformedJSON),
    Attack(
      code: .recordMissingField, variants: 9, needs: .freeSpelling, play: missingField),
    Attack(
      code: .recordBadEncoding, variants: 15, needs: .freeSpelling, play: badEncoding),
    Attack(
      code: .recordAmbiguousField, variants: 13, needs: .freeSpelling, play: ambiguousField),
    Attack(code: .recordClientDataHashMismatch, variants: 2, needs: .hash, play: hashMismatch),
  ]

  /// Returns a request that would be good without the changes of an attack. Its key is attested
  /// nowhere.
  private static func request(_ scene: inout AttackScene) throws(MintingError) -> LogRecord {
    try scene.assertion(of: scene.device(), at: scene.start, counter: 1)
  }

  private static func malformedJSON(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let record = try request(&scene)
    var line = scene.line(record)
    switch variant {
    case 0:
      line.add(
        "note", raw: [UInt8](repeating: 0x5B, count: 1_024) + [UInt8](repeating: 0x5D, count: 1_024)
      )
    case 1: line.add("note", raw: "01")
    case 2: line.add("note", raw: "tru")
    default: break
    }
    var bytes = line.bytes()
    switch variant {
    case 3: bytes = Array(bytes.dropLast(1 + scene.random.below(8)))
    case 4: bytes += bytes
    case 5: bytes = [0x5B] + bytes + [0x5D]
    case 6: bytes = Array(bytes.dropLast()) + Array(",}".utf8)
    case 7: bytes += Array(" [1]".utf8)
    case 8: bytes = Array("'; DROP TABLE attestations; --".utf8)
    case 9: bytes = Array("=HYPERLINK(\"https://synthetic.example\")".utf8)
    default: break
    }
    // Where a token can be found in the line, it is not audited (`records.R54`).
    let finds: [FindingCode] =
      variant < 8 ? [.recordMalformedJSON, .recordNotAudited] : [.recordMalformedJSON]
    scene.append(bytes, at: scene.start, finds: finds, shape: Array("(not JSON)".utf8))
  }

  private static func missingField(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let record = try request(&scene)
    var line = scene.line(record)
    line.remove("kind")
    line.add("kind", text: "assertion")
    switch variant {
    case 0: line.remove("time")
    case 1: line.remove("keyId")
    case 2: line.remove("token")
    case 3:
      for name in ["payload", "clientData", "clientDataHash"] { line.remove(name) }
    case 4: line.set("token", raw: "null")
    case 5: line.set("time", raw: "true")
    case 6: line.set("keyId", raw: #"["a"]"#)
    case 7: line.set("token", raw: "17")
    default: line = JSONLine()
    }
    scene.append(line.bytes(), at: scene.start, finds: [.recordMissingField])
  }

  private static func badEncoding(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let record = try request(&scene)
    var line = scene.line(record)
    let short = String(
      decoding: TextCode.base64.encode(Array(record.keyID.dropLast())), as: UTF8.self)
    let hex = String(decoding: TextCode.hex.encode(record.keyID).dropLast(2), as: UTF8.self)
    switch variant {
    case 0: line.set("keyId", raw: "\"\(short)\"")
    case 1: line.set("keyId", raw: "\"\(hex)\"")
    case 2: line.set("token", raw: #""*** no base64 ***""#)
    case 3: line.set("time", raw: #""2026-03-01T10:11:12""#)
    case 4: line.set("time", raw: #""yesterday""#)
    case 5: line.set("time", raw: #""2026-02-30T10:11:12Z""#)
    case 6: line.set("kind", raw: #""attested""#)
    case 7: line.set("decision", raw: #""maybe""#)
    case 8: line.set("clientDataHash", raw: #""AAECAwQFBgcICQoLDA0O""#)  // Fifteen bytes.
    // A single character is left over, whatever is dropped.
    case 9: line.set("clientData", raw: #""?A!""#)
    case 10: line.set("keyId", raw: #""""#)
    case 11: line.set("token", text: overlong(record.token))
    // Lenient readers come to another length: 48, 33, and 31 bytes.
    case 12: line.set("keyId", text: Array(hexPairs(record.keyID).utf8))
    case 13: line.set("keyId", text: TextCode.base64Unpadded.encode(record.keyID) + [0x41])
    default:
      line.set(
        "keyId", text: OddBase64.percentSigns.encode(record.keyID.dropLast(), &scene.random))
    }
    scene.append(line.bytes(), at: scene.start, finds: [.recordBadEncoding])
  }

  /// Returns hex digits with a colon between bytes.
  private static func hexPairs(_ bytes: [UInt8]) -> String {
    bytes.map { String(decoding: TextCode.hex.encode([$0]), as: UTF8.self) }
      .joined(separator: ":")
  }

  private static func ambiguousField(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let record = try request(&scene)
    var line = scene.line(record)
    let other = CBORWriter.bigEndian(scene.random.next(), 8) + [UInt8](repeating: 7, count: 24)
    let otherText = String(decoding: TextCode.base64.encode(other), as: UTF8.self)
    switch variant {
    case 0: line.add("keyId", text: otherText)
    case 1: line.fields += line.fields.filter { $0.name == "token" }
    case 2: line.add(#"key\u0049d"#, text: otherText)
    case 3:
      line.remove("clientData")
      line.remove("payload")
      line.add("payload", text: "what the first parser sees")
      line.add("clientData", text: otherText)
      line.remove("clientDataHash")
    case 4:
      line.remove("kind")
      line.remove("payload")
      line.add("payload", text: "transfer 1 to synthetic account")
      line.add("challenge", text: otherText)
    case 5:
      line.remove("platform")
      line.remove("format")
      line.add("platform", text: "android")
      line.add("platform", text: "ios")
    case 6:
      line = scene.line(LogRecord(kind: .challenge, time: scene.start, data: record.data))
      line.add("challenge", text: otherText)
    // Go's decoder takes a name in any case, by Unicode's folding.
    case 7: line.precede("keyId", as: "KEYID", raw: RecordFlaw.otherKeyID)
    case 8: line.add("\u{212A}eyId", text: otherText)
    case 9:
      line.remove("subject")
      line.add("subject", text: "owner")
      line.add("\u{17F}ubject", text: "thief")
    case 10:
      line.remove("platform")
      line.add("platform", text: "ios")
      line.add("Platform", text: "android")
    case 11:
      // A line that issues no challenge.
      line.remove("kind")
      for name in ["payload", "clientData", "clientDataHash"] { line.remove(name) }
      line.add("kind", text: "challenge")
      line.add("challenge", text: otherText)
    default:
      line.remove("kind")
      for name in ["payload", "clientData", "clientDataHash"] { line.remove(name) }
      line.add("kind", text: "attestation")
      line.add("challenge", text: "what one parser sees and hashes")
      line.add("clientData", text: otherText)
    }
    scene.append(line.bytes(), at: scene.start, finds: [.recordAmbiguousField])
  }

  private static func hashMismatch(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let wrong = String(
      decoding: TextCode.hex.encode(scene.random.bytes(32)), as: UTF8.self)
    let device = variant == 0 ? try scene.enrolled() : try scene.device()
    let time = scene.start + 30_000
    let record =
      try variant == 0
      ? scene.assertion(of: device, at: time, counter: 1) : scene.attestation(of: device, at: time)
    var line = scene.line(record)
    line.set("clientDataHash", raw: "\"\(wrong)\"")
    scene.append(line, at: record.time, finds: [.recordClientDataHashMismatch])
    try scene.assert(device, at: scene.start + 60_000, counter: 2)
  }
}
