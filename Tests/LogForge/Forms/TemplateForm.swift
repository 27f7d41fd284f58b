import FindingCodes

/// The form of a system's log as templates of its lines.
///
/// The values of the templates: ``value(_:of:_:)``.
struct TemplateForm: LogForm {
  let traits: FormTraits
  let noiseOdds: Int
  var flaws: [RecordFlaw]
  var routeField: String?
  /// Client data of an honest event of this kind.
  let data: @Sendable (LogRecord.Kind, inout ForgeRandom) -> ClientData
  let attestation: LineTemplate
  let assertion: LineTemplate
  /// An assertion over no bytes, if it has a form of its own.
  var bodiless: LineTemplate?
  /// A challenge that is issued, if the system logs any.
  var challenge: LineTemplate = "{}"
  /// Lines of something else, each as frequent as the others, and what can be added to any of them.
  let noise: [LineTemplate]
  var noiseEnds: [LineTemplate] = []
  /// The beginning of a line that no rule fits.
  var stray: LineTemplate = #"{"time":$time,"platform":"android"}"#

  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    data(kind, &random)
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    let template =
      switch record.kind {
      case .attestation: attestation
      case .challenge: challenge
      case .assertion: record.data.bytes?.isEmpty == false ? assertion : bodiless ?? assertion
      }
    return template.line(&random) { Self.value($0, of: record, &$1) }
  }

  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    let record = LogRecord(kind: .challenge, time: time, data: ClientData(text: ""))
    func line(_ choices: [LineTemplate]) -> JSONLine {
      (choices.count > 1 ? random.pick(choices) : choices.first ?? "{}")
        .line(&random) { Self.value($0, of: record, &$1) }
    }
    var first = line(noise)
    if !noiseEnds.isEmpty { first.fields += line(noiseEnds).fields }
    return first
  }

  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var random = ForgeRandom(0)
    return stray.line(&random) { name, random in
      name.hasPrefix("tagged(")
        ? .string(name.dropFirst(7).dropLast() + tag) : Self.value(name, of: record, &random)
    }
  }

  /// Returns a value by its name in a template. Some have an argument in parentheses, or several, with bars between them.
  private static func value(
    _ name: String, of record: LogRecord, _ random: inout ForgeRandom
  ) -> JSONLine.Value? {
    let parts = name.split(separator: "(", maxSplits: 1)
    let arguments =
      parts.count > 1
      ? parts[1].dropLast().split(separator: "|", omittingEmptySubsequences: false) : [""]
    let first = String(arguments[0])
    switch parts[0] {
    case "time": return .string(CalendarTime.rfc3339(record.time))
    case "milliseconds": return .raw(String(record.time))
    case "key": return .string(record.spelledKey())
    case "token": return .string(record.spelledToken())
    case "data": return .string(record.data.bytes ?? [])
    case "data64": return .string(record.spelled(record.data.bytes ?? []))
    // The first argument if the server accepted the request, or the second.
    case "decision": return .raw(arguments[record.decision == .rejected ? 1 : 0])
    case "route": return .string(record.route.spell(first))
    case "id": return .string(record.requestID ?? TrafficRenderer.requestID(&random))
    case "subject": return record.subject.map { .string($0) } ?? .raw("null")
    // A number and its digits are one name.
    case "device":
      return Int(record.deviceID) != nil && random.once(in: 2)
        ? .raw(record.deviceID) : .string(record.deviceID)
    case "counter":
      if let counter = record.serverCounter { return .raw(String(counter)) }
      return random.once(in: 2) ? .raw("null") : nil
    // The client data is a method, a space and a path.
    case "method": return .string((record.data.text ?? "").prefix { $0 != " " }.utf8)
    case "target": return .string((record.data.text ?? "").drop { $0 != " " }.dropFirst().utf8)
    case "pick": return .raw(random.pick(arguments))
    case "number": return .string("\(first)\(random.below(Int(arguments[1]) ?? 0))")
    case "maybe": return random.once(in: 2) ? .raw(first) : nil
    case "random64": return .string(TextCode.base64.encode(random.bytes(Int(first) ?? 0)))
    // The spelling of a route beside a header whose name comes after it.
    case "anyRoute":
      var later = random
      _ = later.next()
      return .string(RouteSpelling.any(later).spell(first))
    default: preconditionFailure("no value is called \(name)")
    }
  }
}
