import AuditLog
import TestSupport
import Testing

@testable import AuditSettings

/// Lines with several records (`records.R84` to `records.R87`), and what schemas say of single ones.
struct SeveralRecordsTests {
  private static let fields =
    "{time: ^/t, keyId: /k, token: /o, clientData: {pointer: /d, encoding: utf8}}"
  private static let batch = "records: /e\nrules: [{kind: assertion, fields: \(fields)}]"

  private let scratch = made { try Scratch() }

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
          items.append(text(outcome, reader.record, buffer))
          next = reader.next(into: &buffer)
        }
      }
    return items
  }

  private func text(_ outcome: RecordOutcome, _ record: Record, _ buffer: ByteBuffer) -> String {
    switch outcome {
    case .reject(let reject): return "\(reject.code): \(reject.reason)"
    case .skipped(let reason): return "skipped: \(reason)"
    case .deviceCheckToken: return "deviceCheckToken"
    case .record:
      func text(_ range: Range<Int>?) -> String {
        range.map { String(decoding: buffer.storage[$0], as: UTF8.self) } ?? "-"
      }
      return ["\(record.kind)", "\(record.time)", text(record.clientData), text(record[.subject])]
        .joined(separator: " ")
    }
  }

  /// Each case is a schema, a line, and the records that it has (records.R84 to R87, R92, R93).
  @Test(arguments: TextCase.read("records-of-lines"))
  func `a line has these records`(_ test: TextCase) throws {
    let lines = test.text.split(separator: "\n")
    let found = try items(
      lines.dropLast().joined(separator: "\n"), String(try #require(lines.last)))
    #expect(found.joined(separator: " / ") == test.message)
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
}
