import AuditLog
import Testing

@testable import AuditEngine
@testable import AuditReport

struct SummaryBlockTests {
  @Test func `the block names severities, codes, keys, records, inputs and the report`() {
    let result = InMemoryResult.sample()
    let block = SummaryBlock(
      inputs: result.inputs, totals: result.totals, report: "reports/today", coloured: false)
    #expect(
      block.text == """
        2 findings
          high       1
          medium     1
            counter.regression                    1
            record.malformed_json                 1
        keys     1 attested
        records  0 attestations, 2 assertions, 0 challenges, 1 unreadable
        inputs   2 files, 1 unreadable
        report   reports/today

        """)
  }

  @Test func `without a state the worst are named, and why inputs cannot be read`() throws {
    var result = InMemoryResult.sample()
    var stream = Rows.reject
    stream.severity = .high
    stream.code = .streamUnreadable
    stream.position.line = 0
    stream.detail = "The input cannot be read: no such \u{1B}[31mfile."
    var accepted = Rows.full
    accepted.isAccepted = true
    result.findings = [stream, Rows.reject, Rows.full, accepted]
    let overview = FindingOverview()
    var count = 0
    try overview.observing(result).forEachFinding { _ in count += 1 }
    #expect(count == 4)
    let text = SummaryBlock(
      inputs: result.inputs, totals: result.totals, report: nil, overview: overview,
      coloured: false
    ).text
    #expect(
      text == """
        day/a.jsonl: The input cannot be read: no such \\u001b[31mfile.
        2 findings
          without a key, 2 findings
            high      stream.unreadable      no time
                      0000000000000001  day/a.jsonl
            medium    record.malformed_json  no time
                      0000000000000001  day/a.jsonl:9
          key 0001020304050607, 1 finding
            high      counter.regression     2026-03-01T12:00:00.123Z
                      00abcdef01234567  day/b, c.jsonl.zst:42
          high       1
          medium     1
            counter.regression                    1
            record.malformed_json                 1
        keys     1 attested
        records  0 attestations, 2 assertions, 0 challenges, 1 unreadable
        inputs   2 files, 1 unreadable

        """)
  }

  @Test func `what is withdrawn is named with the reason, the worst first`() throws {
    let overview = FindingOverview()
    let sources = SourceNames(InMemoryResult.sample().sources)
    for severity in [Severity.low, .critical] {
      var finding = Rows.full
      finding.severity = severity
      finding.detail = "Withdrawn, since it is."
      for _ in 0..<6 { overview.add(withdrawn: finding, sources) }
    }
    #expect(
      overview.withdrawn.map(\.severity.name) == [
        "critical", "critical", "critical", "critical", "critical", "critical", "low", "low", "low",
        "low",
      ])
    let text = SummaryBlock(
      inputs: [], totals: AuditTotals(), report: nil, overview: overview,
      state: SummaryBlock.State(news: FindingNews(), onlyNew: true, closedCount: 12),
      coloured: false
    ).text
    let named = """
        critical  counter.regression  key 0001020304050607
                  00abcdef01234567  day/b, c.jsonl.zst:42
                  Withdrawn, since it is.

      """
    #expect(text.contains("\nwithdrawn 12 earlier findings\n" + named + named))
    #expect(text.contains("\n  and 2 more\n"))
  }

  @Test func `codes stand by what they were found with, then by how many there are`() throws {
    var totals = AuditTotals()
    for (code, count, worst) in [
      (FindingCode.challengeWeak, 9, Severity.low), (.counterGap, 3, .critical),
      (.replayAssertion, 7, .low), (.keyUnknown, 4, .critical), (.streamCorrupt, 4, .critical),
    ] {
      totals.findingsByCode[Int(code.rawValue)] = UInt64(count)
      totals.worstByCode[Int(code.rawValue)] = worst
    }
    let text = SummaryBlock(inputs: [], totals: totals, report: nil, coloured: false).text
    let codes = text.split(separator: "\n").filter { $0.hasPrefix("    ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(
      codes == [
        "key.unknown", "stream.corrupt", "counter.gap", "challenge.weak", "replay.assertion",
      ])
  }

  @Test(arguments: [
    (UInt64(0), "0"), (999, "999"), (1000, "1,000"), (1_000_000, "1,000,000"),
    (.max, "18,446,744,073,709,551,615"),
  ])
  func `numbers are grouped`(_ value: UInt64, _ text: String) {
    #expect(SummaryNumber.grouped(value) == text)
  }

  // MARK: With a state

  private static func finding(_ severity: Severity, _ code: FindingCode) -> Finding {
    var finding = Rows.full
    finding.severity = severity
    finding.code = code
    return finding
  }

  /// A night: two new findings of four, one accepted, one closed.
  private static func night() -> (InMemoryResult, FindingNews) {
    var result = InMemoryResult.sample()
    result.totals.findingsBySeverity = [0, 0, 1, 2, 1]
    result.totals.findingsByCode[Int(FindingCode.counterRepeated.rawValue)] = 1
    result.totals.findingsByCode[Int(FindingCode.counterRegression.rawValue)] = 2
    result.totals.accepted = [
      AcceptedCount(
        AcceptedFinding(
          .fingerprint(7), severity: .critical, reason: "a test phone", expires: "2026-12-31"),
        count: 1200),
      AcceptedCount(
        AcceptedFinding(.fingerprint(8), severity: .critical, reason: "gone", expires: "2026-12-31")
      ),
    ]
    result.inputs[0].isGrown = true
    for status in [InputRow.Status.known, .known, .waiting] {
      result.inputs.append(
        InputRow(
          source: "x", bytes: 0, decompressedBytes: 0, lines: 0, sha256: nil, status: status))
    }
    var news = FindingNews()
    let sources = SourceNames(result.sources)
    news.add(finding(.high, .counterRegression), sources: sources)
    news.add(finding(.critical, .counterRepeated), sources: sources)
    return (result, news)
  }

  private func text(
    _ result: InMemoryResult, _ news: FindingNews, onlyNew: Bool = false, closed: UInt64 = 0,
    coloured: Bool = false
  ) -> String {
    SummaryBlock(
      inputs: result.inputs, totals: result.totals, report: "reports/today",
      state: SummaryBlock.State(news: news, onlyNew: onlyNew, closedCount: closed),
      coloured: coloured
    ).text
  }

  private static let leading = """
      key 0001020304050607, 2 findings
        critical  counter.repeated    2026-03-01T12:00:00.123Z
                  00abcdef01234567  day/b, c.jsonl.zst:42
        high      counter.regression  2026-03-01T12:00:00.123Z
                  00abcdef01234567  day/b, c.jsonl.zst:42
    """

  private static let rest = """
    keys     1 attested
    records  0 attestations, 2 assertions, 0 challenges, 1 unreadable
    accepted 1,200 findings by 2 entries
    withdrawn 1 earlier finding
      and 1 more
    inputs   5 files, 1 unreadable, 2 known, 1 waiting, 1 grown
    report   reports/today

    """

  @Test func `with a state the new ones stand first, and apart from those already reported`() {
    let (result, news) = Self.night()
    #expect(
      text(result, news, closed: 1) == """
        2 new findings, 2 already reported
        \(Self.leading)
                                                  new         already reported
          critical                                1           0
          high                                    1           1
          medium                                  0           1
            counter.repeated                      1           0
            counter.regression                    1           1
            record.malformed_json                 0           1
        \(Self.rest)
        """)
  }

  @Test func `only new findings are shown where nothing else is asked for`() {
    let (result, news) = Self.night()
    #expect(
      text(result, news, onlyNew: true, closed: 1) == """
        2 new findings
        \(Self.leading)
          critical   1
          high       1
            counter.repeated                      1
            counter.regression                    1
        \(Self.rest)
        """)
  }

  @Test func `whatever a file is called, a line stays a line`() {
    var result = InMemoryResult()
    result.sources = [
      "\u{1B}]0;owned\u{7}\ncritical  counter.repeated\r\u{202E}"
        + String(repeating: "x", count: 5000)
        + ".log"
    ]
    var finding = Self.finding(.critical, .counterRepeated)
    finding.position = Position(source: 0, line: .max)
    var news = FindingNews()
    news.add(finding, sources: SourceNames(result.sources))
    result.totals.findingsBySeverity = news.bySeverity
    let text = text(result, news)
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "…" || (" "..."~").contains($0) })
    let lines = text.split(separator: "\n")
    #expect(lines[3].hasSuffix("xxx.log:281474976710655"))
    #expect(lines.allSatisfy { $0.count < 200 })
  }

  @Test func `with a state, too, colours stand around severities alone`() {
    let (result, news) = Self.night()
    let plain = text(result, news)
    var coloured = text(result, news, coloured: true)
    for code in ["1;31", "31", "33"] {
      #expect(coloured.contains("\u{1B}[\(code)m"))
      coloured = coloured.replacing("\u{1B}[\(code)m", with: "")
    }
    #expect(coloured.replacing("\u{1B}[0m", with: "") == plain)
  }

  @Test func `the reason of a run in part comes first, and likely causes before findings`() {
    let result = InMemoryResult.sample()
    let cause = LikelyCause(
      .noRegistrations, codes: [.keyUnknown], count: 1, evidence: "No attestation.",
      action: "Add it.")
    let text = SummaryBlock(
      reasons: ["2 of 3 lines of a.jsonl could not be read"], inputs: result.inputs,
      totals: result.totals, report: nil, causes: [cause], coloured: false
    ).text
    #expect(
      text.hasPrefix(
        "2 of 3 lines of a.jsonl could not be read\n2 findings\n"
          + "likely cause: No attestation. Add it.\n"))
  }
}
