import FindingCodes

/// A server's event log in which a request names its device, and only the attestation gives the key
/// of the device.
struct HeaderAssertionForm: LogForm {
  let traits: FormTraits = [.deviceJoin, .serverCounter, .ownFields, .textChallenges]
  let noiseOdds = 12

  /// Returns a challenge, or a body that may well come again.
  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    guard kind == .assertion else { return .unique(&random) }
    let item = random.below(30)
    return ClientData(
      text: random.pick([
        #"{"item":\#(item)}"#, #"{"item":\#(item),"name":"Ödön \"Ö\" \#u{1F9EA}"}"#,
        "item=\(item)&confirm=yes", "", "line \(item)\r\nline\t\u{0}",
      ]))
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    let isAttestation = record.kind == .attestation
    var line = JSONLine()
    line.add("ts", raw: String(record.time))
    line.add("event", text: isAttestation ? "attest" : "request")
    // A number and its digits are one name.
    if Int(record.deviceID) != nil && random.once(in: 2) {
      line.add("deviceId", raw: record.deviceID)
    } else {
      line.add("deviceId", text: record.deviceID)
    }
    if isAttestation {
      line.add("keyId", ascii: record.spelledKey())
      line.add("attestation", ascii: record.spelledToken())
      line.add("challenge", ascii: record.data.bytes ?? [])
    } else {
      line.add("assertion", ascii: record.spelledToken())
      line.add("rawBody", ascii: record.data.bytes ?? [])
      if let counter = record.serverCounter {
        line.add("previousSignCount", raw: String(counter))
      } else if random.once(in: 2) {
        line.add("previousSignCount", raw: "null")
      }
    }
    line.add("outcome", text: record.decision == .rejected ? "denied" : "ok")
    return line
  }

  /// Returns an event that is no request.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    line.add("ts", raw: String(time))
    line.add("event", text: random.pick(["health", "deploy", "Request"]))
    if random.once(in: 2) { line.add("deviceId", raw: "null") }
    line.add("outcome", text: random.pick(["ok", "denied"]))
    return line
  }

  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var line = JSONLine()
    line.add("ts", raw: String(record.time))
    line.add("event", text: "request-v2")
    return line
  }

  var flaws: [RecordFlaw] {
    RecordFlaw.absent("ts", .assertion, wrongType: "true")
      + RecordFlaw.absent("deviceId", .assertion, wrongType: #"["a"]"#)
      + RecordFlaw.absent("assertion", .assertion, wrongType: "17")
      + RecordFlaw.absent("rawBody", .assertion, wrongType: #"{"item":1}"#)
      + RecordFlaw.absent("keyId", .attestation, wrongType: "17")
      + RecordFlaw.absent("attestation", .attestation, wrongType: "[]")
      + RecordFlaw.absent("challenge", .attestation, wrongType: "17")
      + encodings
      + RecordFlaw.twice("ts", .assertion, raw: "1772323200000")
      + RecordFlaw.twice("event", .assertion, raw: #""attest""#)
      + RecordFlaw.twice("deviceId", .assertion, raw: #""another device""#)
      + RecordFlaw.twice("deviceId", .attestation, raw: #""another device""#)
      + RecordFlaw.twice("rawBody", .assertion, raw: #""what the first parser sees""#)
      + RecordFlaw.twice("outcome", .assertion, raw: #""denied""#)
      + [
        RecordFlaw(.recordAmbiguousField, .assertion) {
          $0.set("previousSignCount", raw: "1")
          $0.add("previousSignCount", raw: "2")
        },
        RecordFlaw(.recordNotAudited, .assertion) { $0.set("event", raw: #""requested""#) },
        RecordFlaw(.recordNotAudited, .attestation) { $0.remove("event") },
      ]
  }

  private var encodings: [RecordFlaw] {
    [
      RecordFlaw(.recordBadEncoding, .attestation) { $0.set("keyId", raw: RecordFlaw.shortKeyID) },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("assertion", raw: RecordFlaw.noBase64) },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("ts", raw: #""yesterday""#) },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("outcome", raw: #""maybe""#) },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("previousSignCount", raw: "-1") },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("previousSignCount", raw: "4294967296") },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("previousSignCount", raw: "1.5") },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("previousSignCount", raw: #""seven""#) },
    ]
  }
}
