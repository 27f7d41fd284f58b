import FindingCodes

/// The layouts in which gateways, proxies and clouds write a request. The schemas of the same names
/// read them.
enum GatewayLayout {
  case nginxJson, envoy, otel, gcp, cloudwatch, awsApigw

  func line(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    switch self {
    case .nginxJson: nginxJson(request)
    case .envoy: envoy(request, &random)
    case .otel: otel(request, &random)
    case .gcp: gcp(request, &random)
    case .cloudwatch: cloudwatch(request, &random)
    case .awsApigw: awsApigw(request, &random)
    }
  }

  /// The ways of breaking its records.
  var flaws: [RecordFlaw] {
    let date = #""2026-03-01T00:00:00.000Z""#
    let (time, other, body): (String, String, String) =
      switch self {
      case .nginxJson: ("msec", "1772323200.000", "body")
      case .envoy: ("start_time", date, "body")
      case .otel: ("timeUnixNano", #""1772323200000000000""#, "body")
      case .gcp: ("timestamp", date, "jsonPayload/body")
      case .cloudwatch: ("timestamp", "1772323200000", "message/body")
      case .awsApigw: ("event/requestContext/timeEpoch", "1772323200000", "event/body")
      }
    return FlawTables.gateway(time: time, other: other, body: body, isTyped: self == .otel)
  }

  // MARK: Layouts

  private func header(_ name: String, of request: GatewayRequest) -> [UInt8]? {
    request.headers.first { $0.name == name }?.value
  }

  /// Returns a line with the time in seconds and milliseconds after the point.
  private func nginxJson(_ request: GatewayRequest) -> JSONLine {
    var line = JSONLine()
    let rest = String(request.time % 1000)
    line.add(
      "msec",
      raw: "\(request.time / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest)
    line.add("method", text: request.method)
    line.add("uri", text: request.path)
    line.add("status", raw: String(request.status))
    line.add("request_id", text: request.id)
    line.add("assertion", ascii: header("x-app-assertion", of: request) ?? [])
    line.add("key_id", ascii: header("x-app-key-id", of: request) ?? [])
    line.add("body", ascii: request.body)
    return line
  }

  private func envoy(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    line.add("start_time", text: CalendarTime.rfc3339(request.time))
    line.add("method", text: request.method)
    line.add("path", text: request.path)
    line.add("response_code", raw: String(request.status))
    line.add("request_id", text: request.id)
    let absent = random.pick(["null", #""-""#])
    for (name, header) in [("assertion", "x-app-assertion"), ("key_id", "x-app-key-id")] {
      if let value = self.header(header, of: request) {
        line.add(name, ascii: value)
      } else {
        line.add(name, raw: absent)
      }
    }
    line.add("body", ascii: request.body)
    return line
  }

  /// Returns an attribute: its key, and its value with a type.
  private static func attribute(_ key: String, _ value: [UInt8], inList: Bool) -> JSONLine {
    var text = JSONLine()
    text.add("stringValue", ascii: value)
    var attribute = JSONLine()
    attribute.add("key", text: key)
    guard inList else {
      attribute.add("value", object: text)
      return attribute
    }
    var list = JSONLine()
    list.add("values", raw: [0x5B] + text.bytes() + [0x5D])
    var array = JSONLine()
    array.add("arrayValue", object: list)
    attribute.add("value", object: array)
    return attribute
  }

  private func otel(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    var attributes = [
      ("http.request.method", request.method), ("url.path", request.path),
      ("http.response.status_code", String(request.status)), ("request.id", request.id),
    ].map { Self.attribute($0, Array($1.utf8), inList: false) }
    for (name, value) in request.headers {
      attributes.append(Self.attribute("http.request.header.\(name)", value, inList: true))
    }
    var body = JSONLine()
    body.add("stringValue", ascii: request.body)
    var line = JSONLine()
    line.add("timeUnixNano", text: "\(request.time)000000")
    line.add("severityText", text: "INFO")
    line.add("body", object: body)
    let list = random.shuffled(attributes).map { $0.bytes() }
    line.add("attributes", raw: [0x5B] + Array(list.joined(separator: [0x2C])) + [0x5D])
    return line
  }

  private func headers(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    var headers = JSONLine()
    headers.add("host", text: "api.example.com")
    let isUpper = random.once(in: 3)
    for (name, value) in request.headers {
      headers.add(isUpper ? name.uppercased() : name, ascii: value)
    }
    return headers
  }

  private func gcp(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    var http = JSONLine()
    http.add("requestMethod", text: request.method)
    // The same request has the same address each time that it is logged.
    let isAddress = request.id.utf8.reduce(0, ^) % 2 == 0 && request.path.hasPrefix("/")
    http.add(
      "requestUrl", text: (isAddress ? "https://api.example.com" : "") + request.path)
    http.add("status", raw: String(request.status))
    var payload = JSONLine()
    payload.add("headers", object: headers(request, &random))
    payload.add("body", ascii: request.body)
    var line = JSONLine()
    line.add("insertId", text: request.id)
    line.add(
      "timestamp", text: CalendarTime.rfc3339(request.time, digits: 9, tail: random.next()))
    line.add("severity", text: "INFO")
    line.add("httpRequest", object: http)
    line.add("jsonPayload", object: payload)
    return line
  }

  private func cloudwatch(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    var message = JSONLine()
    message.add("requestId", text: request.id)
    message.add("method", text: request.method)
    message.add("path", text: request.path)
    message.add("status", raw: String(request.status))
    message.add("headers", object: headers(request, &random))
    message.add("body", ascii: request.body)
    var line = JSONLine()
    line.add("eventId", text: "3\(request.time)")
    line.add("timestamp", raw: String(request.time))
    line.add("message", jsonText: message)
    line.add("ingestionTime", raw: String(request.time + 900))
    return line
  }

  private func awsApigw(_ request: GatewayRequest, _ random: inout ForgeRandom) -> JSONLine {
    var http = JSONLine()
    http.add("method", text: request.method)
    var context = JSONLine()
    context.add("http", object: http)
    context.add("requestId", text: request.id)
    context.add("timeEpoch", raw: String(request.time))
    var event = JSONLine()
    event.add("version", text: "2.0")
    event.add("rawPath", text: request.path)
    event.add("headers", object: headers(request, &random))
    event.add("requestContext", object: context)
    let isWrapped = random.once(in: 2)
    event.add("body", ascii: isWrapped ? TextCode.base64.encode(request.body) : request.body)
    event.add("isBase64Encoded", raw: String(isWrapped))
    var response = JSONLine()
    response.add("statusCode", raw: String(request.status))
    var line = JSONLine()
    line.add("event", object: event)
    line.add("response", object: response)
    return line
  }
}
