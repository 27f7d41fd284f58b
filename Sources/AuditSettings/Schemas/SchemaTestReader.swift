import AppAttest
package import AuditLog
import Basics

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
    if let kind = members["kind"], try kind.verbatim() == "deviceCheckToken" {
      guard members.count == 1 else {
        throw node.error("a DeviceCheck token has no other fields to expect")
      }
      return .deviceCheckToken
    }
    let first = ["kind", "time", "decision", "serverCounter"]
    func rank(_ member: (key: String, value: PipelineNode)) -> (Int, Int) {
      (first.firstIndex(of: member.key) ?? first.count, member.value.line)
    }
    var fields: [SchemaTest.Field] = []
    for (name, value) in members.sorted(by: { rank($0) < rank($1) }) {
      if let field = LogField(name: name) { fields.append(try read(value, field)) }
    }
    return .record(fields)
  }

  /// Reads the expected value of a field.
  private static func read(
    _ node: PipelineNode, _ field: LogField
  ) throws(CommandError) -> SchemaTest.Field {
    func plain(_ text: String) -> SchemaTest.Field { .init(field, Array(text.utf8), .plain) }
    func word(_ words: [String]) throws(CommandError) -> SchemaTest.Field {
      plain(try node.value(.word(words.map { ($0, $0) })))
    }
    return switch field {
    case .kind: try word(SchemaRuleReader.kinds.map(\.name))
    case .time: plain(CivilTime(milliseconds: try node.value(.rfc3339)).text)
    case .decision: try word(["accepted", "rejected", "unknown"])
    case .serverCounter: plain("\(try node.value(.counterGap))")
    case .keyId, .clientDataHash: .init(field, try node.value(.hexBytes), .hex)
    case .token: .init(field, try node.value(.base64Bytes), .hex)
    default: .init(field, Array(try node.verbatim().utf8), .text)
    }
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

/// A line, and the expected result of reading it.
package struct SchemaTest: Sendable, Equatable {
  package enum Expectation: Sendable, Equatable {
    case skipped
    case deviceCheckToken
    case reject(Reject.Code)
    /// A record with these fields at least.
    case record([Field])
  }

  /// The expected value of a field.
  package struct Field: Sendable, Equatable {
    /// The way in which a value is shown.
    package enum Form: Sendable, Equatable {
      case plain, text, hex
    }
    package let field: LogField
    package let value: [UInt8]
    package let form: Form

    init(_ field: LogField, _ value: [UInt8], _ form: Form) {
      self.field = field
      self.value = value
      self.form = form
    }
  }

  /// The name for messages.
  package var name: String
  /// The line without its end.
  package var line: [UInt8]
  package var expectation: Expectation
  /// The place of the test, such as `capgo.yaml:41`.
  package var origin: String
}

extension Reject.Code {
  /// The codes with their names in the reports.
  package static let names: [(name: String, code: Reject.Code)] = [
    ("record.malformed_json", .malformedJSON), ("record.missing_field", .missingField),
    ("record.bad_encoding", .badEncoding), ("record.ambiguous_field", .ambiguousField),
  ]

  /// The name in the reports.
  package var name: String { Self.names.first { $0.code == self }?.name ?? "" }
}
