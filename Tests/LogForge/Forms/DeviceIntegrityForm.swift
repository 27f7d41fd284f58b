/// A gateway's access log with headers and bodies. The attestation is in a body of its own route.
/// The assertion is in a header of the requests that it protects, and signs their body.
struct DeviceIntegrityForm: LogForm {
  let traits: FormTraits = [.requestID, .ownFields]
  let noiseOdds = 10

  /// Returns a challenge of any bytes, or a body that may well come again, or none.
  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    guard kind == .assertion else {
      return ClientData(bytes: random.bytes(16 + random.below(33)))
    }
    if random.once(in: 8) { return ClientData(text: "") }
    let amount = 1 + random.below(30)
    return ClientData(
      text: random.pick([
        #"{"amount":\#(amount),"to":"account-\#(random.below(9))"}"#,
        #"{"amount":\#(amount),"to":"Zoë \"Z\" Ödön","note":"\#u{1F9EA}"}"#,
        "{\n  \"amount\": \(amount)\n}\n",
        #"{"amount":\#(amount),"amount":\#(amount)}"#,
      ]))
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    let isAttestation = record.kind == .attestation
    var headers = JSONLine()
    headers.add("Host", text: "api.example.com")
    if !isAttestation {
      headers.add(Self.name("X-App-Key-Id", &random), ascii: record.spelledKey())
      headers.add(Self.name("X-App-Assertion", &random), ascii: record.spelledToken())
    }
    headers.add(Self.name("Content-Type", &random), text: "application/json")
    let body = record.data.bytes ?? []
    let isEmpty = !isAttestation && body.isEmpty
    var line = Self.request(
      record.time, isEmpty ? "GET" : "POST",
      isAttestation
        ? record.route.spell("/attest/verify") : isEmpty ? "/v1/accounts" : "/v1/transfers", headers
    )
    if isAttestation {
      var fields = JSONLine()
      fields.add("key_id", ascii: record.spelledKey())
      fields.add("attestation", ascii: record.spelledToken())
      fields.add("challenge", ascii: record.spelled(body))
      line.add("body", jsonText: fields)
    } else {
      line.add("body", ascii: body)
    }
    line.add("status", raw: record.decision == .rejected ? "403" : "200")
    line.add("request_id", text: record.requestID ?? TrafficRenderer.requestID(&random))
    return line
  }

  /// Returns a health check, a public route, or a DeviceCheck token.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    var headers = JSONLine()
    headers.add("Host", text: "api.example.com")
    var line: JSONLine
    switch random.below(4) {
    case 0, 1:
      headers.add(Self.name("Content-Type", &random), text: "application/json")
      line = Self.request(time, "POST", RouteSpelling.any(random).spell("/verify-device"), headers)
      var fields = JSONLine()
      fields.add("device_token", ascii: Self.base64(random.bytes(48)))
      line.add("body", jsonText: fields)
    case 2:
      // Other names may occur twice.
      headers.add("host", text: "api.example.com")
      line = Self.request(time, "GET", "/health", headers)
      line.add("body", text: "")
    default:
      line = Self.request(time, "GET", "/v1/rates", headers)
      line.add("body", text: #"{"key_id":"no attestation"}"#)
    }
    line.add("status", raw: "200")
    line.add("request_id", text: TrafficRenderer.requestID(&random))
    return line
  }

  var flaws: [RecordFlaw] { FlawTables.deviceIntegrity }

  let routeField: String? = "path"

  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var headers = JSONLine()
    headers.add("Host", text: "api.example.com")
    return Self.request(record.time, "POST", "/v2/verify/\(tag)", headers)
  }

  private static func request(
    _ time: Int64, _ method: String, _ path: String, _ headers: JSONLine
  ) -> JSONLine {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(time))
    line.add("method", text: method)
    line.add("path", text: path)
    line.add("headers", object: headers)
    return line
  }

  /// Returns a header's name in one of the cases in which clients and proxies write it.
  private static func name(_ name: String, _ random: inout ForgeRandom) -> String {
    switch random.below(4) {
    case 0: name.lowercased()
    case 1: name.uppercased()
    default: name
    }
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] { TextCode.base64.encode(bytes) }
}
