import FindingCodes
internal import Minting

extension AttackCatalog {
  static let recordAttacks: [Attack] = [
    Attack(code: .recordMalformedJSON, variants: 10, play: malformedJSON),
    broken(.recordMissingField), broken(.recordBadEncoding), broken(.recordAmbiguousField),
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

  /// Returns the attack of the flaws in a section of `Data/flaws.txt`.
  private static func broken(_ code: FindingCode) -> Attack {
    let rows = DataTable.section(
      "default \(code.name.split(separator: ".")[1])", of: PackageResources.flaws_txt)
    return Attack(
      code: code, variants: rows.count, needs: .freeSpelling,
      play: { (scene, variant) throws(MintingError) in
        let record = try request(&scene)
        var line = scene.line(record)
        var row = String(rows[variant])
        let words = words(
          record, line, random: code == .recordAmbiguousField ? scene.random.next() : 0)
        for (word, text) in words {
          row = row.replacing(word, with: String(decoding: text, as: UTF8.self))
        }
        if row.hasPrefix("CHALLENGE ") {
          row.removeFirst(10)
          line = scene.line(LogRecord(kind: .challenge, time: scene.start, data: record.data))
        }
        for edit in RecordFlaw.edits(row) { edit.apply(to: &line) }
        scene.append(line.bytes(), at: scene.start, finds: [code])
      })
  }

  /// Returns the texts for the words in capitals of a flaw.
  private static func words(
    _ record: LogRecord, _ line: JSONLine, random: UInt64
  ) -> KeyValuePairs<String, [UInt8]> {
    var dice = ForgeRandom(0)
    let id = record.keyID
    let other = CBORWriter.bigEndian(random, 8) + [UInt8](repeating: 7, count: 24)
    return [
      "$SHORT": TextCode.base64.encode(id.dropLast()), "$HEX": TextCode.hex.encode(id).dropLast(2),
      "$OVERLONG": overlong(record.token),
      "$PAIRS": Array(id.map { TextCode.hex.encode([$0]) }.joined(separator: [0x3A])),
      "$LONGER": TextCode.base64Unpadded.encode(id) + [0x41],
      "$PERCENT": OddBase64.percentSigns.encode(id.dropLast(), &dice),
      "$OTHER": TextCode.base64.encode(other),
      "$TOKEN": line.fields.first { $0.name == "token" }?.value.json ?? [],
    ]
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
