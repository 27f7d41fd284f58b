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

  var flaws: [RecordFlaw] { FlawTables.headerAssertion }
}
