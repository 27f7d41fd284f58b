/// One request as a server logs it.
struct LogRecord: Sendable {
  enum Kind: String, Sendable {
    case attestation, assertion, challenge
  }

  var kind: Kind
  /// Milliseconds since 1970.
  var time: Int64
  var keyID: [UInt8] = []
  var token: [UInt8] = []
  var data: ClientData
  /// Whether client data stands in the record; where not, its hash does.
  var showsData = true
  var appID: String?
  var subject: String?
  var requestID: String?
  var decision: String?

  /// The fields of the record in one of the spellings of the default schema.
  func line(_ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    addTime(to: &line, &random)
    let needsKind = kind == .attestation && (data.text == nil || !showsData)
    if needsKind || random.once(in: 2) { line.add("kind", text: kind.rawValue) }
    if kind != .challenge {
      line.add("keyId", ascii: random.pick(TextCode.allCases).encode(keyID))
      let code = random.pick([
        TextCode.base64, .base64, .base64Unpadded, .base64URL,
        .base64URLPadded, .base64Spaced,
      ])
      line.add("token", ascii: code.encode(token))
    }
    addData(to: &line, &random)
    if let appID { line.add("appId", text: appID) }
    if let subject {
      if subject.utf8.allSatisfy({ (0x30...0x39).contains($0) }) && random.once(in: 2) {
        line.add("subject", raw: subject)
      } else {
        line.add("subject", raw: JSONLine.escaped(subject, &random))
      }
    }
    if let requestID { line.add("requestId", text: requestID) }
    if let decision { line.add("decision", text: decision) }
    addNoise(to: &line, &random)
    return line
  }

  private func addTime(to line: inout JSONLine, _ random: inout ForgeRandom) {
    switch random.below(6) {
    case 0 where time % 1000 == 0: line.add("time", raw: String(time / 1000))
    // A fraction that a binary number holds exactly.
    case 0 where time % 1000 == 500: line.add("time", raw: "\(time / 1000).5")
    case 0, 1: line.add("time", raw: String(time))
    case 2:
      line.add(
        "time",
        text: CalendarTime.rfc3339(
          time, digits: 3 + random.below(7), tail: random.next(),
          offset: random.pick([-480, -210, 60, 120, 330, 765])))
    case 3 where random.once(in: 8):
      line.add("time", text: CalendarTime.rfc3339(time, lowerCase: true))
    default:
      line.add(
        "time",
        text: CalendarTime.rfc3339(time, digits: random.pick([3, 3, 6, 9]), tail: random.next()))
    }
  }

  private func addData(to line: inout JSONLine, _ random: inout ForgeRandom) {
    guard let bytes = data.bytes, showsData else {
      addHash(to: &line, &random)
      return
    }
    guard kind != .challenge else {
      addText(to: &line, "challenge", &random)
      return
    }
    let textField = kind == .attestation ? "challenge" : "payload"
    // Without a text, `clientData` is the only field; with one, it may stand beside it.
    if data.text == nil || (kind == .assertion && random.once(in: 3)) {
      line.add("clientData", ascii: TextCode.base64.encode(bytes))
    } else {
      addText(to: &line, textField, &random)
      if random.once(in: 6) { line.add("clientData", ascii: TextCode.base64.encode(bytes)) }
    }
    if random.once(in: 5) { addHash(to: &line, &random) }
  }

  private func addHash(to line: inout JSONLine, _ random: inout ForgeRandom) {
    let code = random.pick([TextCode.hex, .upperHex, .base64])
    line.add("clientDataHash", ascii: code.encode(data.hash))
  }

  private func addText(to line: inout JSONLine, _ name: String, _ random: inout ForgeRandom) {
    if random.once(in: 3), let text = data.text {
      line.add(name, raw: JSONLine.escaped(text, &random))
    } else {
      line.add(name, ascii: data.bytes ?? [])
    }
  }

  /// Fields that no audit knows, and those that say what is true anyway.
  private func addNoise(to line: inout JSONLine, _ random: inout ForgeRandom) {
    switch random.below(8) {
    case 0: line.add("userAgent", text: "SyntheticApp/7.1 (iPhone; iOS 27.0)")
    case 1: line.add("trace", raw: #"{"id":[1,2.5e-3,null],"sampled":true}"#)
    case 2 where kind != .challenge:
      line.add("platform", text: random.pick(["ios", "iOS"]))
      line.add("format", text: random.pick(["apple-app-attest", "Apple-App-Attest"]))
    case 3 where requestID == nil: line.add("requestId", raw: "null")
    default: break
    }
  }

  /// The record of a request from an Android device, which an audit skips.
  static func android(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    line.add("time", raw: String(time))
    line.add("platform", text: "android")
    line.add("format", text: "play-integrity")
    line.add("keyId", text: "installation-\(random.below(1_000_000))")
    line.add("token", text: "eyJhbGciOiJFUzI1NiJ9.c3ludGhldGlj.\(random.below(1_000_000))")
    line.add("payload", text: "synthetic")
    return line
  }
}
