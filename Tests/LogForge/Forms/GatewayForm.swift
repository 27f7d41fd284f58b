import FindingCodes

/// The log of a gateway, proxy or cloud of requests with headers and bodies. The attestation is in
/// a body of its own route. The assertion is in a header of the requests that it protects, and
/// signs their body.
struct GatewayForm: LogForm {
  /// The layouts in which gateways, proxies and clouds write a request. The schemas of the same
  /// names read them.
  enum Layout: CaseIterable { case nginxJson, envoy, otel, gcp, cloudwatch, awsApigw }

  let layout: Layout

  var traits: FormTraits {
    FormTraits([.requestID, .ownFields, .textChallenges])
      .union(layout == .otel ? [] : .statuses).union(layout == .cloudwatch ? .batches : [])
  }
  let noiseOdds = 10

  private static let templates = Dictionary(
    uniqueKeysWithValues: Layout.allCases.map { ($0, LineTemplate.all("\($0)")[0]) })

  private var template: LineTemplate { Self.templates[layout] ?? LineTemplate("{}") }

  /// The ways of breaking its records.
  var flaws: [RecordFlaw] {
    let date = #""2026-03-01T00:00:00.000Z""#
    let (time, other, body): (String, String, String) =
      switch layout {
      case .nginxJson: ("msec", "1772323200.000", "body")
      case .envoy: ("start_time", date, "body")
      case .otel: ("timeUnixNano", #""1772323200000000000""#, "body")
      case .gcp: ("timestamp", date, "jsonPayload/body")
      case .cloudwatch: ("timestamp", "1772323200000", "message/body")
      case .awsApigw: ("event/requestContext/timeEpoch", "1772323200000", "event/body")
      }
    let tables = ["gateway", layout == .otel ? "typed body" : "plain body"]
    return tables.flatMap { RecordFlaw.table($0, ["TIME": time, "OTHER": other, "BODY": body]) }
  }

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
    return line(request, &random)
  }

  /// Returns a health check, or a public route.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    var request = GatewayRequest(time: time)
    request.method = "GET"
    request.path = random.pick(["/health", "/v1/rates", "/"])
    request.id = TrafficRenderer.requestID(&random)
    return line(request, &random)
  }

  /// Returns the beginning of an event that is no request.
  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var line = JSONLine()
    line.add("severity", text: "WARNING")
    line.add("component-\(tag)", text: "debug")
    return line
  }

  private func line(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    let hasHeaders = [.gcp, .cloudwatch, .awsApigw].contains(layout)
    let isUpper = hasHeaders && random.once(in: 3)
    let isWrapped = layout == .awsApigw && random.once(in: 2)
    let absent = layout == .envoy ? random.pick(["null", #""-""#]) : #""""#
    func header(_ name: String) -> JSONLine.Value {
      request.headers.first { $0.name == name }.map { .string($0.value) } ?? .raw(absent)
    }
    return template.line(&random) { name, random in
      switch name {
      case "time": .string(CalendarTime.rfc3339(request.time))
      case "time9":
        .string(CalendarTime.rfc3339(request.time, digits: 9, tail: random.next()))
      case "milliseconds": .raw(String(request.time))
      case "nanoseconds": .string("\(request.time)000000")
      case "msec": .raw("\(request.time / 1000).\(String(1000 + request.time % 1000).dropFirst())")
      case "event": .string("3\(request.time)")
      case "ingestion": .raw(String(request.time + 900))
      case "method": .string(request.method)
      case "path": .string(request.path)
      case "address": .string((request.isAddressed ? "https://api.example.com" : "") + request.path)
      case "status": .raw(String(request.status))
      case "id": .string(request.id)
      case "key": header("x-app-key-id")
      case "assertion": header("x-app-assertion")
      case "headers": .object(request.headers(isUpper: isUpper))
      case "body": .string(isWrapped ? TextCode.base64.encode(request.body) : request.body)
      case "isWrapped": .raw(String(isWrapped))
      case "attributes":
        .finished([0x5B] + random.shuffled(request.attributes).joined(separator: [0x2C]) + [0x5D])
      default: preconditionFailure("no value is called \(name)")
      }
    }
  }
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

  /// Whether the log has the whole address. The same request has the same address each time that it is logged.
  var isAddressed: Bool { id.utf8.reduce(0, ^) % 2 == 0 && path.hasPrefix("/") }

  /// Returns the headers as an object.
  func headers(isUpper: Bool) -> JSONLine {
    var object = JSONLine()
    object.add("host", text: "api.example.com")
    for (name, value) in headers {
      object.add(isUpper ? name.uppercased() : name, ascii: value)
    }
    return object
  }

  /// The facts and headers as attributes of OpenTelemetry, each with a key and a value with a type.
  var attributes: [[UInt8]] {
    let facts = [
      ("http.request.method", method), ("url.path", path),
      ("http.response.status_code", String(status)), ("request.id", id),
    ]
    func text(_ value: some Sequence<UInt8>) -> [UInt8] {
      #"{"stringValue":"#.utf8 + JSONLine.quoted(Array(value)) + "}".utf8
    }
    return facts.map { #"{"key":"\#($0)","value":"#.utf8 + text($1.utf8) + "}".utf8 }
      + headers.map { name, value in
        #"{"key":"http.request.header.\#(name)","value":{"arrayValue":{"values":["#.utf8
          + text(value) + "]}}}".utf8
      }
  }
}
