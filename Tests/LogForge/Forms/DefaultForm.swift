import FindingCodes

/// The default schema's fields, in the many spellings that it reads.
struct DefaultForm: LogForm {
  let traits: FormTraits = [
    .appID, .subject, .requestID, .hash, .challengeRecords, .freshRequests, .platform,
    .freeSpelling, .textChallenges,
  ]
  let noiseOdds = 100

  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    .unique(&random)
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    addTime(record.time, to: &line, &random)
    let needsKind =
      record.kind == .attestation && (record.data.text == nil || !record.showsData)
    if needsKind || record.saysKind || random.once(in: 2) {
      line.add("kind", text: record.kind.rawValue)
    }
    if record.kind != .challenge {
      line.add("keyId", ascii: record.spelledKey(random.pick(TextCode.allCases)))
      let code = random.pick([
        TextCode.base64, .base64, .base64Unpadded, .base64URL,
        .base64URLPadded, .base64Spaced,
      ])
      line.add("token", ascii: record.spelledToken(code))
    }
    addData(of: record, to: &line, &random)
    if let appID = record.appID { line.add("appId", text: appID) }
    if let subject = record.subject {
      if subject.utf8.allSatisfy({ (0x30...0x39).contains($0) }) && random.once(in: 2) {
        line.add("subject", raw: subject)
      } else {
        line.add("subject", raw: JSONLine.escaped(subject, &random))
      }
    }
    if let requestID = record.requestID { line.add("requestId", text: requestID) }
    if let decision = record.decision { line.add("decision", text: decision.rawValue) }
    addTrifles(beside: record, to: &line, &random)
    return line
  }

  func spelled(_ line: JSONLine, _ random: inout ForgeRandom) -> [UInt8] {
    line.bytes(&random)
  }

  private func addTime(_ time: Int64, to line: inout JSONLine, _ random: inout ForgeRandom) {
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

  private func addData(
    of record: LogRecord, to line: inout JSONLine, _ random: inout ForgeRandom
  ) {
    guard let bytes = record.data.bytes, record.showsData else {
      addHash(of: record, to: &line, &random)
      return
    }
    guard record.kind != .challenge else {
      addText("challenge", record.data, to: &line, &random)
      return
    }
    let textField = record.kind == .attestation ? "challenge" : "payload"
    // Without a text, `clientData` is the only field. With one, it may be an additional field.
    if record.data.text == nil || (record.kind == .assertion && random.once(in: 3)) {
      line.add("clientData", ascii: record.spelled(bytes))
    } else {
      addText(textField, record.data, to: &line, &random)
      if random.once(in: 6) { line.add("clientData", ascii: record.spelled(bytes)) }
    }
    if random.once(in: 5) { addHash(of: record, to: &line, &random) }
  }

  private func addHash(
    of record: LogRecord, to line: inout JSONLine, _ random: inout ForgeRandom
  ) {
    let code = random.pick([TextCode.hex, .upperHex, .base64])
    line.add("clientDataHash", ascii: record.spelled(record.data.hash, code))
  }

  private func addText(
    _ name: String, _ data: ClientData, to line: inout JSONLine, _ random: inout ForgeRandom
  ) {
    if random.once(in: 3), let text = data.text {
      line.add(name, raw: JSONLine.escaped(text, &random))
    } else {
      line.add(name, ascii: data.bytes ?? [])
    }
  }

  /// Adds fields that no audit knows, and fields that repeat true facts.
  private func addTrifles(
    beside record: LogRecord, to line: inout JSONLine, _ random: inout ForgeRandom
  ) {
    switch random.below(8) {
    case 0: line.add("userAgent", text: "SyntheticApp/7.1 (iPhone; iOS 27.0)")
    case 1: line.add("trace", raw: #"{"id":[1,2.5e-3,null],"sampled":true}"#)
    case 2 where record.kind != .challenge:
      line.add("platform", text: random.pick(["ios", "iOS"]))
      line.add("format", text: random.pick(["apple-app-attest", "Apple-App-Attest"]))
    case 3 where record.requestID == nil: line.add("requestId", raw: "null")
    default: break
    }
  }

  /// Returns a request from an Android device.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
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
