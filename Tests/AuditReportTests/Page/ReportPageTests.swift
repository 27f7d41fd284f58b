import AppAttest
import AuditEngine
import AuditLog
import Foundation
import Testing

@testable import AuditReport

private func reported(_ finding: Finding, _ sighting: Sighting? = nil) -> ReportedFinding {
  ReportedFinding(finding, sighting, SourceNames(InMemoryResult.sample().sources))
}

/// `report.html`: what is on it, and that no text of a log does anything there.
struct ReportPageTests {
  private func page(
    _ findings: [Finding], keys: [KeyRow] = [], setting: String? = nil,
    builds: [BuildUse] = [], isWhole: Bool = false, isFixed: Bool = false,
    sighting: (Finding) -> Sighting? = { _ in nil }
  ) -> String {
    var result = InMemoryResult.sample()
    result.findings = findings
    if isWhole { result.inputs.removeAll { $0.status != .ok } }
    var page = ReportPage(fixed: isFixed ? Set(FindingCode.allCases) : [])
    for finding in findings { page.add(reported(finding, sighting(finding))) }
    for key in keys { page.add(key) }
    var out = RowBuffer()
    let hasState = findings.contains { sighting($0) != nil }
    var facts = Self.facts(result, hasState: hasState)
    facts.settings = setting.map { text in
      RecordedSettings(values: .object([(text, .string(text))]))
    }
    facts.builds.uses = builds
    page.write(facts, to: &out)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private static func facts(
    _ result: InMemoryResult = InMemoryResult.sample(), hasState: Bool = false
  ) -> RunSummary {
    RunSummary(
      inputs: result.inputs, totals: result.totals, hasState: hasState,
      silences: InputSilence.find(result.inputs))
  }

  @Test func `a silent log is named at the top only if it may explain findings`() {
    func top(_ code: FindingCode) -> Bool {
      var page = ReportPage()
      page.add(reported(Self.finding(.high, code, time: 3_600_000)))
      var facts = Self.facts()
      facts.silences = [InputSilence(source: "a", from: 0, to: 7_200_000, usual: 9)]
      var out = RowBuffer()
      page.write(facts, to: &out)
      return String(decoding: out.bytes, as: UTF8.self).contains("A log that falls silent")
    }
    #expect(top(.keyUnknown))
    #expect(!top(.counterRepeated))
  }

  private static func finding(
    _ severity: Severity = .critical, _ code: FindingCode = .replayAssertion, time: Int64? = 0,
    decision: Decision = .accepted, text: String = "", fingerprint: UInt64 = 1
  ) -> Finding {
    var finding = Rows.full
    finding.severity = severity
    finding.code = code
    finding.time = time
    finding.decision = decision
    finding.requestID = text
    finding.subject = text
    finding.appID = text
    finding.detail = text
    finding.fingerprint = fingerprint
    return finding
  }

  @Test func `one document without a request: style and script by hash`() throws {
    let text = page([Rows.full], keys: [Rows.key])
    #expect(text.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    #expect(text.contains("default-src 'none'"))
    for (name, body) in [("script-src", PageResource.script), ("style-src", PageResource.style)] {
      let digest = Digest256.sha256(Array(body.utf8).span)
      #expect(text.contains("\(name) 'sha256-\(Data(digest.bytes).base64EncodedString())'"))
    }
    let namespace = "http://www.w3.org/2000/svg"
    #expect(text.ranges(of: "http://").count == text.ranges(of: namespace).count)
    for forbidden in ["https://", "src=", "url(", "@import", "innerHTML", "style=\""] {
      #expect(!text.contains(forbidden), "\(forbidden)")
    }
  }

  @Test func `what is accepted or withdrawn has a tab, is counted, and is no finding`() {
    var page = ReportPage()
    page.add(reported(Rows.full))
    for number in 0..<(PageAside.limit + 7) {
      var finding = Self.finding(text: "=withdrawn")
      finding.fingerprint = UInt64(number)
      page.aside.withdrawn.add(reported(finding))
    }
    page.aside.accepted.add(reported(Rows.full))
    var out = RowBuffer()
    page.write(Self.facts(), to: &out)
    let text = String(decoding: out.bytes, as: UTF8.self)
    #expect(text.contains("<a href=\"#state=withdrawn\">Withdrawn (507)</a>"))
    #expect(text.contains("<a href=\"#state=accepted\">Accepted (1)</a>"))
    #expect(text.contains("{\"total\":1,\"accepted\":1,\"withdrawn\":507,"))
    #expect(text.contains("\"'=withdrawn\""))
  }

  static let hostile = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "<!--", "-->", "]]>", "&lt;script&gt;", "' onmouseover='alert(1)", "\u{202E}gnp.exe",
    "\u{0}\u{1B}[2J",
    "\u{2028}\u{2029}", "{{7*7}}", "javascript:alert(1)", "=cmd|'/C calc'!A1",
  ]

  @Test(arguments: hostile) func `text of a log stays text`(_ text: String) throws {
    var key = Rows.key
    key.subject = text
    key.appID = text
    key.osVersion = text
    var build = BuildUse(Build(appID: text, bundleVersion: text))
    build.hours.add(0, 0)
    let page = page(
      [Self.finding(text: text)], keys: [key], setting: text,
      builds: [build])
    func count(_ part: String, _ whole: String) -> Int { whole.ranges(of: part).count }
    #expect(
      count("<script", page) == 2 && count("</script>", page) == 2 && count("<!--", page) == 0)
    #expect(count("<img", page) == 0)
    for scalar in page.unicodeScalars {
      #expect(scalar == "\n" || scalar.properties.generalCategory != .control)
      #expect(scalar.properties.generalCategory != .format)
    }
    // The data block is JSON with the very text in it.
    let block = try #require(page.firstMatch(of: /id="data">(.*?)<\/script>/.dotMatchesNewlines()))
    let data = try #require(
      try JSONSerialization.jsonObject(with: Data(block.1.utf8)) as? [String: Any])
    #expect((data["words"] as? [String])?.contains(text) == true)
  }

  @Test func `a build is marked if it is outside the policy, internal, or few keys have it`() {
    func use(_ version: String, keys: UInt64, outside: UInt64 = 0, _ category: String) -> BuildUse {
      var use = BuildUse(
        Build(appID: "T.app", category: .init(name: category), bundleVersion: version))
      (use.keys, use.outside) = (keys, outside)
      use.hours.add(3, 2, 5)
      return use
    }
    let text = page(
      [],
      builds: [
        use("1", keys: 100, "appStore"), use("2", keys: 2, "appStore"),
        use("3", keys: 90, "development"), use("4", keys: 1, outside: 1, "enterprise"),
      ])
    let rows = text.matches(of: /<a href="#build=\d"><bdi>(.*?)<\/th>/).map { match in
      String(match.1).replacing(/<[^>]*>/, with: "")
    }
    #expect(
      rows == [
        "1 appStore", "2 appStore ▲ 2 keys", "3 ▲ development",
        "4 ▲ outside the policy, enterprise, one key",
      ])
    #expect(text.contains("5 requests from 1970-01-01 03:00, 5 rejected"))
  }

  private func finding(line: UInt64, _ code: FindingCode = .replayAssertion) -> Finding {
    var finding = Self.finding(.critical, code)
    (finding.position.line, finding.count, finding.kind) = (line, 1, .assertion)
    return finding
  }

  private func through(
    _ findings: [Finding], _ count: String, _ fate: String = "should have been rejected",
    isFixed: Bool = false
  ) -> Bool {
    page(findings, isFixed: isFixed).contains(
      "<b>At least \(count.replacing("request", with: "accepted request")) \(fate)</b>")
  }

  @Test func `a request is counted once, however much is found of it`() {
    let (proven, unknown) = ("should have been rejected", "cannot be verified")
    let both = "\(proven), or \(unknown)"
    #expect(
      through([finding(line: 1), finding(line: 1, .counterRegression)], "one request", proven))
    // One finding for all assertions of a key, which stands at the first of them: one of them at least was accepted.
    var all = finding(line: 2, .keyUnknown)
    all.count = 5
    #expect(through([all], "one request", unknown))
    #expect(through([all, finding(line: 2)], "one request", both))
    #expect(through([finding(line: 2), all], "one request", both))
    #expect(through([all, finding(line: 3), finding(line: 4)], "2 requests", both))
    var attestation = finding(line: 6)
    attestation.kind = .attestation
    #expect(through([all, attestation], "2 requests", both))
    var other = finding(line: 7)
    other.keyID = Digest256()
    #expect(through([all, other], "2 requests", both))
    // What was counted as refused, or as another kind of thing, hides no accepted request.
    func refused(_ finding: Finding) -> Finding {
      var refused = finding
      refused.decision = .rejected
      return refused
    }
    for findings in [
      [refused(finding(line: 1)), finding(line: 1)],
      [finding(line: 1), refused(finding(line: 1)), finding(line: 1)],
    ] { #expect(through(findings, "one request", isFixed: true)) }
    #expect(
      through([refused(all), finding(line: 2), finding(line: 3)], "2 requests", isFixed: true))
    // Severe only since a copy was accepted (detection.R52).
    #expect(through([refused(finding(line: 1, .counterRegression))], "one request"))
    #expect(through([finding(line: 1, .recordOddEncoding), finding(line: 1)], "one request"))
    var none = all
    none.count = 0
    #expect(through([finding(line: 2), none], "one request"))
  }

  @Test func `long texts are not held`() {
    let text = String(repeating: "x", count: 1 << 20)
    var rows = PageRows()
    rows.add(reported(Self.finding(text: text)))
    let row = rows.kept[0].finding.finding
    for held in [row.appID, row.requestID, row.subject, row.detail] {
      #expect(held.utf8.count < 400 && held.hasSuffix("x… (1048576 bytes)"))
    }
  }

  @Test func `the sentence says how bad it is, four ways`() {
    #expect(through([finding(line: 1), finding(line: 2)], "2 requests"))
    #expect(
      page([Self.finding(decision: .unknown)]).contains("<b>At least one request may have been"))
    let low = Self.finding(.low, decision: .rejected)
    #expect(page([low], isWhole: true).contains("<b>Nothing severe was found</b>"))
    #expect(page([low]).contains("<b>Nothing severe was found in what could be audited</b>"))
    let refused = page(
      [Self.finding(.low), Self.finding(.high, .assertionSignatureInvalid, decision: .rejected)],
      isWhole: true, isFixed: true)
    // A copy may have been accepted (detection.R52).
    #expect(
      page([Self.finding(decision: .rejected)], isFixed: true).contains(
        "<b>At least one request may have been"))
    #expect(
      refused.contains(
        "<b>No request with a severe finding was accepted</b>; the server rejected one"))
    for code in [FindingCode.streamCorrupt, .recordNotAudited] {
      #expect(
        page([Self.finding(.high, code, decision: .unknown)]).contains(
          "<b>No request with a severe finding was accepted in what could be audited</b>; read below"
        ))
    }
    #expect(page([], isWhole: true).contains("<b>Nothing severe was found</b>.</h1>"))
  }

  @Test(arguments: [
    FindingCode.recordBadEncoding, .recordMissingField, .recordAmbiguousField, .challengeNotIssued,
  ])
  func `what could not be verified may have been accepted`(_ code: FindingCode) {
    func sentence(_ findings: [Finding]) -> String {
      let text = page(findings, isWhole: true)
      return text.firstMatch(of: /<h1[^>]*>(.*?)<\/b>/).map { String($0.1) } ?? ""
    }
    var first = finding(line: 1, code)
    first.severity = .high
    var second = first
    second.position.line = 2
    #expect(sentence([first]) == "<b>One request may have been accepted")
    #expect(sentence([first, first, second]) == "<b>2 requests may have been accepted")
    #expect(
      page([first], isWhole: true).contains(
        "may have been accepted</b>; read below why that cannot be"))
    // What the log does not decide is counted with it, once a line.
    var undecided = finding(line: 1)
    undecided.decision = .unknown
    #expect(sentence([undecided, first, second]) == "<b>2 requests may have been accepted")
    #expect(
      page([undecided, first], isWhole: true).contains(
        "may have been accepted</b>: there are severe"))
    // Requests that were surely accepted go first, and is not taken for counted.
    #expect(
      sentence([first, finding(line: 1), second])
        == "<b>One accepted request should have been rejected")
    second.decision = .rejected
    first.severity = .medium
    #expect(sentence([first, second]) == "<b>No request with a severe finding was accepted")
  }

  @Test func `new findings are told where there is a state`() {
    let text = page([Self.finding()]) { _ in Sighting(firstSeen: "2026-03-01", times: 1) }
    #expect(text.contains("1 of them with new findings"))
    #expect(text.contains("href=\"#state=new\""))
    // A new finding of a request of which another was known is news.
    var known = finding(line: 2, .keyUnknown)
    known.count = 5
    let covered = page([known, finding(line: 3), finding(line: 3, .counterRegression)]) {
      Sighting(firstSeen: "2026-03-01", times: $0.code == .keyUnknown ? 2 : 1)
    }
    #expect(covered.contains("one accepted request "))
    #expect(covered.contains("<b>1 of them with new findings</b>"))
    #expect(!page([Self.finding()]).contains("state=new"))
    // reports.R52: one that is back, or more severe than before, is new again.
    for isNewAgain in [true, false] {
      let text = page([Self.finding()]) { _ in
        var sighting = Sighting(firstSeen: "2026-03-01", times: 2)
        sighting.isNewAgain = isNewAgain
        return sighting
      }
      #expect(text.contains("1 of them with new findings") == isNewAgain)
    }
  }

  @Test func `a hundred thousand findings fit into five megabytes, counted all`() {
    var page = ReportPage()
    let long = String(repeating: "é<", count: 2000)
    for index in 0..<100_000 {
      var finding = Self.finding(
        Severity.allCases[index % 5], FindingCode.allCases[index % 40], time: Int64(index) * 1000,
        text: index % 100 == 0 ? long : "request \(index)", fingerprint: UInt64(index))
      finding.keyID = Digest256.sha256([UInt8(index % 251), UInt8(index % 83)].span)
      page.add(reported(finding))
    }
    var out = RowBuffer()
    page.write(Self.facts(), to: &out)
    #expect(out.count < 5_000_000)
    #expect(page.rows.total == 100_000)
    #expect(page.codes.found.reduce(0) { $0 + $1.entry.findings } == 100_000)
    let kept = page.rows.kept
    #expect(kept.count > 3000)
    // The most severe stay before more severe ones go.
    let least = kept.filter { $0.order > 20_000 }.map(\.finding.finding.severity).min()
    #expect(least == .critical || kept.count { $0.finding.finding.severity == .critical } == 20_000)
    for code in FindingCode.allCases[..<40] {
      #expect(kept.count { $0.finding.finding.code == code } >= 100)
    }
  }
}

struct PageHoursTests {
  private static let hour: Int64 = 3_600_000

  private func hours(_ times: [Int64?]) -> PageHours {
    var hours = PageHours()
    for time in times {
      var finding = Rows.full
      finding.time = time
      hours.add(finding)
    }
    return hours
  }

  @Test func `a day has a column for each hour`() throws {
    let strip = try #require(hours((0..<24).map { $0 * Self.hour + 5 }).strip())
    #expect(strip.columns.count == 24 && strip.width == Self.hour && strip.start == 0)
    let kind = PageHours.kind(.accepted, .high)
    #expect(strip.columns.allSatisfy { $0[kind] == 1 && $0.reduce(0, +) == 1 })
  }

  @Test func `findings without a time are counted apart`() {
    let hours = hours([nil, nil])
    #expect(hours.timeless == 2 && hours.strip() == nil)
  }

  @Test func `one record of another century does not flatten a day`() throws {
    let day = (0..<2400).map { Int64($0) * Self.hour / 100 }
    let strip = try #require(hours(day + [4_000_000_000_000]).strip())
    #expect(strip.columns.count == 24 && strip.outside == 1)
  }

  @Test(arguments: [1, 100, 5000, 40_000]) func `columns and bins are bounded, and nothing is lost`(
    _ days: Int64
  ) throws {
    let times = (0..<20_000).map { -days * 43_200_000 + $0 * days * 86_400_000 / 20_000 }
    let hours = hours(times)
    #expect(hours.bins.bins.count <= PageHours.limit)
    let strip = try #require(hours.strip())
    #expect(strip.columns.count <= PageStrip.columns)
    let counted = strip.columns.joined().reduce(0, +) + strip.outside
    #expect(counted == 20_000)
  }

  @Test func `times at the ends of what can be said do not trap`() {
    _ = hours([.min, .min + 1, -1, 0, 1, .max - 1, .max]).strip()
  }
}
