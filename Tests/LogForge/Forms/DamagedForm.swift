package import FindingCodes

/// A form that loggers, shippers and runtimes give to a clean log, and what an audit reports of it.
package struct DamagedForm: Sendable, CustomStringConvertible {
  package let name: String
  /// The systems whose logs can have the form.
  package var schemas = ForgedSchema.allCases
  /// The likely cause that an audit reports (`reports.R67` to `reports.R76`), or nil if there is nothing to
  /// explain.
  package var cause: String?
  /// The codes of the findings. Those above medium say that a part of the log is missing.
  package var codes: Set<FindingCode> = []
  /// The days of the log.
  package var days = 7
  /// Lines for the pipeline file, and a schema for it in place of the system's.
  var settings = ""
  var schema: String?
  /// Changes the lines of the log.
  var log: @Sendable ([[UInt8]]) -> [[UInt8]] = { $0 }
  /// Changes client data before they are signed.
  var data: @Sendable (ClientData) -> ClientData = { $0 }
  /// Changes a record after its request was signed.
  var record: @Sendable (inout LogRecord) -> Void = { _ in }
  /// Changes the line of a record.
  var line: @Sendable (inout JSONLine, LogRecord) -> Void = { _, _ in }

  /// Returns a log in this form, without blank lines.
  func text(_ bytes: [UInt8]) -> [UInt8] {
    Array(log(bytes.split(separator: 0x0A).map { Array($0) }).joined(separator: [0x0A])) + [0x0A]
  }
}

extension DamagedForm {
  package var description: String { name }

  /// The forms that public reports and attackers showed. Each is one row.
  package static let all = odd + damaged + whole

  /// Forms from which something is missing.
  private static let damaged: [DamagedForm] = [
    DamagedForm(
      name: "lines cut after one number of bytes", cause: "cutLines",
      codes: [.recordMalformedJSON, .recordNotAudited, .keyUnknown], log: cut),
    DamagedForm(
      name: "bodies cut after one number of bytes", schemas: identified, cause: "cutClientData",
      codes: [.assertionSignatureInvalid], data: { lengthened($0) },
      record: { $0.changeData { Array($0.prefix(100)) } }),
    DamagedForm(
      name: "letters as replacement characters", schemas: identified + [.swiftui, .capgo],
      cause: "lossyClientData", codes: [.recordClientDataLossy],
      record: { $0.changeData { replacing("ë", "\u{FFFD}", in: $0) } }),
    DamagedForm(
      name: "null messages", schemas: [.cloudwatch], cause: "nullRecords",
      line: { line, record in
        if record.kind == .assertion, record.time % 3 == 0 { line.set("message", raw: "null") }
      }),
    DamagedForm(
      name: "registrations without a body", schemas: [.nginxJson, .envoy, .deviceIntegrity],
      cause: "tokenlessRequests", codes: [.keyUnknown, .recordMissingField],
      line: { if $1.kind == .attestation { $0.set("body", raw: #""-""#) } }),
    DamagedForm(
      name: "parts of Docker", schemas: [.capgo], cause: "partLines",
      codes: [.keyUnknown, .recordMissingField], schema: capgo(at: "/log"), log: docker),
    DamagedForm(
      name: "parts of CRI", schemas: [.capgo], cause: "partLines",
      codes: [.keyUnknown, .recordMalformedJSON, .recordNotAudited],
      schema: capgo(more: "prefix: skip, "), log: cri),
    DamagedForm(
      name: "lines with identifiers twice", schemas: identified, codes: [.recordDuplicate],
      log: twice),
    DamagedForm(
      name: "lines twice", schemas: unidentified, cause: "identicalRecords",
      codes: [.replayAssertion, .replayAttestation], log: twice),
    DamagedForm(
      name: "lines twice as duplicates", schemas: unidentified,
      codes: [.recordDuplicate], settings: "detect: {identicalRecords: duplicate}\n", log: twice),
    DamagedForm(
      name: "no registrations", schemas: ForgedSchema.allCases.filter { $0 != .awsApigw },
      cause: "noRegistrations", codes: [.keyUnknown],
      log: { $0.filter { !isRegistration($0) } }),
    DamagedForm(
      name: "an input that did not arrive", cause: "missingInput", codes: [.streamMissing],
      settings: "expect: [{inputs: logs/edge-q-*, lines: 1}]\n"),
    DamagedForm(
      name: "the hour that occurs twice", schemas: [.capgo], cause: "ambiguousTimes", days: 36,
      schema: capgo(zone: "America/Santiago"),
      line: { $0.set("time", text: localTime($1.time, 1_775_358_000_000, -180, -240)) }),
    DamagedForm(
      name: "more rejects than findings", cause: "cutLines",
      codes: [.recordMalformedJSON, .recordNotAudited, .keyUnknown],
      settings: "limits: {rejects: 5}\n", log: cut),
  ]

  /// Forms from which nothing is missing.
  private static let whole: [DamagedForm] = [
    DamagedForm(
      name: "null for an empty body", schemas: bodies,
      log: each { _, line in
        replacing(
          #"ody\":\"\""#, #"ody\":null"#, in: replacing(#"ody":"""#, #"ody":null"#, in: line))
      }),
    DamagedForm(
      name: "a status that decides nothing", schemas: bodies + [.swiftui],
      log: each { place, line in
        replacing("\":200", "\":\([406, 412, 416, 499, 502][place % 5])", in: line)
      }),
    DamagedForm(
      name: "a dash for each identifier", schemas: identified, record: { $0.requestID = "-" }),
    DamagedForm(name: "several events in a line", schemas: [.cloudwatch], log: batches),
    DamagedForm(
      name: "times at the end of handling", schemas: [.nginxJson],
      line: { line, _ in line.add("request_time", raw: "0.250") }),
    DamagedForm(
      name: "the hour that does not exist", schemas: [.capgo], days: 9,
      schema: capgo(zone: "America/New_York"),
      // The clock goes forward at 07:00 UTC, and the logger an hour later (`records.R89`).
      line: { $0.set("time", text: localTime($1.time, 1_772_956_800_000, -300, -240)) }),
    DamagedForm(name: "passkeys in between", log: { $0.flatMap { [$0, passkey] } }),
  ]

  /// Lines that only a second reading understands (`records.R81`).
  private static let odd: [DamagedForm] = [
    odd("byte order marks", head: [0xEF, 0xBB, 0xBF]), odd("zero bytes", head: [0, 0]),
    odd("colour codes", "}\u{1B}[0m"), odd("empty arrays", "} []"),
    odd("half a letter", #","agent":"\ud83d"}"#), odd("NaN", #","latency":NaN}"#),
    odd("tabs", ",\"agent\":\"\t\"}"), odd("\\xFF", #","agent":"\xFF"}"#),
    DamagedForm(
      name: "a byte that is not UTF-8", codes: [.recordOddJSON],
      log: each { _, line in
        Array(line.dropLast()) + Array(#","agent":""#.utf8) + [0xFF, 0x22, 0x7D]
      }),
    DamagedForm(
      name: "quotation marks as \\x22", schemas: [.nginxJson, .envoy, .deviceIntegrity],
      codes: [.recordOddJSON], log: each { _, line in replacing(#"\""#, #"\x22"#, in: line) }),
  ]

  /// Returns a form in which a third of the lines has something before it, and `tail` in place of its last brace.
  private static func odd(
    _ name: String, head: [UInt8] = [], _ tail: String = "}"
  ) -> DamagedForm {
    DamagedForm(
      name: name, codes: [.recordOddJSON],
      log: each { place, line in
        place % 3 == 1 ? head + Array(line.dropLast()) + Array(tail.utf8) : line
      })
  }

  private static func each(
    _ change: @escaping @Sendable (Int, [UInt8]) -> [UInt8]
  ) -> @Sendable ([[UInt8]]) -> [[UInt8]] {
    { lines in lines.enumerated().map { change($0.offset, $0.element) } }
  }

  @Sendable private static func cut(_ lines: [[UInt8]]) -> [[UInt8]] {
    let length = (lines.map(\.count).max() ?? 0) / 2
    return lines.map { Array($0.prefix(length)) }
  }

  @Sendable private static func docker(_ lines: [[UInt8]]) -> [[UInt8]] {
    parts(lines.map { $0 + [0x0A] }).map { part, _ in
      var line = JSONLine()
      line.add("log", ascii: part)
      line.add("stream", text: "stdout")
      line.add("time", text: "2026-03-01T00:00:00Z")
      return line.bytes()
    }
  }

  @Sendable private static func cri(_ lines: [[UInt8]]) -> [[UInt8]] {
    parts(lines).map { part, isLast in
      Array("2026-03-01T00:00:00Z stdout \(isLast ? "F" : "P") ".utf8) + part
    }
  }

  /// Returns lines of CloudWatch with three events each.
  @Sendable private static func batches(_ lines: [[UInt8]]) -> [[UInt8]] {
    stride(from: 0, to: lines.count, by: 3).map { start in
      let events = lines[start..<min(start + 3, lines.count)].joined(separator: [0x2C])
      var line = JSONLine()
      line.add("messageType", text: "DATA_MESSAGE")
      line.add("logEvents", raw: [0x5B] + Array(events) + [0x5D])
      return line.bytes()
    }
  }

  private static let identified: [ForgedSchema] = [
    .deviceIntegrity, .nginxJson, .envoy, .otel, .gcp, .cloudwatch, .awsApigw,
  ]
  private static let unidentified: [ForgedSchema] = [.capgo, .swiftui, .headerAssertion]
  /// The systems whose requests sign their body.
  private static let bodies = identified + [.headerAssertion]

  /// A line with an attestation object of a passkey, which no rule reads.
  private static let passkey: [UInt8] = {
    var authData = [UInt8](repeating: 9, count: 32) + [0x45]
    authData += [UInt8](repeating: 0, count: 21) + [16] + [UInt8](repeating: 1, count: 16)
    authData += AttestationMint.coseKey([UInt8](repeating: 7, count: 65), algorithm: -7)
    let object = CBORWriter.map([
      (CBORWriter.text("fmt"), CBORWriter.text("none")),
      (CBORWriter.text("attStmt"), CBORWriter.map([])),
      (CBORWriter.text("authData"), CBORWriter.bytes(authData)),
    ])
    var line = JSONLine()
    line.add("platform", text: "web")
    line.add("attestationObject", ascii: TextCode.base64URL.encode(object))
    return line.bytes()
  }()

  /// Returns Capgo's schema with its members at `place`, as one line of YAML.
  private static func capgo(
    at place: String = "", zone: String? = nil, more: String = ""
  ) -> String {
    let time = zone.map { "{pointer: /time, format: '%Y-%m-%d %H:%M:%S%f', zone: \($0)}" }
    let names = ["keyId", "token", "challenge", "payload", "decision", "platform", "format"]
    let fields =
      ["time: \(time ?? place + "/time")"] + names.map { "\($0): \(place)/\($0)" }
    return "{\(more)rules: [{name: record, fields: {\(fields.joined(separator: ", "))}}]}"
  }

  /// Returns a time as a clock shows it that is put forward or back at `change`: the offsets are in minutes.
  private static func localTime(
    _ time: Int64, _ change: Int64, _ before: Int64, _ after: Int64
  ) -> [UInt8] {
    let text = CalendarTime.rfc3339(time, offset: time < change ? before : after)
    return Array(text.prefix(23).replacing("T", with: " ").utf8)
  }

  private static func isRegistration(_ line: [UInt8]) -> Bool {
    line.firstRange(of: Array("NmbXRv".utf8)) != nil
  }

  /// Returns each line with every fifth one twice.
  @Sendable private static func twice(_ lines: [[UInt8]]) -> [[UInt8]] {
    lines.enumerated().flatMap { place, line in
      place % 5 == 0 || isRegistration(line) ? [line, line] : [line]
    }
  }

  /// Returns each line in parts of 4,096 bytes, and whether each part is the last of its line.
  private static func parts(_ lines: [[UInt8]]) -> [(part: [UInt8], isLast: Bool)] {
    lines.flatMap { line in
      stride(from: 0, to: line.count, by: 4096).map { start in
        (Array(line[start...].prefix(4096)), start + 4096 >= line.count)
      }
    }
  }

  private static func lengthened(_ data: ClientData) -> ClientData {
    guard let bytes = data.bytes, bytes.count > 20 else { return data }
    return ClientData(bytes: bytes + [UInt8](repeating: 0x20, count: 100))
  }

  private static func replacing(_ text: String, _ other: String, in bytes: [UInt8]) -> [UInt8] {
    bytes.replacing(Array(text.utf8), with: Array(other.utf8))
  }
}

extension LogRecord {
  /// Changes the logged client data of an assertion. What was signed stays.
  fileprivate mutating func changeData(_ change: ([UInt8]) -> [UInt8]) {
    if kind == .assertion { data = ClientData(bytes: change(data.bytes ?? [])) }
  }
}
