import AppAttest
import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditReport

/// Findings in the formats of other tools.
struct FindingFormatsTests {
  private let scratch = made { try Scratch() }

  /// Returns the text of a report's file with these findings.
  private func text(_ format: FindingFormat, _ findings: [Finding]) throws -> String {
    var result = InMemoryResult.sample()
    result.findings = findings
    let path = scratch.path + "/\(format.rawValue)"
    _ = try ReportDirectory(path: path, overwrite: true).write(
      result, ReportContents(formats: [format], day: "2025-11-20"), progress: AuditProgress(),
      run: { Rows.facts })
    return try scratch.text("\(format.rawValue)/\(format.fileName)")
  }

  private func objects(_ format: FindingFormat, _ findings: [Finding]) throws -> [[String: Any]] {
    try text(format, findings).split(separator: "\n").map { line in
      try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  /// A finding of each code and severity, and those of which nothing is known or all is hostile.
  private static let findings: [Finding] = {
    var findings = FindingCode.allCases.enumerated().map { index, code in
      var finding = Rows.full
      finding.code = code
      finding.severity = Severity.allCases[index % 5]
      finding.decision = [.unknown, .accepted, .rejected][index % 3]
      finding.fingerprint = UInt64(index) &* 0x9E37_79B9_7F4A_7C15
      return finding
    }
    findings.append(Rows.reject)
    for text in StoredReportTests.hostile {
      var finding = Rows.full
      finding.requestID = text
      finding.subject = text
      finding.appID = text
      finding.detail = text
      finding.time = Int64.min
      findings.append(finding)
    }
    var stream = Rows.reject
    stream.position = Position(source: 7, line: 0)
    stream.detail = ""
    findings.append(stream)
    return findings
  }()

  @Test func `every OCSF event meets the definition of its class`() throws {
    let text = try text(.ocsf, Self.findings)
    let verdicts = try JSONSchemas.judge(
      [.init("ocsf", .jsonl, text)], folder: Repository.root + "/Tests/Cases/ocsf")
    #expect(verdicts.map(\.errors) == [[]])
    #expect(verdicts.map(\.documents) == [Self.findings.count])
    for (event, finding) in zip(try objects(.ocsf, Self.findings), Self.findings) {
      let info = try #require(event["finding_info"] as? [String: Any])
      #expect(info["uid"] as? String == Fingerprint.text(finding.fingerprint))
      #expect(info["title"] as? String == finding.code.entry.title)
    }
  }

  @Test func `ECS has a time, a rule and all columns`() throws {
    let events = try objects(.ecs, Self.findings)
    #expect(events.count == Self.findings.count)
    for (event, finding) in zip(events, Self.findings) {
      #expect(event["@timestamp"] is String)
      let rule = try #require(event["rule"] as? [String: Any])
      #expect(rule["id"] as? String == finding.code.name)
      let own = try #require(event["attest_audit"] as? [String: Any])
      #expect(own["code"] as? String == finding.code.name)
    }
  }

  @Test func `Timesketch has its three members and all columns`() throws {
    let events = try objects(.timesketch, Self.findings)
    #expect(events.count == Self.findings.count)
    for (event, finding) in zip(events, Self.findings) {
      #expect(event["message"] is String && event["datetime"] is String)
      #expect(event["code"] as? String == finding.code.name)
      let isTimeless = (event["timestamp_desc"] as? String)?.contains("no time") == true
      #expect(isTimeless == (finding.time == nil))
    }
  }

  @Test func `client, user agent and route have their places`() throws {
    var finding = Rows.full
    (finding.clientIP, finding.userAgent, finding.route) = ("2001:db8::7", "App/7", "/pay")
    let ecs = try #require(try objects(.ecs, [finding]).first)
    #expect((ecs["source"] as? [String: Any])?["ip"] as? String == "2001:db8::7")
    #expect((ecs["user_agent"] as? [String: Any])?["original"] as? String == "App/7")
    #expect((ecs["url"] as? [String: Any])?["path"] as? String == "/pay")
    let ocsf = try #require(try objects(.ocsf, [finding]).first)
    let evidence = try #require((ocsf["evidences"] as? [[String: Any]])?.first)
    #expect((evidence["src_endpoint"] as? [String: Any])?["ip"] as? String == "2001:db8::7")
    let request = try #require(evidence["http_request"] as? [String: Any])
    #expect(request["user_agent"] as? String == "App/7")
    // A text that is not an address is not called one.
    finding.clientIP = "=unknown"
    let odd = try #require(try objects(.ecs, [finding]).first)
    #expect((odd["source"] as? [String: Any])?["ip"] == nil)
  }

  @Test func `a finding without a time has that of the day, and says so`() throws {
    #expect(try objects(.ocsf, [Rows.reject]).first?["time"] as? Int == 1_763_596_800_000)
    let ecs = try #require(try objects(.ecs, [Rows.reject]).first)
    #expect(ecs["@timestamp"] as? String == "2025-11-20T00:00:00.000Z")
    #expect((ecs["tags"] as? [String])?.first?.contains("no time") == true)
  }
}
