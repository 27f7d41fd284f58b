import FindingCodes

/// The log of a gateway, proxy or cloud of requests with headers and bodies. The attestation is in
/// a body of its own route. The assertion is in a header of the requests that it protects, and
/// signs their body.
struct GatewayForm: LogForm {
  let layout: GatewayLayout

  let traits: FormTraits = [.requestID, .ownFields, .textChallenges]
  let noiseOdds = 10

  /// Returns a challenge as text, or a body that may well come again, or none.
  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    guard kind == .assertion else { return .unique(&random) }
    if random.once(in: 8) { return ClientData(text: "") }
    let item = random.below(30)
    return ClientData(
      text: random.pick([
        #"{"item":\#(item)}"#, #"{"item":\#(item),"name":"Zoë \"Z\" Ödön","note":"\#u{1F9EA}"}"#,
        "item=\(item)&confirm=yes", "line \(item)\r\nline\t",
      ]))
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    let isAttestation = record.kind == .attestation
    var request = GatewayRequest(time: record.time)
    request.id = record.requestID ?? TrafficRenderer.requestID(&random)
    request.status = record.decision == .rejected ? 403 : 200
    if isAttestation {
      request.path = record.route.spell("/attest")
      var body = JSONLine()
      body.add("keyId", ascii: record.spelledKey())
      body.add("attestation", ascii: record.spelledToken())
      body.add("challenge", ascii: record.data.bytes ?? [])
      request.body = body.bytes()
    } else {
      request.method = random.pick(["POST", "PUT"])
      // One request has one path, however often it is logged.
      request.path = "/v1/notes/\(record.data.hash.reduce(0, ^) % 9)"
      request.headers = [
        ("x-app-key-id", record.spelledKey()), ("x-app-assertion", record.spelledToken()),
      ]
      request.body = record.data.bytes ?? []
    }
    return layout.line(request, &random)
  }

  /// Returns a health check, or a public route.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    var request = GatewayRequest(time: time)
    request.method = "GET"
    request.path = random.pick(["/health", "/v1/rates", "/"])
    request.id = TrafficRenderer.requestID(&random)
    return layout.line(request, &random)
  }

  /// Returns the beginning of an event that is no request.
  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var line = JSONLine()
    line.add("severity", text: "WARNING")
    line.add("component-\(tag)", text: "debug")
    return line
  }

  var flaws: [RecordFlaw] { layout.flaws }
}

/// The facts that a gateway knows of a request.
struct GatewayRequest {
  /// The time in milliseconds since 1970.
  var time: Int64
  var method = "POST"
  var path = "/"
  /// The headers, with names in lower case.
  var headers: [(name: String, value: [UInt8])] = []
  var body: [UInt8] = []
  var status = 200
  var id = ""

  init(time: Int64) { self.time = time }
}
