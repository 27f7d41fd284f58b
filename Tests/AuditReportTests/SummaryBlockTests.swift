import AuditEngine
import Testing

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

  @Test func `nothing found is said so`() {
    let block = SummaryBlock(inputs: [], totals: AuditTotals(), report: nil, coloured: true)
    #expect(
      block.text == """
        no findings
        keys     none
        records  0 attestations, 0 assertions, 0 challenges
        inputs   0 files

        """)
  }

  @Test(arguments: [(UInt64(1), "1 DeviceCheck token"), (1200, "1,200 DeviceCheck tokens")])
  func `DeviceCheck tokens are told where there are any`(_ count: UInt64, _ words: String) {
    var totals = AuditTotals()
    totals.deviceCheckTokens = count
    totals.skipped = 3
    let text = SummaryBlock(inputs: [], totals: totals, report: nil, coloured: false).text
    #expect(
      text.contains(
        "records  0 attestations, 0 assertions, 0 challenges, \(words), 3 skipped\n"))
  }

  @Test func `colours stand around the severity alone`() {
    var totals = AuditTotals()
    totals.findingsBySeverity[Int(Severity.critical.rawValue)] = 1_234_567
    let text = SummaryBlock(inputs: [], totals: totals, report: nil, coloured: true).text
    #expect(text.hasPrefix("1,234,567 findings\n  \u{1B}[1;31mcritical  \u{1B}[0m 1,234,567\n"))
  }

  @Test(arguments: [
    ([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false), (["NO_COLOR": "0"], false),
  ])
  func `no color is obeyed`(_ environment: [String: String], _ allowed: Bool) {
    #expect(SummaryBlock.coloursAllowed(environment) == allowed)
  }

  @Test(arguments: [
    (UInt64(0), "0"), (999, "999"), (1000, "1,000"), (1_000_000, "1,000,000"),
    (.max, "18,446,744,073,709,551,615"),
  ])
  func `numbers are grouped`(_ value: UInt64, _ text: String) {
    #expect(SummaryNumber.grouped(value) == text)
  }
}
