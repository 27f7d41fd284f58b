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

  private static let report: Scratch = made {
    let scratch = try Scratch()
    _ = try Program.run(
      ["audit", "--pipeline", "testdata/pipeline.yaml", "--index", "--out", scratch.path + "/r"],
      in: Repository.root)
    return scratch
  }

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
      in: Self.report.path + "/r")
    #expect(try #require(Int(rows)) >= Self.leastRows[name] ?? 0, "\(name)")
  }

  @Test(
    .enabled(if: hasDuckDB, "pipelines/setup --python installs DuckDB"), arguments: 1...3)
  func `builds are what verdicts and findings add up to`(_ seed: Int) throws {
    // reports.R64, R65. No other file has the platform of a key.
    let day = try ForgedDay()
    try day.forge([
      "--attacks", "all", "--seed", "\(seed)", "--keys", "40", "--assertions", "1500", "--zipf",
    ])
    #expect(try day.audit("day/pipeline.yaml", "--verdicts", "--quiet").status == 2)
    let differences = try duckDB(
      "print(*duckdb.sql(sys.argv[1]).fetchall(), sep='\\n')", Self.secondBuilds,
      in: day.scratch.path + "/report")
    #expect(differences == "")
    #expect(try day.scratch.report().text("builds.csv").split(separator: "\r\n").count > 20)
  }

  /// The rows in which `builds.csv` and a second computation differ.
  private static let secondBuilds = """
    with records as (
      select *, case kind when 'assertion' then verdict in ('valid', 'flagged')
        when 'attestation' then not list_bool_or(list_transform(string_split(codes, ';'), code ->
          starts_with(code, 'attestation.') and code not in ('attestation.receipt_invalid',
            'attestation.time_disagrees', 'attestation.category_mismatch', 'attestation.code_mismatch')))
          and verdict <> 'unverifiable'
        else false end as verified
      from read_csv('verdicts.csv.zst', all_varchar = true, header = true, compression = 'zstd', nullstr = '-')),
    worst as (
      select source, line, item, count(*) as number,
        max(list_position(['info', 'low', 'medium', 'high', 'critical'], severity)) as severity
      from read_csv('findings.csv', all_varchar = true, header = true, nullstr = '-') group by all),
    second as (
      select app_id, category, bundle_version, code_hash, min(time), max(time), count(distinct key_id),
        count(distinct nullif(subject, '')), count(*) filter (kind = 'attestation'),
        count(*) filter (kind = 'assertion'), count(*) filter (decision = 'accepted'),
        count(*) filter (decision = 'rejected'), coalesce(sum(number), 0)::bigint, coalesce(max(severity), 0)
      from records left join worst using (source, line, item) where verified group by 1, 2, 3, 4),
    first as (
      select app_id, category, bundle_version, code_hash, min(first_seen), max(last_seen),
        sum(keys::bigint)::bigint, sum(subjects::bigint)::bigint, sum(attestations::bigint)::bigint,
        sum(assertions::bigint)::bigint, sum(accepted::bigint)::bigint, sum(rejected::bigint)::bigint,
        sum(findings::bigint)::bigint,
        coalesce(max(list_position(['info', 'low', 'medium', 'high', 'critical'], worst_severity)), 0)
      from read_csv('builds.csv', all_varchar = true, header = true, nullstr = '-') group by 1, 2, 3, 4)
    (from first except all from second) union all (from second except all from first)
    """

  /// Runs a line of Python with DuckDB in a report, and returns what it prints.
  private func duckDB(_ line: String, _ argument: String, in folder: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", "import duckdb, sys; " + line, argument]
    process.environment = ["PATH": "/usr/bin:/bin", "PYTHONPATH": Self.packages]
    process.currentDirectoryURL = URL(filePath: folder)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
