import TestSupport
import Testing

@testable import AuditLog

/// Times in other forms than the default schema's.
struct TimeFormTests {
  private func read(_ form: TimeForm, _ text: String) -> Int64? {
    form.milliseconds(Array(text.utf8).span, isString: true)
  }

  @Test(
    arguments: [
      ("%d/%b/%Y:%H:%M:%S %z", "01/Mar/2026:10:00:00 +0000", 1_772_359_200_000),
      ("%d/%b/%Y:%H:%M:%S %z", "01/mar/2026:11:30:00 +0130", 1_772_359_200_000),
      ("[%d/%b/%Y:%H:%M:%S %z]", "[01/Mar/2026:10:00:00 +0000]", 1_772_359_200_000),
      ("%Y-%m-%d %H:%M:%S%f %z UTC", "2026-03-01 10:00:00.25 +0000 UTC", 1_772_359_200_250),
      ("%Y-%m-%d %H:%M:%S%f %z UTC", "2026-03-01 10:00:00 +0000 UTC", 1_772_359_200_000),
      ("%Y-%m-%d %H:%M:%S%f%z", "2026-03-01 10:00:00,2509Z", 1_772_359_200_250),
      ("%Y-%m-%dT%H:%M:%S%f%z", "2026-03-01T05:00:00.25-0500", 1_772_359_200_250),
      ("%a, %d %b %Y %H:%M:%S %z", "Sun, 01 Mar 2026 10:00:00 GMT", 1_772_359_200_000),
      ("%Y%m%d%H%M%z", "202603011000+00", 1_772_359_200_000),
      ("%m/%d/%Y %I:%M:%S %p %z", "03/01/2026 10:00:00 AM Z", 1_772_359_200_000),
      ("%m/%d/%Y %I:%M:%S %p %z", "03/01/2026 9:59:59 pm Z", 1_772_402_399_000),
      ("%m/%d/%Y %I:%M:%S %p %z", "03/01/2026 12:00:00 am Z", 1_772_323_200_000),
      ("%m/%d/%Y %I:%M:%S %p %z", "03/01/2026 12:00:00 PM Z", 1_772_366_400_000),
      ("%m/%d/%Y %I:%M:%S %p %z", "03/01/2026 13:00:00 PM Z", nil),
      ("%m/%d/%Y %I:%M:%S %p %z", "03/01/2026 10:00:00 XM Z", nil),
      ("%Y-%m-%d %H:%M:%S%f %z %*", "2026-03-01 10:00:00.25 +0000 UTC m=+8.1", 1_772_359_200_250),
      ("%Y-%m-%d %H:%M:%S%f %z %*", "2026-03-01 11:00:00.25 +0100 CET", 1_772_359_200_250),
      ("%a %b %e %H:%M:%S %z %Y", "Sun Mar  1 10:00:00 UTC 2026", 1_772_359_200_000),
      ("%b %e, %Y @ %H:%M:%S%f %z", "Mar 1, 2026 @ 10:00:00.25 Z", 1_772_359_200_250),
      ("%b %e, %Y @ %H:%M:%S%f %z", "Mar 11, 2026 @ 10:00:00.25 Z", 1_773_223_200_250),
      ("%e %b %Y %H:%M %z", "01 Mar 2026 10:00 Z", 1_772_359_200_000),
      ("%e %b %Y %H:%M %z", " 12 Mar 2026 10:00 Z", nil),
      ("%e %b %Y %H:%M %z", "  1 Mar 2026 10:00 Z", nil),
      ("%e %b %Y %H:%M %z", "111 Mar 2026 10:00 Z", nil),
      ("%e %b %Y %H:%M %z", "0 Mar 2026 10:00 Z", nil),
      ("%H:%M %b %Y %z %e", "10:00 Mar 2026 Z ", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-02-29 10:00:00 +0000", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-13-01 10:00:00 +0000", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-03-01 24:00:00 +0000", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-03-01 10:00:00 +2400", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-03-01 10:00:00 CET", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-03-01 10:00:00 ", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-03-01 10:00:00 +0000x", nil),
      ("%Y-%m-%d %H:%M:%S %z", "2026-03-01 10:00:0", nil), ("%Y-%m-%d %H:%M:%S %z", "", nil),
      ("%Y-%m-%d %H:%M:%S %z", "२०२६-03-01 10:00:00 +0000", nil),
      ("%d/%b/%Y:%H:%M:%S %z", "01/Xyz/2026:10:00:00 +0000", nil),
      ("%d/%b/%Y:%H:%M:%S %z", "01/Ma/2026:10:00:00 +0000", nil),
      ("%Y-%m-%d %H:%M:%S%f%z", "2026-03-01 10:00:00.Z", nil),
    ] as [(String, String, Int64?)])
  func `a pattern says how a time is written`(
    _ pattern: String, _ text: String, _ time: Int64?
  ) throws {
    #expect(read(TimeForm(pattern: try TimePattern(parsing: pattern)), text) == time)
  }

  @Test(arguments: [
    ("%Y-%m-%d", "has no hour"), ("%H:%M", "has no year"), ("%Y %d %H %M", "has no month"),
    ("%Y %m %b %d %H %M", "says the same twice"), ("%Y%Y %m %d %H %M", "says the same twice"),
    ("%Y-%m-%d %H:%M%", "has a '%' that is none of %Y %m %b %d %e %H %I %p %M %S %f %z %a %* %%"),
    ("%Y %m %d %e %H %M", "says the same twice"), ("%Y %m %H %M", "has no day"),
    ("%Y-%m-%d %I:%M", "needs %I and %p together, or %H"),
    ("%Y-%m-%d %H:%I:%M %p", "needs %I and %p together, or %H"),
    ("%Y-%m-%d %H:%M%*:%S", "goes on after '%*'"),
    ("%Q", "has a '%' that is none of %Y %m %b %d %e %H %I %p %M %S %f %z %a %* %%"),
  ])
  func `a pattern that leaves a time open is none`(_ pattern: String, _ text: String) {
    #expect(throws: TimePattern.Problem(text: text)) { try TimePattern(parsing: pattern) }
  }

  private static let vienna = ZoneRules(
    name: "Vienna",
    shifts: [
      .init(from: 0, offset: 3_600_000), .init(from: 1_774_746_000_000, offset: 7_200_000),
      .init(from: 1_792_890_000_000, offset: 3_600_000),
    ])

  @Test(
    arguments: [
      ("2026-03-01T11:00:00", 1_772_359_200_000), ("2026-03-01 11:00:00.250", 1_772_359_200_250),
      // A time that carries its zone needs none.
      ("2026-03-01T10:00:00Z", 1_772_359_200_000), ("2026-03-29T01:59:59", 1_774_745_999_000),
      // Between two and three the clocks show nothing in spring, and everything twice in autumn.
      ("2026-03-29T02:30:00", 1_774_747_800_000), ("2026-03-29T03:00:00", 1_774_746_000_000),
      ("2026-10-25T02:30:00", 1_792_888_200_000), ("2026-10-25T03:00:00", 1_792_893_600_000),
      ("2026-03-01T11:00", nil), ("2026-03-01T11:00:00+", nil), ("2026-03-01T11:00:00 UTC", nil),
      ("2026-02-30T11:00:00", nil), ("", nil),
    ] as [(String, Int64?)])
  // records.R88, records.R89.
  func `a time without a zone is one by the clocks of the place`(_ text: String, _ time: Int64?) {
    #expect(read(TimeForm(unit: .rfc3339, zone: Self.vienna), text) == time)
    #expect(read(TimeForm(zone: Self.vienna), text) == time)
  }

  @Test
  func
    `a local time that occurs twice is the later one if the earlier would go back (records.R88)`()
    throws
  {
    var fields = assertionFields
    fields[.time] = FieldMapping(
      .pointers([pointer("/t")]), time: TimeForm(unit: .rfc3339, zone: Self.vienna))
    let reader = try SchemaReader(fields)
    let first: Int64 = 1_792_886_400_000
    for (local, minutes) in [
      ("01:59:59", 0), ("02:30:00", 30), ("02:59:00", 59), ("02:00:00", 60), ("02:30:00", 90),
      ("02:10:00", 70), ("03:10:00", 130), ("02:20:00", 80),
    ] as [(String, Int64)] {
      let read = reader("{\"t\":\"2026-10-25T\(local)\",\"b\":{\(assertionParts)}}")
      #expect(read.time == (minutes == 0 ? first - 1000 : first + minutes * 60_000), "\(local)")
    }
    reader.reader.previousTime = nil
    let read = reader("{\"t\":\"2026-10-25T02:20:00\",\"b\":{\(assertionParts)}}")
    #expect(read.time == first + 1_200_000)
  }

  @Test(arguments: [1, 300, 900, 1 << 20])
  func `batches of lines do not change which of two instants a local time means (records.R88)`(
    _ batchBytes: Int
  ) throws {
    var fields = assertionFields
    fields[.time] = FieldMapping(
      .pointers([pointer("/t")]), time: TimeForm(unit: .rfc3339, zone: Self.vienna))
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
            if case .record(let record) = unsafe reader.read(line.text, into: &buffer) {
              minutes.append((record.time - 1_792_886_400_000) / 60_000)
            }
          }
          pool.giveBack(batch)
        }, damage: { _ in }, progress: { _ in }, mustStop: { false }))
    #expect(minutes == [10, 40, 50, 80, 90, 95, 130])
  }

  @Test func `the end of handling decides, if a log states durations (records.R88, R92)`() throws {
    var fields = assertionFields
    fields[.time] = FieldMapping(
      .pointers([pointer("/t")]), time: TimeForm(unit: .rfc3339, zone: Self.vienna))
    fields[.duration] = at("/s")
    let reader = try SchemaReader(fields)
    for (local, seconds, minutes) in [("02:30", 0, 30), ("02:31", 120, 29), ("02:31", 0, 31)] {
      let line = "{\"t\":\"2026-10-25T\(local):00\",\"s\":\(seconds),\"b\":{\(assertionParts)}}"
      #expect(reader(line).time == 1_792_886_400_000 + Int64(minutes) * 60_000, "\(local)")
    }
  }

  @Test func `a time without a zone is none where no place is named`() {
    let reading = TimeReading(TimeForm(unit: .rfc3339))
    defer { reading.deallocate() }
    for (text, outcome) in [
      ("2026-03-01T11:00:00", TimeReading.Outcome.zoneless), ("2026-03-01T11:00:00.5", .zoneless),
      ("2026-03-01T25:00:00", .none), (String(repeating: "2", count: 300), .none),
    ] {
      #expect(reading.read(Array(text.utf8).span, isString: true) == outcome, "\(text)")
    }
  }

  @Test(
    arguments: [
      ("Z", 0), ("UTC", 0), ("gmt", 0), ("+01:00", 3_600_000), ("-0330", -12_600_000),
      ("+05", 18_000_000), ("CET", nil), ("+1", nil), ("01:00", nil), ("+24:00", nil),
      ("+01:60", nil), ("", nil), ("+0:100", nil),
    ] as [(String, Int64?)])
  func `an offset is a zone`(_ text: String, _ offset: Int64?) {
    #expect(ZoneRules(offset: text)?.shifts.first?.offset == offset)
  }
}
