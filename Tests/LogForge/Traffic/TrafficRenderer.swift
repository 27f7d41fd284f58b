internal import Minting

/// A renderer of rows of the plan as log lines.
struct TrafficRenderer: Sendable {
  let options: ForgeOptions
  let plan: TrafficPlan
  let keys: KeyTable
  let authority: SyntheticAuthority

  /// Returns the line of `row`, without its end.
  func line(_ row: TrafficPlan.Row, _ tools: borrowing SigningTools) -> [UInt8] {
    let device = keys.device(Int(row.key))
    let event = UInt64(row.event)
    var random = device.random(row.isChallenge ? 0xC4B : 0x11E, event)
    var dataRandom = device.random(0xDA7, event)
    let form = options.form
    let data = clientData(event == 0 ? .attestation : .assertion, form, &dataRandom)
    if row.isChallenge {
      var challenge = LogRecord(kind: .challenge, time: row.time, data: data)
      challenge.route = .any(random)
      options.prepare(&challenge)
      return form.spelled(form.line(challenge, &random), &random)
    }
    var record: LogRecord
    if event == 0 {
      let recipe = device.attestation(
        at: row.time, clientDataHash: data.hash, authority: authority, &random)
      let parts = AttestationMint.mint(recipe, tools)
      record = LogRecord(
        kind: .attestation, time: row.time, keyID: device.id, token: parts.token, data: data)
    } else {
      let counter = plan.counter(key: Int(row.key), event: row.event)
      let assertion = device.assertion(
        counter: counter, clientDataHash: data.hash, &random, tools)
      record = LogRecord(
        kind: .assertion, time: row.time, keyID: device.id, token: assertion.token, data: data)
      if form.traits.contains(.serverCounter) && !random.once(in: 5) {
        record.serverCounter = plan.counter(key: Int(row.key), event: row.event - 1)
      }
    }
    Self.dress(&record, of: device, &random)
    options.prepare(&record)
    return form.spelled(form.line(record, &random), &random)
  }

  /// Adds the facts of a server to a record: app, account, request, decision.
  static func dress(_ record: inout LogRecord, of device: Device, _ random: inout ForgeRandom) {
    record.deviceID = device.deviceID
    record.route = .any(random)
    record.showsData = record.data.bytes != nil && !random.once(in: 8)
    if random.once(in: 2) { record.appID = device.app.id }
    if !random.once(in: 4) { record.subject = device.subject }
    if !random.once(in: 4) { record.requestID = requestID(&random) }
    if !random.once(in: 3) { record.decision = .accepted }
  }

  /// Returns a name for a request, unlike any other.
  static func requestID(_ random: inout ForgeRandom) -> String {
    "req-" + String(decoding: TextCode.hex.encode(random.bytes(12)), as: UTF8.self)
  }

  /// Returns client data of one event. They are text if a challenge record has to show them.
  private func clientData(
    _ kind: LogRecord.Kind, _ form: any LogForm, _ random: inout ForgeRandom
  ) -> ClientData {
    if form.traits.contains(.hash) && !options.writesChallenges {
      if random.once(in: 10) { return ClientData(bytes: random.bytes(16 + random.below(100))) }
      if random.once(in: 20) { return ClientData(opaqueHash: random.bytes(24)) }
    }
    return form.freshData(kind, &random)
  }
}
