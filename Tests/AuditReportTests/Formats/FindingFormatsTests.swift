import AppAttest
import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditReport

/// Findings in the formats of other tools.
struct FindingFormatsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the text of a report's file with these findings.
  private func text(_ format: FindingFormat, _ findings: [Finding]) throws -> String {
    var result = InMemoryResult.sample()
    result.findings = findings
    let path = scratch.path + "/\(format.rawValue)"
    _ = try ReportDirectory(path: path, overwrite: true).write(
      result, ReportContents(formats: [format]), progress: AuditProgress(), run: { Rows.facts })
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
    let events = try objects(.ocsf, Self.findings)
    #expect(events.count == Self.findings.count)
    for (event, finding) in zip(events, Self.findings) {
      #expect(OCSFClass.faults(event) == [], "\(finding.code.name)")
      let info = try #require(event["finding_info"] as? [String: Any])
      #expect(info["uid"] as? String == Fingerprint.text(finding.fingerprint))
      #expect(info["title"] as? String == finding.code.entry.title)
    }
  }

  @Test func `the definition of the class finds faults`() throws {
    var event = try #require(try objects(.ocsf, [Rows.full]).first)
    event["class_uid"] = 2003
    event["time"] = "now"
    event["colour"] = "red"
    event["metadata"] = nil
    #expect(OCSFClass.faults(event).count == 4)
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
    #expect(
      events[FindingCode.allCases.count]["@timestamp"] as? String == "1970-01-01T00:00:00.000Z")
  }

  @Test func `SARIF is one document with a rule for each code`() throws {
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text(.sarif, Self.findings).utf8))
        as? [String: Any])
    let run = try #require((document["runs"] as? [[String: Any]])?.first)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == Self.findings.count)
    let driver = try #require((run["tool"] as? [String: [String: Any]])?["driver"])
    let rules = try #require(driver["rules"] as? [[String: Any]])
    for result in results {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
    }
    #expect(try text(.sarif, []).contains("\"results\":[\n]"))
  }

  /// The path of SARIF's own schema, if it is there.
  private static let schema = [
    ProcessInfo.processInfo.environment["SARIF_SCHEMA"],
    Repository.root + "/../shared/schemas/sarif-schema-2.1.0.json",
  ].compactMap(\.self).first { FileManager.default.fileExists(atPath: $0) }

  @Test(.enabled(if: schema != nil, "SARIF_SCHEMA names no sarif-schema-2.1.0.json"))
  func `SARIF meets the schema of OASIS`() throws {
    _ = try text(.sarif, Self.findings)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      """
      import json, sys, jsonschema
      schema, document = (json.load(open(path)) for path in sys.argv[1:])
      kind = jsonschema.validators.validator_for(schema)
      faults = [e.message[:200] for e in kind(schema).iter_errors(document)]
      print("\\n".join(faults)); sys.exit(len(faults) > 0)
      """, try #require(Self.schema), scratch.path + "/sarif/findings.sarif",
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test(arguments: [
    ("logs/a b.jsonl", "logs/a%20b.jsonl"), ("/var/log/ä", "file:///var/log/%C3%A4"),
    ("-", "-"), ("javascript:alert(1)", "javascript%3Aalert%281%29"),
    ("//host/x", "file:////host/x"), ("a?b#c%", "a%3Fb%23c%25"), ("", ""),
  ])
  func `paths are references`(_ path: String, _ reference: String) {
    #expect(FileReference.text(path) == reference)
  }
}
