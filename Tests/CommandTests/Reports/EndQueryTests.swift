import Foundation
import TestSupport
import Testing

/// The queries of `pipelines/queries`, each run by DuckDB in a report of the forged day.
struct EndQueryTests {
  private static let folder = Repository.root + "/pipelines/queries"
  private static let packages = Repository.root + "/.build/python"

  private static let queries =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    .filter { $0.hasSuffix(".sql") }

  private static let hasDuckDB = FileManager.default.fileExists(atPath: packages + "/duckdb")

  /// The least number of rows of each query in the forged day, where it is not 0.
  private static let leastRows = [
    "accepted-replays.sql": 5, "builds-by-day.sql": 50, "code-hashes-of-one-version.sql": 5,
    "challenges-of-several-keys.sql": 1,
    "counters-of-two-devices.sql": 2, "findings-by-hour.sql": 10, "first-seen.sql": 40,
    "let-through.sql": 10, "most-abused-keys.sql": 10, "os-versions-of-forged-keys.sql": 2,
    "subjects-with-findings.sql": 5, "unreadable-lines.sql": 3,
  ]

  @Test func `there are a dozen, each with a sentence of what it asks`() throws {
    #expect(Self.queries.count >= 12)
    for name in Self.queries {
      let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
      #expect(text.hasPrefix("-- "), "\(name)")
    }
    #expect(Set(Self.leastRows.keys).subtracting(Self.queries) == [])
  }

  @Test(
    .enabled(if: hasDuckDB, "pipelines/setup --python installs DuckDB"), arguments: queries)
  func `a query runs on a report as it is`(_ name: String) throws {
    let rows = try duckDB(
      "print(len(duckdb.sql(open(sys.argv[1]).read()).fetchall()))", "\(Self.folder)/\(name)",
      in: ForgedReport.shared.folder.path)
    #expect(try #require(Int(rows)) >= Self.leastRows[name] ?? 0, "\(name)")
  }

  @Test(
    .enabled(if: hasDuckDB, "pipelines/setup --python installs DuckDB"), arguments: [2])
  func `builds are what verdicts and findings add up to`(_ seed: Int) throws {
    let day = ForgedDay()
    try day.forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "40", "--assertions", "1500", "--zipf",
    ])
    #expect(try day.audit("day/pipeline.yaml", "--verdicts", "--quiet").status == 2)
    let differences = try duckDB(
      "print(*duckdb.sql(open(sys.argv[1]).read()).fetchall(), sep='\\n')",
      Repository.root + "/Tests/Cases/second-builds.sql",
      in: day.scratch.path + "/report")
    #expect(differences == "")
    #expect(try day.scratch.report().text("builds.csv").split(separator: "\r\n").count > 20)
  }

  /// Runs a line of Python with DuckDB in a report, and returns what it prints.
  private func duckDB(_ line: String, _ argument: String, in folder: String) throws -> String {
    let outcome = try Program.start(
      ["-c", "import duckdb, sys; " + line, argument], in: folder,
      environment: ["PYTHONPATH": Self.packages], program: "/usr/bin/python3"
    ).wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
