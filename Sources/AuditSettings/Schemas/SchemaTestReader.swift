package import AuditLog
import Basics

/// A reader of the `tests:` of a schema or pipeline file.
enum SchemaTestReader {
  static func read(_ node: PipelineNode) throws(CommandError) -> [SchemaTest] {
    var tests: [SchemaTest] = []
    for element in try node.elements() {
      let members = try element.members(["name", "line", "expect"])
      let line = try element.needed("line", of: members, "a test needs a line")
      let expect = try element.needed("expect", of: members, "a test needs something to expect")
      var text = try line.verbatim()
      if text.hasSuffix("\n") { text.removeLast() }
      try line.require(!text.contains(where: \.isNewline), "a log line is one line")
      tests.append(
        SchemaTest(
          name: try members["name"]?.text() ?? "test \(tests.count + 1)", line: Array(text.utf8),
          expectation: try readExpectation(expect), origin: element.origin))
    }
    return tests
  }

  private static let fieldNames = LogField.allCases.map(\.name)
    .filter { !["duration", "platform", "format"].contains($0) }

  private static func readExpectation(
    _ node: PipelineNode
  ) throws(CommandError) -> SchemaTest.Expectation {
    let members = try node.members(["reject", "skipped"] + fieldNames)
    guard !members.isEmpty else { throw node.error("a test needs something to expect") }
    if members["reject"] != nil || members["skipped"] != nil {
      try node.require(
        members.count == 1, "a line that is not a record has no other fields to expect")
    }
    if let reject = members["reject"] {
      return .reject(try reject.value(.word(Reject.Code.names.map { ($0.name, $0.code) })))
    }
    if let skipped = members["skipped"] {
      try skipped.require(
        try skipped.value(.boolean), "expect what the line is, not what it is not")
      return .skipped
    }
    if let kind = members["kind"], try kind.verbatim() == "deviceCheckToken" {
      try node.require(members.count == 1, "a DeviceCheck token has no other fields to expect")
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

  private static func read(
    _ node: PipelineNode, _ field: LogField
  ) throws(CommandError) -> SchemaTest.Field {
    let words = FieldMappingReader.words(of: field)
    let value: [UInt8] =
      switch field {
      case .kind, .decision: Array(try node.value(.word(words.map { ($0, $0) })).utf8)
      case .time: try node.value(time)
      case .serverCounter: Array("\(try node.value(SettingFormat<UInt32>.counter))".utf8)
      case .keyId, .clientDataHash:
        try node.value(SettingFormat(expected: "bytes in hex digits") { KeyTexts.hex($0) })
      case .token:
        try node.value(SettingFormat(expected: "bytes in base64") { KeyTexts.base64($0) })
      default: Array(try node.verbatim().utf8)
      }
    return SchemaTest.Field(field: field, value: value)
  }

  /// The format of an RFC 3339 time. Its values are the text of the time as records have it.
  private static let time = SettingFormat(
    expected: "a time by RFC 3339, such as 2026-03-01T12:00:00Z"
  ) { text in
    LogTime.parse(rfc3339: Array(text.utf8).span).map {
      Array(CivilTime(milliseconds: $0).text.utf8)
    }
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

  /// The expected value of a field: bytes, or the text of a kind, a time, a decision or a number.
  package struct Field: Sendable, Equatable {
    package let field: LogField
    package let value: [UInt8]
  }

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

  package var name: String { Self.names.first { $0.code == self }?.name ?? "" }
}
