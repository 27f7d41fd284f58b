import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Lines that only a second reading understands, and records of which the log lost something.
  static let readingAttacks: [Attack] =
    [
      Attack(
        code: .recordOddJSON, variants: 12, variantNeeds: [11: .freeSpelling], play: oddJSON),
      Attack(
        code: .recordClientDataLossy, variants: 2, variantNeeds: [1: .textChallenges], play: lossy),
    ] + SceneText.attacks("tokens in hex") + [
      Attack(code: .recordOddEncoding, variants: 3, needs: .freeSpelling, play: byteArrays)
    ] + SceneText.attacks("tokens with tags") + [
      Attack(code: .recordNotAudited, variants: 3, play: secondToken)
    ]

  /// JSON that is not strict, in a field that nobody maps, or around the object (`records.R81`).
  private static func oddJSON(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    // A challenge of such bytes would be another odd line.
    let variant = variant == 11 && scene.options.writesChallenges(for: .assertion) ? 3 : variant
    let device = try scene.enrolled()
    let raw = Array("synthetic ".utf8) + scene.random.bytes(20).map { $0 | 0x80 }
    let record = try scene.assertion(
      of: device, at: scene.start + 30_000, counter: 1,
      data: variant == 11 ? ClientData(bytes: raw) : nil)
    var line = scene.line(record)
    let values: [[UInt8]] = [
      Array("NaN".utf8), Array("-Infinity".utf8), Array(#""\uD83D""#.utf8),
      [0x22, 0x53, 0xFF, 0xC3, 0x28, 0x22], [0x22, 0x61, 0x09, 0x62, 0x22], [0x22, 0x00, 0x22],
      Array(#""\xFF\x22""#.utf8),
    ]
    if variant < values.count { line.add("note", raw: values[variant]) }
    if variant == 11 {
      // A mapped field keeps bytes that are not UTF-8.
      for name in ["clientData", "clientDataHash"] { line.remove(name) }
      line.add("payload", ascii: raw)
    }
    var bytes = line.bytes()
    switch variant {
    case 7: bytes = [0, 0xEF, 0xBB, 0xBF] + bytes
    case 8: bytes += Array(" []".utf8)
    case 9: bytes += Array("\u{1B}[0m".utf8)
    case 10: bytes += Array("}, ]".utf8)
    default: break
    }
    scene.append(bytes, at: record.time, finds: [.recordOddJSON])
    try scene.assert(device, at: scene.start + 60_000, counter: 2)
  }

  /// Client data that are not UTF-8. The log has a replacement character in their place
  /// (`verification.R42`).
  private static func lossy(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    let device = try variant == 0 ? scene.enrolled() : scene.device()
    let text = "GET /api/notes/\u{FFFD}-\(scene.random.below(1 << 30))"
    let logged = ClientData(text: text)
    let signed = ClientData(
      bytes: Array(text.utf8.prefix(15)) + [0xFF] + Array(text.utf8.dropFirst(18)))
    let time = scene.start + 30_000
    guard variant == 0 else {
      try scene.attest(
        device, at: time, data: logged, finds: [.recordClientDataLossy],
        recipe: {
          $0.clientDataHash = signed.hash
          $0.receipt.clientHash = signed.hash
        })
      try scene.assert(device, at: time + 30_000, counter: 1)
      return
    }
    let assertion = try device.assertion(
      counter: 1, clientDataHash: signed.hash, &scene.random, scene.tools)
    scene.log(
      assertion.token, of: device, at: time, data: logged, finds: [.recordClientDataLossy])
    try scene.assert(device, at: time + 30_000, counter: 2)
  }

  /// Values as arrays of numbers, or as Node's buffers (`records.R82`).
  private static func byteArrays(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    let device = try scene.enrolled()
    for (place, name) in ["token", "keyId"].enumerated() {
      let counter = UInt32(place + 1)
      let time = scene.start + 30_000 * Int64(counter)
      let record = try scene.assertion(of: device, at: time, counter: counter)
      var line = scene.line(record)
      let bytes = name == "token" ? record.token : record.keyID
      let list = "[" + bytes.map { String($0) }.joined(separator: variant == 1 ? ", " : ",") + "]"
      line.set(name, raw: variant == 2 ? #"{"type":"Buffer","data":\#(list)}"# : list)
      scene.append(line, at: time, finds: [.recordOddEncoding])
    }
  }

  /// Honest requests with a further token beside the one that is read (`records.R54`).
  private static func secondToken(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.enrolled()
    let other = try scene.assertion(of: scene.device(), at: scene.start, counter: 7)
    let name = "proof-s\(scene.number)"
    for counter in 1...2 as ClosedRange<UInt32> {
      let time = scene.start + 30_000 * Int64(counter)
      let record = try scene.assertion(of: device, at: time, counter: counter)
      var line = scene.line(record)
      switch variant {
      case 0: line.add(name, ascii: other.spelledToken())
      case 1: line.add(name, ascii: TextCode.hex.encode(other.token))
      default:
        let list = other.token.map { String($0) }.joined(separator: ",")
        line.add(name, raw: "[\(list)]")
      }
      // The token of the record itself, elsewhere in the line, is no further one.
      line.add("copy", ascii: record.spelledToken())
      scene.appendStray(line, at: time, shape: Array(name.utf8))
    }
  }
}
