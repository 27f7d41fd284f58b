import Foundation
import TestSupport
import Testing

/// The same inputs give the same bytes, however the work is done.
struct EndIdentityTests {
  /// Forged once for all tests here: every attack, and enough traffic to be spilled.
  private static let day: Scratch = made {
    let scratch = try Scratch()
    let outcome = try Program.forge(
      [
        "--out", ".", "--attacks", "all", "--keys", "150", "--assertions", "2500",
        "--files", "6", "--seed", "5",
      ], in: scratch.path)
    precondition(outcome.status == 0, outcome.errors)
    return scratch
  }

  /// The report of a run with the default settings.
  private static let plain: [String: String] = made {
    try report("plain").lasting
  }

  /// Audits the forged day; `name` is that of the report and of the folder for what is spilled.
  private static func report(_ name: String, _ flags: [String] = []) throws -> ReportFolder {
    try day.makeFolder("spill-" + name)
    let outcome = try Program.run(
      [
        "audit", "--pipeline", "pipeline.yaml", "--out", name, "--verdicts", "--quiet",
        "--temp-dir", "spill-" + name,
      ] + flags, in: day.path)
    #expect(outcome.status == 2)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: day.path + "/spill-" + name) == [])
    return day.report(name)
  }

  private static func expectSame(_ report: ReportFolder) throws {
    let lasting = try report.lasting
    #expect(lasting.keys.sorted() == plain.keys.sorted())
    for (name, text) in plain { #expect(lasting[name] == text, "\(name)") }
  }

  @Test func `the report has every file`() throws {
    #expect(
      Self.plain.keys.sorted() == [
        "findings.csv", "findings.jsonl", "keys.csv", "manifest.json", "rejects.jsonl",
        "report.html", "summary.json", "verdicts.csv.zst",
      ])
    let rows = try Self.day.report("plain").findingRows.count
    #expect(rows > 60)
  }

  @Test(arguments: ["1", "2", "7"])
  func `the number of threads changes nothing`(_ jobs: String) throws {
    let report = try Self.report("jobs-" + jobs, ["--jobs", jobs])
    #expect(try report.summary.run.threads == Int(jobs))
    try Self.expectSame(report)
  }

  @Test(arguments: [("openssl", "0.1%"), ("batch", "0%"), ("batch", "100%")])
  func `who checks the signatures changes nothing`(_ verifier: String, _ share: String) throws {
    let report = try Self.report(
      "\(verifier)-\(share.dropLast())", ["--verifier", verifier, "--cross-check", share])
    let run = try report.summary.run
    #expect(run.verifier == verifier)
    let counts = run.signatures
    let batch = try #require(counts["batch"])
    let openssl = try #require(counts["openssl"])
    let confirmed = try #require(counts["confirmed"])
    let undecided = try #require(counts["undecided"])
    let crossChecked = try #require(counts["crossChecked"])
    if verifier == "openssl" {
      #expect(batch == 0 && confirmed == 0 && undecided == 0 && crossChecked == 0)
      #expect(openssl > 2000)
    } else {
      #expect(batch > 2000)
      #expect(openssl == confirmed + undecided + crossChecked)
      #expect(crossChecked == (share == "0%" ? 0 : batch - confirmed - undecided))
    }
    try Self.expectSame(report)
  }

  @Test func `spilling changes nothing`() throws {
    // So many threads that the buffer of each holds a few hundred rows.
    let report = try Self.report("spilled", ["--memory", "64MiB", "--jobs", "48"])
    #expect(try report.summary.run.spilledBytes > 100_000)
    try Self.expectSame(report)
  }

  @Test func `little memory changes nothing`() throws {
    try Self.expectSame(Self.report("small", ["--memory", "64MiB"]))
  }

  @Test func `a second run changes nothing`() throws {
    try Self.expectSame(Self.report("second"))
  }

  @Test func `a folder, a glob and its files are the same inputs`() throws {
    let folder = try Self.report("folder", ["logs"]).lasting
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.day.path + "/logs")
      .map { "logs/" + $0 }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(try Self.report("listed", names).lasting == folder)
    #expect(try Self.report("glob", ["logs/*"]).lasting == folder)
    try Self.day.write("list", names.joined(separator: "\n"))
    #expect(try Self.report("from", ["--files-from", "list"]).lasting == folder)
  }

  @Test func `the manifest tells the size of every file`() throws {
    struct Manifest: Decodable {
      struct Entry: Decodable {
        var name: String
        var size: Int
        var sha256: String
      }
      var files: [Entry]
    }
    _ = Self.plain
    let report = Self.day.report("plain")
    let manifest = try JSONDecoder().decode(
      Manifest.self, from: Data(report.bytes("manifest.json")))
    #expect(
      manifest.files.map(\.name).sorted() == (try report.names).filter { $0 != "manifest.json" })
    for entry in manifest.files { #expect(try report.bytes(entry.name).count == entry.size) }
    // By another program's reckoning.
    let sums = manifest.files.map { "\($0.sha256)  \($0.name)\n" }.joined()
    let outcome = try Program.run(
      [], in: report.path, shell: "sha256sum --check --strict --quiet", input: Array(sums.utf8))
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
  }
}
