import Foundation
import TestSupport
import Testing

/// `report.html` of the forged day in `testdata/`, in a browser.
struct EndPageTests {
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

  @Test func `every key of the table is counted by app`() throws {
    let scratch = try report()
    let page = try scratch.report().text("report.html")
    let section = /"Apps and systems"><table>.*?<tbody>(.*?)<\/tbody>/.dotMatchesNewlines()
    let table = try #require(page.firstMatch(of: section))
    // Of each row's numbers the first are the keys.
    let keys = table.1.matches(of: /<tr>.*?<td class="n">([0-9]+)</).compactMap { Int($0.1) }
    #expect(try keys.reduce(0, +) == scratch.report().keyRows.count)
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
}
