import FindingCodes

/// The form of a system's log as templates of its lines.
///
/// The values of the templates: ``value(_:of:_:)``.
struct TemplateForm: LogForm {
  let traits: FormTraits
  let noiseOdds: Int
  let flaws: [RecordFlaw]
  let routeField: String?
  /// Client data of an honest event of this kind.
  private let data: @Sendable (LogRecord.Kind, inout ForgeRandom) -> ClientData
  /// The templates by kind. `bodiless` is an assertion over no bytes, if it has a form of its own; `noise` are lines
  /// of something else, each as frequent as the others, and `noise end` what can be added to any of them; `stray` is the
  /// beginning of a line that no rule fits.
  private let templates: [String: [LineTemplate]]

  /// Makes the form whose templates and flaws have the name in `Data`.
  init(
    _ name: String, traits: FormTraits, noiseOdds: Int, routeField: String? = nil,
    data: @escaping @Sendable (LogRecord.Kind, inout ForgeRandom) -> ClientData
  ) {
    self.traits = traits
    self.noiseOdds = noiseOdds
    self.routeField = routeField
    self.data = data
    flaws = RecordFlaw.table(name)
    let kinds = [
      "attestation", "assertion", "bodiless", "challenge", "noise", "noise end", "stray",
    ]
    templates = Dictionary(
      uniqueKeysWithValues: kinds.map { ($0, LineTemplate.all("\(name) \($0)")) })
  }

  private func line(
    _ kind: String, _ random: inout ForgeRandom,
    _ value: (String, inout ForgeRandom) -> JSONLine.Value?
  ) -> JSONLine? {
    guard let choices = templates[kind], let first = choices.first else { return nil }
    return (choices.count > 1 ? random.pick(choices) : first).line(&random, value)
  }

  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    data(kind, &random)
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    let kind =
      record.kind == .assertion && record.data.bytes?.isEmpty != false
        && templates["bodiless"]?.isEmpty == false ? "bodiless" : record.kind.rawValue
    return line(kind, &random) { Self.value($0, of: record, &$1) } ?? JSONLine()
  }

  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    let record = LogRecord(kind: .challenge, time: time, data: ClientData(text: ""))
    var first = line("noise", &random) { Self.value($0, of: record, &$1) } ?? JSONLine()
    first.fields += line("noise end", &random) { Self.value($0, of: record, &$1) }?.fields ?? []
    return first
  }

  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var random = ForgeRandom(0)
    return line("stray", &random) { name, random in
      name.hasPrefix("tagged(")
        ? .string(name.dropFirst(7).dropLast() + tag) : Self.value(name, of: record, &random)
    } ?? JSONLine()
  }

  /// Returns a value by its name in a template. Some have an argument in parentheses, or several, with bars between them.
  static func value(
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
