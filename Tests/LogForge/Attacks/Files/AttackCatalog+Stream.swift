import FindingCodes
internal import Minting

extension AttackCatalog {
  static let streamAttacks: [Attack] = [
    Attack(code: .streamTruncated, variants: 5, play: truncated),
    Attack(code: .streamCorrupt, variants: 8, play: corrupt),
    Attack(code: .streamUnreadable, variants: 2, play: unreadable),
    Attack(code: .streamMissing, variants: 2, play: missing),
    Attack(code: .recordMalformedJSON, variants: 1, play: endlessLine),
  ]

  /// The length of the longest line that is read by default, in bytes.
  private static let lineBytes = 4 << 20

  /// Returns lines of one honest device, its attestation first, and the offset of each.
  private static func history(_ scene: inout AttackScene, count: Int) -> (
    text: [UInt8], starts: [Int]
  ) {
    let device = scene.enrolled()
    var text = [UInt8]()
    var starts = [Int]()
    for index in 0..<count {
      if index > 0 {
        scene.assert(
          device, at: scene.start + Int64(index) * 1_000, counter: UInt32(index))
      }
      let line = scene.lines.removeLast()
      starts.append(text.count)
      text += line.bytes + [0x0A]
    }
    return (text, starts)
  }

  /// Returns an offset in the middle of the line `index`.
  private static func middle(_ starts: [Int], _ index: Int) -> Int {
    (starts[index] + starts[index + 1]) / 2
  }

  private static func frame(_ content: ArraySlice<UInt8>) -> [UInt8] {
    ZstdFrame.compressed(Array(content), level: 1)
  }

  private static func name(_ scene: UInt64) -> String {
    let number = String(scene, radix: 16)
    return "edge-z-" + String(repeating: "0", count: max(0, 5 - number.utf8.count)) + number
  }

  private static func add(
    _ bytes: [UInt8], _ suffix: String, _ code: FindingCode, _ text: DamagedText,
    to scene: inout AttackScene
  ) {
    var findings: [(code: FindingCode, line: Int)] = [(code, 0)]
    for line in text.cutLines { findings.append((.recordMalformedJSON, line)) }
    if let line = text.firstTokenLine { findings.append((.recordNotAudited, line)) }
    scene.damagedFiles.append(
      DamagedFile(
        name: name(scene.number) + suffix, bytes: bytes, findings: findings, lines: text.lines))
  }

  private static func truncated(_ scene: inout AttackScene, _ variant: Int) {
    let unit = scene.options.damageUnit
    let (text, starts) = history(&scene, count: 6 * unit)
    let cut = variant == 1 ? starts[4 * unit] : middle(starts, 4 * unit)
    let head = text[..<cut]
    let tail = text[cut...]
    var left = DamagedText()
    left.read(head, begins: true)
    var bytes: [UInt8]
    switch variant {
    case 0, 1:
      // The last frame ends in its only block, or in its header.
      let last = frame(tail)
      let end = variant == 1 ? 5 : PlainContainers.firstBlock(ofZstd: last) + 40
      bytes = frame(head) + last.prefix(end)
    case 2:
      // A stored block is decoded as far as it goes.
      let end = middle(starts, 5 * unit)
      bytes = PlainContainers.gzipMember(head)
      bytes += PlainContainers.gzipMember(tail).prefix(15 + end - cut)
      left.read(text[cut..<end], begins: false)
    case 3:
      bytes = PlainContainers.gzipMember(head) + PlainContainers.gzipMember(tail).dropLast(4)
      left.read(tail, begins: false)
    default:
      // All is there but the checksum.
      bytes = frame(head) + (frame(tail)).dropLast(2)
      left.read(tail, begins: false)
    }
    left.damage()
    add(
      bytes, variant == 2 || variant == 3 ? ".jsonl.gz" : ".jsonl.zst", .streamTruncated, left,
      to: &scene)
  }

  private static func corrupt(_ scene: inout AttackScene, _ variant: Int) {
    let unit = scene.options.damageUnit
    let (text, starts) = history(&scene, count: 8 * unit)
    let isWhole = variant == 2 || variant == 5 || variant == 7
    let first = isWhole ? starts[3 * unit] : middle(starts, 3 * unit)
    let second = isWhole ? starts[5 * unit] : middle(starts, 5 * unit)
    let (head, body, tail) = (text[..<first], text[first..<second], text[second...])
    let isGzip = [3, 4, 6, 7].contains(variant)
    var left = DamagedText()
    left.read(head, begins: true)
    var middle = isGzip ? PlainContainers.gzipMember(body) : frame(body)
    switch variant {
    case 0: middle[PlainContainers.firstBlock(ofZstd: middle)] |= 6  // No such block.
    case 1, 2:
      middle[middle.count - 1] ^= 0x55
      left.read(body, begins: isWhole)
    case 3: middle[10] |= 6  // No such block.
    case 4:
      middle[middle.count - 8] ^= 0x55
      left.read(body, begins: isWhole)
    case 5: middle = scene.random.bytes(64).map { $0 & 0x0F | 0x60 }  // Junk.
    case 6:
      // Half of the member decodes, then comes a block that cannot be.
      let half = (first + second) / 2
      middle = PlainContainers.gzipHeader
      middle += PlainContainers.storedBlock(text[first..<half], isLast: false)
      middle += [0x06] + [UInt8](repeating: 0x61, count: 40)
      left.read(text[first..<half], begins: false)
    default: break
    }
    if variant == 7 {
      // Junk behind the last member.
      left.read(text[first...], begins: true)
      left.damage()
      let bytes = PlainContainers.gzipMember(head) + PlainContainers.gzipMember(text[first...])
      add(bytes + Array("synthetic junk".utf8), ".jsonl.gz", .streamCorrupt, left, to: &scene)
      return
    }
    left.damage()
    left.read(tail, begins: isWhole)
    let last = isGzip ? PlainContainers.gzipMember(tail) : frame(tail)
    let opening = isGzip ? PlainContainers.gzipMember(head) : frame(head)
    add(
      opening + middle + last, isGzip ? ".jsonl.gz" : ".jsonl.zst", .streamCorrupt, left,
      to: &scene)
  }

  private static func unreadable(_ scene: inout AttackScene, _ variant: Int) {
    let (text, _) = history(&scene, count: scene.options.damageUnit + 2)
    let bytes = PlainContainers.zstdFrame(text[...], windowLog: variant == 0 ? 33 : 28)
    add(bytes, ".jsonl.zst", .streamUnreadable, DamagedText(), to: &scene)
  }

  /// Expects logs of a server that sent none, or too few lines, and others that are there.
  private static func missing(_ scene: inout AttackScene, _ variant: Int) {
    scene.expected = [
      ExpectedInput(inputs: "logs/edge-a-*", lines: 1, isMissing: false),
      variant == 0
        ? ExpectedInput(inputs: "logs/edge-q-*", lines: 1, isMissing: true)
        : ExpectedInput(inputs: "logs/edge-*-00000.*", lines: 1_000_000_000, isMissing: true),
    ]
  }

  private static func endlessLine(_ scene: inout AttackScene, _ variant: Int) {
    let unit = scene.options.damageUnit
    let (text, starts) = history(&scene, count: 3 * unit)
    let cut = starts[2 * unit]
    let long =
      Array(#"{"note":""#.utf8) + [UInt8](repeating: 0x61, count: lineBytes) + Array("\"}\n".utf8)
    let bytes = frame(text[..<cut] + long + text[cut...])
    scene.damagedFiles.append(
      DamagedFile(
        name: name(scene.number) + ".jsonl.zst", bytes: bytes,
        findings: [(.recordMalformedJSON, 2 * unit + 1)],
        lines: 3 * unit + 1))
  }
}
