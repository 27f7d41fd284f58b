import Foundation
import TestSupport
import Testing

/// `report.html` of the forged day in `testdata/`, in a browser.
struct EndPageTests {
  private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private func report(_ options: String...) throws -> Scratch {
    let scratch = try Scratch()
    _ = try Program.run(
      ["audit", "--pipeline", "testdata/pipeline.yaml", "--out", scratch.path + "/report"]
        + options, in: Repository.root)
    return scratch
  }

  @Test func `the page does not depend on threads, memory or verifier`() throws {
    let one = try report("--jobs", "1", "--memory", "256MiB")
    let many = try report("--jobs", "5", "--verifier", "openssl")
    let page = try one.report().text("report.html")
    #expect(try many.report().text("report.html") == page)
    #expect(try one.report().text("manifest.json").contains("\"report.html\""))
  }

  @Test func `report html false leaves it out`() throws {
    let scratch = try Scratch()
    let text = try String(
      contentsOf: Repository.folder.appendingPathComponent("testdata/pipeline.yaml"),
      encoding: .utf8)
    let folder = Repository.folder.appendingPathComponent("testdata").path
    try scratch.write(
      "p.yaml",
      text.replacing("logs/", with: folder + "/logs/")
        .replacing("anchors/", with: folder + "/anchors/")
        .replacing("known-keys.csv", with: folder + "/known-keys.csv") + "report: {html: false}\n")
    let outcome = try Program.run(
      ["audit", "--pipeline", "p.yaml", "--out", "report"], in: scratch.path)
    #expect(outcome.status == 2, "\(outcome.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/report")
    #expect(files.contains("findings.csv") && !files.contains("report.html"))
  }

  @Test(.enabled(if: browser != nil, "chromium is not installed"))
  func `a browser shows every finding, without a message on the console`() throws {
    let scratch = try report()
    let rows = try scratch.report().findingRows.count
    let (dom, errors) = try show(scratch, "")
    #expect(dom.contains("data-ready=\"true\""))
    #expect(dom.ranges(of: "<tr id=\"f-").count == min(100, rows))
    #expect(dom.contains("\(rows) of \(rows) findings"))
    #expect(!errors.contains("CONSOLE"), "\(errors)")
  }

  @Test(.enabled(if: browser != nil, "chromium is not installed"))
  func `a fragment is a filter, and a fingerprint leads to its finding`() throws {
    let scratch = try report()
    let table = try scratch.report().findingRows
    let critical = table.count { $0["severity"] == "critical" && $0["decision"] == "accepted" }
    let (dom, _) = try show(scratch, "#severity=critical&decision=accepted")
    #expect(dom.ranges(of: "<tr id=\"f-").count == critical)
    let fingerprint = try #require(table.first { $0["code"] == "replay.assertion" }?["fingerprint"])
    let (one, _) = try show(scratch, "#fingerprint=\(fingerprint)")
    #expect(one.contains("class=\"target\"") && one.contains("<details open=\"\">"))
  }

  /// Returns the page as the browser has it, and what it said on the console.
  private func show(_ scratch: Scratch, _ fragment: String) throws -> (String, String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.browser))
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
      "--user-data-dir=\(scratch.path)/browser", "--virtual-time-budget=3000", "--dump-dom",
      "file://\(scratch.path)/report/report.html\(fragment)",
    ]
    let messages = scratch.path + "/messages"
    _ = FileManager.default.createFile(atPath: messages, contents: nil)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: messages))
    try process.run()
    let dom = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let said = try Data(contentsOf: URL(fileURLWithPath: messages))
    return (String(decoding: dom, as: UTF8.self), String(decoding: said, as: UTF8.self))
  }
}
