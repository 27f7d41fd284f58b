import TestSupport
import Testing

@testable import AuditLog

/// Times in other forms than the default schema's.
struct TimeFormTests {
  @Test(arguments: [1, 300, 900, 1 << 20])
  func `batches of lines do not change which of two instants a local time means (records.R88)`(
    _ batchBytes: Int
  ) throws {
    var fields = assertionFields
    fields[.time] = FieldMapping(
      .pointers([pointer("/t")]), time: TimeForm(unit: .rfc3339, zone: vienna))
    let schema = try CompiledSchema(
      LogSchema(
        name: "test",
        rules: [SchemaRule(name: "rule 1", kind: .fixed(.assertion), fields: fields)]))
    let hours = ["02:10", "02:40", "", "{", "02:50", "02:20", "02:30", "{}", "02:35", "03:10"]
    let lines = hours.map {
      $0.contains(":") ? "{\"t\":\"2026-10-25T\($0):00\",\"b\":{\(assertionParts)}}" : $0
    }
    let scratch = try Scratch()
    let path = try scratch.write("log", lines.joined(separator: "\n") + "\n")
    let pool = BatchPool(batchBytes: batchBytes)
    let isObject: (Span<UInt8>) -> Bool = { $0.count > 0 && $0[0] == 0xA1 }
    let previous = try #require(
      PreviousTimes(schema, lineLimit: 1 << 20, isAppAttestObject: isObject))
    var minutes: [Int64] = []
    _ = SourceReader(lineLimit: 1 << 20, windowLimit: 1 << 20, pool: pool).read(
      LogSource(name: "log", origin: .file(path: path)), index: 0,
      to: SourceReader.Output(
        batch: { batch in
          previous.set(batch)
          // Another thread might decode the batch: nothing else is known of the lines before it.
          let reader = RecordReader(schema: schema, isAppAttestObject: isObject)
          reader.previousTime = batch.previousTime
          var buffer = ByteBuffer()
          batch.forEachLine(limit: 1 << 20) { line in
            if case .record(_, let time) = unsafe reader.read(line.text, into: &buffer) {
              minutes.append((time - 1_792_886_400_000) / 60_000)
            }
          }
          pool.giveBack(batch)
        }, damage: { _ in }, progress: { _ in }, mustStop: { false }))
    #expect(minutes == [10, 40, 50, 80, 90, 95, 130])
  }

  @Test func `a time without a zone is none where no place is named`() {
    let form = TimeForm(unit: .rfc3339)
    for (text, outcome) in [
      ("2026-03-01T11:00:00", TimeForm.Outcome.zoneless), ("2026-03-01T11:00:00.5", .zoneless),
      ("2026-03-01T25:00:00", .none), (String(repeating: "2", count: 300), .none),
    ] {
      #expect(form.read(Array(text.utf8).span, isString: true) == outcome, "\(text)")
    }
  }
}
