import AppAttest
import AuditLog

/// A reader of the `tests:` of a schema or pipeline file.
enum SchemaTestReader {
  static func read(_ node: PipelineNode) throws(CommandError) -> [SchemaTest] {
    var tests: [SchemaTest] = []
    for element in try node.elements() {
      let members = try element.members(["name", "line", "expect"])
      guard let line = members["line"] else { throw element.error("a test needs a line") }
      guard let expect = members["expect"] else {
        throw element.error("a test needs something to expect")
      }
      var text = try line.verbatim()
      if text.hasSuffix("\n") { text.removeLast() }
      guard !text.contains(where: \.isNewline) else {
        throw line.error("a log line is one line")
      }
      tests.append(
        SchemaTest(
          name: try members["name"]?.text() ?? "test \(tests.count + 1)", line: Array(text.utf8),
          expectation: try readExpectation(expect), origin: element.origin))
    }
    return tests
  }

  private static let fieldNames = [
    "kind", "time", "keyId", "token", "challenge", "payload", "clientData", "clientDataHash",
    "appId", "subject", "requestId", "clientIP", "userAgent", "route", "decision", "deviceId",
    "serverCounter",
  ]

  private static func readExpectation(
    _ node: PipelineNode
  ) throws(CommandError) -> SchemaTest.Expectation {
    let members = try node.members(["reject", "skipped"] + fieldNames)
    guard !members.isEmpty else { throw node.error("a test needs something to expect") }
    if members["reject"] != nil || members["skipped"] != nil {
      guard members.count == 1 else {
        throw node.error("a line that is not a record has no other fields to expect")
      }
    }
    if let reject = members["reject"] {
      return .reject(try reject.value(.word(Reject.Code.names.map { ($0.name, $0.code) })))
    }
    if let skipped = members["skipped"] {
      guard try skipped.value(.boolean) else {
        throw skipped.error("expect what the line is, not what it is not")
      }
      return .skipped
    }
    var record = ExpectedRecord()
    if let kind = members["kind"] {
      switch try kind.value(.word(SchemaRuleReader.kinds.map { ($0.name, $0.kind) })) {
      case .fixed(let kind): record.kind = kind
      default:
        guard members.count == 1 else {
          throw node.error("a DeviceCheck token has no other fields to expect")
        }
        return .deviceCheckToken
      }
    }
    record.time = try members["time"]?.value(.rfc3339)
    record.decision = try members["decision"]?.value(
      .word([("accepted", .accepted), ("rejected", .rejected), ("unknown", .unknown)]))
    record.serverCounter = try members["serverCounter"]?.value(.counterGap)
    for (name, value) in members.sorted(by: { $0.value.line < $1.value.line }) {
      guard let field = LogField(name: name) else { continue }
      switch field {
      case .keyId, .clientDataHash:
        record.bytes.append(.init(field: field, value: try value.value(.hexBytes), isText: false))
      case .token:
        record.bytes.append(
          .init(field: field, value: try value.value(.base64Bytes), isText: false))
      case .challenge, .payload, .clientData, .appId, .subject, .requestId, .deviceId, .clientIP,
        .userAgent, .route:
        record.bytes.append(
          .init(field: field, value: Array(try value.verbatim().utf8), isText: true))
      case .kind, .time, .duration, .decision, .serverCounter, .platform, .format: break
      }
    }
    return .record(record)
  }
}

extension SettingFormat<Int64> {
  /// The format of an RFC 3339 time. Its values are milliseconds since 1970.
  fileprivate static var rfc3339: SettingFormat {
    SettingFormat(expected: "a time by RFC 3339, such as 2026-03-01T12:00:00Z") {
      LogTime.parse(rfc3339: Array($0.utf8).span)
    }
  }
}

extension SettingFormat<[UInt8]> {
  fileprivate static var hexBytes: SettingFormat {
    SettingFormat(expected: "bytes in hex digits") { KeyTexts.hex($0) }
  }

  fileprivate static var base64Bytes: SettingFormat {
    SettingFormat(expected: "bytes in base64") { KeyTexts.base64($0) }
  }
}
