import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditReport

/// The columns of every table (`reports.R6`, `R11`, `R28`, `R36`).
struct ColumnsTests {
  // The golden report and Reports.md have the other columns.
  @Test func `a row tells another record only by what it knows (reports.R13)`() {
    let found = ReportedFinding(Rows.full, source: "a", line: 7)
    var stored = found
    (stored.finding.appID, stored.finding.requestID, stored.finding.severity) = ("", "", .low)
    #expect(stored.recordColumns(differingFrom: found) == [])
    stored.finding.code = .streamCorrupt
    stored.finding.subject += "x"
    stored.finding.position.line = 8
    #expect(stored.recordColumns(differingFrom: found) == ["code", "line", "subject"])
  }

  @Test func `columns of a state follow all others`() {
    #expect(
      FindingColumns.withState.header == FindingColumns.plain.header + ",first_seen,times_seen")
    #expect(BuildColumns.withState.header == BuildColumns.plain.header + ",first_night,nights")
  }

  @Test func `Reports.md, the JSON Schema and the Spark job name every column`() throws {
    let page = try Repository.text("Sources/attest-audit/Documentation.docc/Reports.md")
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for header in [FindingColumns.plain, FindingColumns.withState].map(\.header)
      + [KeyColumns.all.header, EventColumns.all.header, RejectColumns.all.header]
      + [BuildColumns.plain.header]
    where header != FindingColumns.withState.header {
      #expect(page.contains(header.replacing(",", with: ", ")), "\(header)")
    }
    let schema = try Repository.text("pipelines/schemas/json/finding.schema.json")
    for name in FindingColumns.withState.names {
      #expect(schema.contains("\"\(name)\": {"), "\(name)")
    }
    let job = try Repository.text("pipelines/spark/attest_audit.py")
    func set(_ name: String) throws -> Set<String> {
      let match = try #require(try Regex("\n\(name) = \\{([^}]*)\\}").firstMatch(in: job))
      let names = String(match.output[1].substring ?? "").matches(of: /"([a-z_]+)"/)
      return Set(names.map { String($0.1) })
    }
    func names<Row>(_ columns: Columns<Row>, _ kind: ColumnKind) -> [String] {
      columns.list.filter { $0.kind == kind }.map(\.name)
    }
    for (kind, name) in [(ColumnKind.time, "TIMES"), (.number, "NUMBERS")] {
      let all =
        names(FindingColumns.withState, kind) + names(KeyColumns.all, kind)
        + names(EventColumns.all, kind)
      #expect(try set(name).subtracting(["first_seen"]) == Set(all).subtracting(["first_seen"]))
    }
  }

  private static let finding: ReportedFinding = {
    var finding = Rows.full
    finding.item = 3
    finding.relatedTime = -5
    finding.relatedKeyID = Digest256.sha256([1].span)
    (finding.clientIP, finding.userAgent, finding.route) = ("192.0.2.7", "App/7", "/pay, now")
    return ReportedFinding(
      finding, Sighting(firstSeen: "2026-11-20", times: 2),
      SourceNames(InMemoryResult.sample().sources))
  }()

  private func csv<Row>(_ columns: Columns<Row>, _ row: Row) throws -> [String] {
    var rows = RowBuffer()
    columns.write(csv: row, to: &rows)
    var lines = CSVRows()
    return try #require(try lines.take(Array(rows.bytes.dropLast())))
  }

  // reports.R60, reports.R61.
  @Test func `a row is read as it was written`() throws {
    for sample in [Self.finding, ReportedFinding(Rows.reject, nil, SourceNames(["a"]))] {
      var rows = RowBuffer()
      let columns = FindingColumns.columns(hasState: sample.sighting != nil)
      columns.write(json: sample, to: &rows)
      let value = try #require(StoredValue(rows.bytes.dropLast()[...], JSONDocument()))
      var read = ReportedFinding()
      #expect(FindingColumns.withState.read(value, into: &read) == nil)
      var fromCSV = ReportedFinding()
      let places = try #require(FindingColumns.withState.places(of: columns.names))
      #expect(
        FindingColumns.withState.read(try csv(columns, sample), places, into: &fromCSV))
      for one in [read, fromCSV] {
        #expect(one.source == sample.source && one.relatedSource == sample.relatedSource)
        #expect(one.sighting == sample.sighting)
        var finding = one.finding
        finding.position.source = sample.finding.position.source
        finding.related = sample.finding.related
        #expect(finding == sample.finding && one.finding.related?.line == finding.related?.line)
      }
    }
    var key = KeyRow.empty
    let places = try #require(KeyColumns.all.places(of: KeyColumns.all.names))
    #expect(KeyColumns.all.read(try csv(KeyColumns.all, Rows.key), places, into: &key))
    var shown = Rows.key
    KeyColumns.all.takeTextOfTable(&shown)
    #expect(key == shown)
  }

  // reports.R36.
  @Test func `the rows of verdicts are those of the table`() throws {
    let result = InMemoryResult.sample()
    let sources = SourceNames(result.sources)
    for var verdict in result.verdicts {
      verdict.position.item = 2
      verdict.category = ValidationCategory(rawValue: 4)
      verdict.bundleVersion = "=7, \"x\""
      verdict.codeHash = [0xAB, 0]
      var (fast, plain) = (RowBuffer(), RowBuffer())
      verdict.write(sources, to: &fast)
      EventColumns.all.write(csv: TimelineEvent(verdict, sources: sources), to: &plain)
      #expect(fast.text == plain.text)
      var event = TimelineEvent()
      let places = EventColumns.all.list.indices.map { Optional($0) }
      #expect(
        EventColumns.all.read(
          try csv(EventColumns.all, TimelineEvent(verdict, sources: sources)), places, into: &event)
      )
      #expect(event == TimelineEvent(verdict, sources: sources))
    }
  }
}
