import AppAttest
import AuditEngine
import Basics
import Foundation
import TestSupport
import Testing

@testable import AuditReport

/// Reports that are read and rendered again.
struct StoredReportTests {
  private let scratch = made { try Scratch() }
  private var report: String { scratch.path + "/out" }

  static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "=cmd|'/C calc'!A1",
    "\u{1B}[31m\u{202E}gnp.exe", "a\r\nb,\"c\"", "\u{0}", "'=1", "{}},", "\t=1", "👩‍👩‍👧", "\u{FFFD}",
  ]

  /// Writes a report whose texts are those of an attacker.
  private func write(_ text: String, formats: [FindingFormat] = []) throws {
    var result = InMemoryResult.sample()
    for index in result.findings.indices {
      result.findings[index].requestID = text
      result.findings[index].subject = text
      result.findings[index].appID = text
      result.findings[index].detail = text
      result.findings[index].clientIP = text
      result.findings[index].userAgent = text
      result.findings[index].route = text
    }
    for index in result.keys.indices {
      result.keys[index].subject = text
      result.keys[index].appID = text
      result.keys[index].osVersion = text
      result.keys[index].bundleVersion = text
    }
    var accepted = result.findings[1]
    accepted.isAccepted = true
    result.findings.append(accepted)
    let entry = AcceptedFinding(
      .code(.counterRegression), severity: .high, reason: text, expires: "2030-01-01")
    result.totals.accepted = [AcceptedCount(entry, count: 1)]
    result.sources = ["day/\(text.replacing("\0", with: "").replacing("\n", with: ""))", "b"]
    result.events = result.verdicts
    var settings = RecordedSettings(
      values: .object([
        ("apps", .array([.object([("id", .string(text)), (text, .array([.string(text)]))])])),
        ("detect.reorderTolerance", .string("30s")),
        ("severity", .object([("counter.gap", .string("high"))])),
      ]))
    (settings.folder, settings.schema, settings.schemaText) = (text, text, text)
    (settings.trustAnchors, settings.keys, settings.state) = (["00ff"], text, text)
    _ = try ReportDirectory(path: report, overwrite: false).write(
      result,
      ReportContents(
        verdicts: true, index: true, page: true, formats: formats, settings: settings),
      progress: AuditProgress(),
      run: { Rows.facts })
  }

  private func render(_ formats: [FindingFormat] = []) throws {
    _ = try ReportDirectory(path: scratch.path + "/again", overwrite: false).write(
      StoredReport(path: report), formats: formats)
  }

  @Test(arguments: hostile)
  func `a report rendered again is the same to the byte, whatever its texts are`(
    _ text: String
  ) throws {
    try write(text, formats: [.ocsf, .ecs, .timesketch])
    try render()
    let names = try FileManager.default.contentsOfDirectory(atPath: report).sorted()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/again").sorted()
        == names)
    for name in names {
      #expect(try scratch.text("out/\(name)") == scratch.text("again/\(name)"), "\(name)")
    }
  }

  @Test func `what is missing of what is rendered is made, and a format is added`() throws {
    try write("x")
    for name in ["findings.csv", "report.html"] {
      try FileManager.default.removeItem(atPath: report + "/" + name)
    }
    try render([.timesketch, .jsonl, .csv])
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/again")
    #expect(names.contains("findings.csv") && names.contains("report.html"))
    #expect(names.contains("findings.timesketch.jsonl") && !names.contains("findings.ecs.jsonl"))
  }

  @Test(arguments: [
    "findings.jsonl", "keys.csv", "summary.json", "rejects.jsonl", "verdicts.csv.zst",
    "events.csv.zst", "events.index",
  ])
  func `a file that was changed gets no new checksum`(_ name: String) throws {
    try write("x")
    let path = URL(fileURLWithPath: report + "/" + name)
    // A byte that changes no number and no word that is read: the manifest alone tells.
    try (Data(contentsOf: path) + Data([0x0A])).write(to: path)
    let error = error { try render() }
    #expect(error?.code == .invalid)
    #expect(error?.context.contains(name) == true)
    #expect(try scratch.names == ["out"])
  }

  @Test(arguments: [
    "", "{", "[]", "{\"files\":7}",
    "{\"files\":[{\"name\":\"../x\",\"size\":1,\"sha256\":\"00\"}]}",
    "{\"files\":[{\"name\":\"thesis.txt\",\"size\":1,\"sha256\":\"\(String(repeating: "0", count: 64))\"}]}",
    "{\"files\":[]}", "\u{0}", String(repeating: "[", count: 10_000),
  ])
  func `a manifest that is none is refused`(_ text: String) throws {
    try write("x")
    try Data(text.utf8).write(to: URL(fileURLWithPath: report + "/manifest.json"))
    #expect(error { _ = try StoredReport(path: report) }?.code == .invalid)
  }

  @Test(arguments: [
    "x", "{}", "[]", "{\"severity\":\"grave\"}", "{\"severity\":\"high\",\"code\":\"x.y\"}",
    "{\"severity\":\"high\",\"code\":\"replay.assertion\",\"fingerprint\":\"xyz\"}",
    "{\"severity\":\"high\",\"code\":\"replay.assertion\",\"fingerprint\":\"0000000000000001\","
      + "\"time\":\"yesterday\"}",
    "{\"severity\":\"high\",\"code\":\"replay.assertion\",\"fingerprint\":\"0000000000000001\","
      + "\"counter\":-1}",
    "{\"severity\":\"high\",\"code\":\"replay.assertion\",\"fingerprint\":\"0000000000000001\","
      + "\"key_id\":\"00\"}",
    "{\"severity\":\"high\",\"code\":\"replay.assertion\",\"fingerprint\":\"0000000000000001\","
      + "\"line\":18446744073709551616}",
  ])
  func `a line that is no finding is named with its number`(_ line: String) throws {
    try write("x")
    let path = URL(fileURLWithPath: report + "/findings.jsonl")
    try (Data(contentsOf: path) + Data(line.utf8)).write(to: path)
    let stored = try StoredReport(path: report)
    let error = error { try stored.forEachFinding { _, _ in } }
    #expect(error?.code == .invalid)
    #expect(error?.context.contains("findings.jsonl: line 3") == true, "\(error?.context ?? "")")
  }

  @Test func `a folder without a report, a link and nothing are refused`() throws {
    #expect(error { _ = try StoredReport(path: scratch.path) }?.code == .invalid)
    #expect(error { _ = try StoredReport(path: scratch.path + "/no") }?.code == .invalid)
    try write("x")
    try FileManager.default.moveItem(
      atPath: report + "/summary.json", toPath: scratch.path + "/else")
    try FileManager.default.createSymbolicLink(
      atPath: report + "/summary.json", withDestinationPath: scratch.path + "/else")
    #expect(error { _ = try StoredReport(path: report) }?.code == .invalid)
  }
}
