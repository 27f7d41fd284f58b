import AuditLog
import TestSupport
import Testing

@testable import AuditSettings

/// Lines with several records (`records.R84` to `records.R87`), and what schemas say of single ones.
struct SeveralRecordsTests {
  private static let key = String(repeating: "A", count: 43) + "="
  private static let own = #""k":"\#(key)","o":"oWA=","d":"body""#
  private static let fields =
    "{time: ^/t, keyId: /k, token: /o, clientData: {pointer: /d, encoding: utf8}}"
  private static let batch = "records: /e\nrules: [{kind: assertion, fields: \(fields)}]"

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns what the records of a line are read as, in their order.
  private func items(_ yaml: String, _ line: String) throws -> [String] {
    let reader = RecordReader(
      schema: try scratch.readSchema(yaml).compiled, isAppAttestObject: { _ in false })
    var buffer = ByteBuffer()
    var items: [String] = []
    unsafe (Array(line.utf8) + [UInt8](repeating: 0, count: LineBatch.padding))
      .withUnsafeBufferPointer { bytes in
        var next: RecordOutcome? = unsafe reader.read(
          UnsafeBufferPointer(rebasing: bytes[..<line.utf8.count]), into: &buffer)
        while let outcome = next {
          items.append(text(outcome, buffer))
          next = reader.next(into: &buffer)
        }
      }
    return items
  }

  private func text(_ outcome: RecordOutcome, _ buffer: ByteBuffer) -> String {
    switch outcome {
    case .reject(let reject): return "\(reject.code): \(reject.reason)"
    case .skipped(let reason): return "skipped: \(reason)"
    case .deviceCheckToken: return "deviceCheckToken"
    case .record(let record):
      func text(_ range: Range<Int>?) -> String {
        range.map { String(decoding: buffer.storage[$0], as: UTF8.self) } ?? "-"
      }
      return ["\(record.kind)", "\(record.time)", text(record.clientData), text(record.subject)]
        .joined(separator: " ")
    }
  }

  @Test(arguments: [
    (#"{"t":1,"e":[{\#(own)},{\#(own)}]}"#, ["assertion 1000 body -", "assertion 1000 body -"]),
    // A string that contains an object is read as a line would be, with its escapes undone.
    (
      #"{"t":1,"e":[" {\"k\":\"\#(key)\",\"o\":\"oWA=\",\"d\":\"\\u0041\"}"]}"#,
      ["assertion 1000 A -"]
    ),
    (
      #"{"t":1,"e":[7,"text",{\#(own)},null]}"#,
      ["skipped: noRecord", "skipped: noRecord", "assertion 1000 body -", "skipped: noRecord"]
    ),
    (
      #"{"t":1,"e":[{"k":1},{\#(own)}]}"#,
      ["missingField: The field keyId (/k) has the wrong type.", "assertion 1000 body -"]
    ),
    (#"{"e":[{"t":5,\#(own)}]}"#, ["missingField: The field time (^/t) is missing."]),
    (#"{"t":1,"e":[]}"#, ["skipped: noRecords"]), (#"{"t":1}"#, ["skipped: noRecords"]),
    (#"{"t":1,"e":{"a":1}}"#, ["skipped: noRecords"]),
    (
      #"{"t":1,"t":2,"e":[{\#(own)}]}"#,
      ["ambiguousField: A member around the records occurs twice or is not wrapped."]
    ),
    // Brackets, commas and quotes in strings end no element.
    (
      #"{"t":1,"e":[{"x":"],[\"}","y":[1,{"z":2}],\#(own)} , {\#(own)}]}"#,
      ["assertion 1000 body -", "assertion 1000 body -"]
    ),
    // An array in a string that contains JSON.
    (
      #"{"t":1,"e":"[{\"k\":\"\#(key)\",\"o\":\"oWA=\",\"d\":\"x\"},{}]"}"#,
      ["assertion 1000 x -", "missingField: The field keyId (/k) is missing."]
    ),
  ])
  func `each element of the array is read as a line, records.R84`(
    _ line: String, _ expected: [String]
  ) throws {
    #expect(try items(Self.batch, line) == expected)
  }

  @Test func `the first pointer that is present counts, and the line itself can be the record`()
    throws
  {
    let yaml = "records: [/e, '']\nrules: [{kind: assertion, fields: \(Self.fields)}]"
    #expect(try items(yaml, #"{"t":1,"e":[{\#(Self.own)}]}"#) == ["assertion 1000 body -"])
    #expect(try items(yaml, #"{"t":1,\#(Self.own)}"#) == ["assertion 1000 body -"])
  }

  @Test func `without records a pointer with ^ is one without`() throws {
    let yaml = "rules: [{kind: assertion, fields: \(Self.fields)}]"
    #expect(try items(yaml, #"{"t":1,\#(Self.own)}"#) == ["assertion 1000 body -"])
  }

  @Test func `every rule that fits makes a record, records.R85`() throws {
    let yaml = """
      fields: {time: /t, keyId: /k}
      rules:
        each: true
        list:
        - {name: a, when: [{pointer: /c, present: true}], kind: attestation, fields: {token: /n, challenge: /c}}
        - {name: b, when: [{pointer: /o, present: true}], kind: assertion, fields: {token: /o, payload: /d}}
        - {name: c, when: [{pointer: /o, present: true}], kind: assertion, fields: {token: /p, payload: /d}}
      """
    let line = #"{"t":1,\#(Self.own),"c":"ch","n":"oWA="}"#
    #expect(
      try items(yaml, line) == [
        "attestation 1000 ch -", "assertion 1000 body -",
        "missingField: The field token (/p) is missing.",
      ])
    #expect(try items(yaml, #"{"t":1}"#) == ["skipped: noRule"])
    // Elements first, then rules.
    let both = "records: /e\n" + yaml.replacing("time: /t", with: "time: ^/t")
    #expect(
      try items(both, #"{"t":1,"e":[{\#(Self.own)},{\#(Self.own),"c":"ch","n":"oWA="}]}"#).map {
        String($0.prefix(9))
      } == ["assertion", "missingFi", "attestati", "assertion", "missingFi"])
  }

  @Test func `more items than a position can say make the line a reject, records.R87`() throws {
    func line(_ count: Int) -> String {
      "{\"t\":1,\"e\":[" + [String](repeating: "{}", count: count).joined(separator: ",") + "]}"
    }
    #expect(try items(Self.batch, line(65_535)).count == 65_535)
    #expect(
      try items(Self.batch, line(65_536)) == [
        "malformedJSON: The line has more than 65535 records."
      ])
    let each = """
      records: /e
      rules: {each: true, list: [{kind: assertion, fields: \(Self.fields)}, {kind: assertion, fields: \(Self.fields)}]}
      """
    #expect(
      try items(each, line(32_768)) == ["malformedJSON: The line has more than 65535 records."])
    #expect(try items(each, line(32_767)).count == 65_534)
  }

  @Test(arguments: [
    ("duration: /s", #""s":0.25"#, 9750),
    ("duration: {pointer: /s, unit: ms}", #""s":"250""#, 9750),
    ("duration: {pointer: /s, unit: us}", #""s":1000001"#, 9000),
    ("duration: /s", #""s":null"#, 10_000),
    ("duration: /s", #""s":1e1"#, 0),
  ])
  func `a record's time is when handling began, records.R92`(
    _ mapping: String, _ member: String, _ time: Int
  ) throws {
    let yaml =
      "rules: [{kind: assertion, fields: {\(mapping), time: /t, keyId: /k, token: /o, payload: /d}}]"
    #expect(
      try items(yaml, #"{"t":10,\#(Self.own),\#(member)}"#) == ["assertion \(time) body -"])
  }

  @Test(arguments: ["-1", "\"1s\"", "9e99"])
  func `a duration that is none is a bad encoding`(_ value: String) throws {
    let yaml =
      "rules: [{kind: assertion, fields: {duration: /s, time: /t, keyId: /k, token: /o, payload: /d}}]"
    #expect(
      try items(yaml, #"{"t":10,\#(Self.own),"s":\#(value)}"#)
        == ["badEncoding: The field duration (/s) is not a number of s from 0."])
  }

  @Test(arguments: [
    (#""d":null"#, "assertion 1000  -"), (#""x":1"#, "assertion 1000  -"),
    (#""d":"""#, "assertion 1000  -"), (#""d":"b""#, "assertion 1000 b -"),
    (#""d":[1]"#, "missingField: The field clientData (/d) has the wrong type."),
  ])
  func `a request without a body has client data of zero bytes, records.R93`(
    _ member: String, _ expected: String
  ) throws {
    let yaml = """
      rules:
      - kind: assertion
        fields: {time: /t, keyId: /k, token: /o, clientData: {pointer: /d, encoding: utf8, absent: empty}}
      """
    #expect(try items(yaml, #"{"t":1,"k":"\#(Self.key)","o":"oWA=",\#(member)}"#) == [expected])
  }

  @Test func `a part of a template that is absent can count as empty`() throws {
    let yaml = """
      rules:
      - {kind: assertion, fields: {time: /t, keyId: /k, token: /o, payload: {template: "{/n}.{/d}", absent: empty}}}
      """
    let line = #"{"t":1,"k":"\#(Self.key)","o":"oWA=","n":"nonce"}"#
    #expect(try items(yaml, line) == ["assertion 1000 nonce. -"])
  }

  @Test(arguments: [
    ("records: e", "s.yaml:1: records: the JSON Pointer 'e' does not begin with '/'"),
    (
      "records: ['', /e]",
      "s.yaml:1: records: the line itself is always present, so nothing after it counts"
    ),
    ("records: [/e, /e]", "s.yaml:1: records: /e is in the list twice"),
    ("rules: {each: true}", "s.yaml:1: rules: rules need a list"),
    (
      "rules: [{kind: assertion, fields: {time: {pointer: /t, absent: empty}}}]",
      "s.yaml:1: rules.fields.time.absent: only client data at a pointer can be absent and count as empty"
    ),
    (
      "rules: [{kind: assertion, fields: {duration: {pointer: /t, unit: h}}}]",
      "s.yaml:1: rules.fields.duration.unit: 'h' is not one of s, ms, us, ns"
    ),
  ])
  func `a mistake is told with its line`(_ text: String, _ message: String) throws {
    let whole =
      text.contains("rules") ? text : text + "\nrules: [{kind: assertion, fields: \(Self.fields)}]"
    #expect(scratch.schemaComplaint(whole)?.message == message)
  }
}
