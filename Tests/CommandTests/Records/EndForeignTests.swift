import Foundation
import TestSupport
import Testing

/// Files that are no JSON Lines: both commands say what they are, and the command that is named
/// brings them in.
struct EndForeignTests {
  private let scratch: Scratch

  /// Writes the clean day to `log.jsonl`.
  init() throws {
    scratch = try Scratch()
    try SyntheticDay.shared.writeSettings(to: scratch)
    try scratch.write("log.jsonl", SyntheticDay.shared.lines.joined(separator: "\n") + "\n")
  }

  private static let forms: [(file: String, name: String, make: String, tool: String)] = [
    ("a b.xz", "xz", "xz -c log.jsonl", "xz"), ("a.bz2", "bzip2", "bzip2 -c log.jsonl", "bzip2"),
    ("a'b.lz4", "lz4", "lz4 -c log.jsonl", "lz4"),
    ("a.zip", "a zip archive", "zip -q - log.jsonl", "unzip"),
    ("a.tar", "a tar archive", "tar -cf - log.jsonl", "tar"),
    ("a.tgz", "a tar archive", "tar -cf - log.jsonl | gzip -c", "tar"),
    ("a.txt", "UTF-16 text", "iconv -f UTF-8 -t UTF-16 log.jsonl", "iconv"),
    ("le.txt", "UTF-16 text", "iconv -f UTF-8 -t UTF-16LE log.jsonl", "iconv"),
    ("be.gz", "UTF-16 text", "iconv -f UTF-8 -t UTF-16BE log.jsonl | gzip -c", "iconv"),
    ("a.json", "JSON, but not one object on each line", "jq -s . log.jsonl", "jq"),
    ("b.json", "JSON, but not one object on each line", "jq . log.jsonl", "jq"),
    ("c.json", "JSON, but not one object on each line", "tr -d '\\n' < log.jsonl", "jq"),
    (
      "-c.json.zst", "JSON, but not one object on each line", "jq -sc . log.jsonl | zstd -qc",
      "jq"
    ),
  ]

  /// Returns true if a shell finds a tool.
  private static func has(_ tool: String) throws -> Bool {
    try Program.run([], in: "/", shell: "command -v \(tool) >/dev/null").status == 0
  }

  @Test(arguments: forms.map(\.file))
  func `the command that is named brings it in`(_ file: String) throws {
    let form = try #require(Self.forms.first { $0.file == file })
    guard try Self.has(form.tool), try Self.has(String(form.make.prefix { $0 != " " })) else {
      print("\(form.tool) is not installed: \(file) is not tried")
      return
    }
    let made = try Program.run(
      [], in: scratch.path, environment: ["FILE": file], shell: "\(form.make) > \"./$FILE\"")
    #expect(made.status == 0)
    let path = file.hasPrefix("-") ? "./" + file : file
    let told = try Program.run(["init", path, "--out", "p.yaml"], in: scratch.path)
    #expect(told.status == 65 && told.output == "")
    let message = try #require(
      told.errors.wholeMatch(
        of:
          #/attest-audit: error: .* is (.*): logs are JSON Lines, .*\nhint: (.*) \| attest-audit init -\n/#
      ), "\(told.errors)")
    #expect(message.1 == form.name[...])
    let found = try Program.run(
      ["init", "-", "--out", "p.yaml"], in: scratch.path, shell: "\(message.2) | \"$@\"")
    #expect(found.status == 0 && found.errors == "", "\(found.errors)")
    #expect(found.output.contains("schema    default"))

    // An archive's lines are lines of the log, but for those that its own blocks stand in.
    if form.name.contains("tar") { return }
    let audit = try Program.run(
      ["audit", path, "--pipeline", "pipeline.yaml", "--quiet"], in: scratch.path)
    #expect(audit.status == 2)
    let notice = try #require(
      audit.errors.firstMatch(
        of:
          #/notice: .* is .*, and no JSON Lines; (.*) \| attest-audit (audit - --stdin-name .*) reads it/#
      ), "\(audit.errors)")
    let read = try Program.run(
      [
        "audit", "-", "--pipeline", "pipeline.yaml", "--out", "report", "--attestation-max-age",
        "2d",
      ], in: scratch.path, shell: "\(notice.1) | \"$@\"")
    #expect(read.status == 0, "\(read.errors)")
    #expect(
      try scratch.report().summary.records["assertions"]
        == SyntheticDay.shared.lines.count - 3 - scratch.report().summary.records["challenges"]!)
  }

  @Test(arguments: ["\u{1E}", "<14>1 2026-03-01T10:00:00Z gw app - - - ", "INFO\t"])
  func `the default form behind what stands in front of each line`(_ front: String) throws {
    let lines = SyntheticDay.shared.lines
    try scratch.write("seq", lines.map { front + $0 + "\n" }.joined())
    let audit = try Program.run(
      ["audit", "seq", "--pipeline", "pipeline.yaml", "--quiet"], in: scratch.path)
    #expect(audit.status == 2)
    #expect(
      front != "\u{1E}"
        || audit.errors.contains(
          "no JSON Lines; sed 's/^\\x1e//' seq | attest-audit audit - --stdin-name seq reads it"),
      "\(audit.errors)")
    let found = try Program.run(["init", "seq", "--out", "p.yaml"], in: scratch.path)
    #expect(found.status == 0, "\(found)")
    #expect(
      found.output.contains(
        "schema    default: every field is where it expects it, after the text that precedes each "
          + "line's JSON\n"))
    let text = String(decoding: try scratch.bytes("p.yaml"), as: UTF8.self)
    #expect(
      text.contains(
        "\n  prefix: skip\n  rules:\n    - name: 'rule 1'\n      fields:\n        time: /time\n"))
    let check = try Program.run(["check", "p.yaml", "--run-tests"], in: scratch.path)
    #expect(check.status == 0, "\(check.errors)")

    // The day as it is, and the day with something in front, give the same records and findings.
    let schema = try #require(
      text.firstMatch(of: /\n(schema:\n(?:.|\n)*?)(?:\n# Lines of the log|$)/))
    try scratch.write(
      "s.yaml",
      "version: 1\nname: seq\n"
        + schema.1.dropFirst("schema:\n".count)
        .replacing("\n  ", with: "\n").dropFirst(2))
    var counts: [[String: Int]] = []
    for (file, schema) in [("log.jsonl", "default"), ("seq", "./s.yaml")] {
      let read = try Program.run(
        [
          "audit", file, "--pipeline", "pipeline.yaml", "--schema", schema, "--out",
          "report-" + file,
          "--attestation-max-age", "2d",
        ], in: scratch.path)
      #expect(read.status == 0, "\(read.errors)")
      counts.append(try scratch.report("report-" + file).summary.records)
    }
    #expect(counts[0] == counts[1])
  }

  @Test func `tables are told, and the command names the file as a shell and SQL take it`() throws {
    try scratch.write("it's.csv", "time,keyId,token\n1,2,3\n")
    let table = try Program.run(["init", "it's.csv"], in: scratch.path)
    #expect(
      table
        == Program.Outcome(
          status: 65, output: "",
          errors:
            "attest-audit: error: it's.csv is a CSV table: logs are JSON Lines, plain or packed "
            + "with gzip or zstd\nhint: duckdb -c \"COPY (FROM read_csv('it''s.csv', all_varchar = "
            + "true)) TO '/dev/stdout' (FORMAT json)\" | attest-audit init -\n"))
    try scratch.write("x.parquet", "PAR1\u{15}\u{04}\u{15}")
    let parquet = try Program.run(["init", "x.parquet"], in: scratch.path)
    #expect(
      parquet.errors.hasSuffix(
        "\nhint: duckdb -c \"COPY (FROM 'x.parquet') TO '/dev/stdout' (FORMAT json)\" | attest-audit "
          + "init -\n"), "\(parquet.errors)")
  }

  @Test func `beside others it is left out, and told`() throws {
    try scratch.write("b.csv", "time,keyId,token\n1,2,3\n")
    let outcome = try Program.run(["init", ".", "--out", "p.yaml"], in: scratch.path)
    #expect(outcome.output.contains("schema    default"))
    #expect(
      outcome.errors.contains(
        "attest-audit: notice: ./b.csv is a CSV table, and left out: duckdb -c "))
  }

  @Test(arguments: [
    "", "{", "[", "PA", "PAR", "BZ", "\u{0}", "{}\n", "[2026-03-01] {}\n", "[1,2]\n",
    "{\"a\":1,\"b\":2,\"c\":3}\n{\"a\":1,\"b\":2,\"c\":3}\n", "a,b,c",
    "prefix, with, commas {}\nx\n", "{\"a\":\"}{\"}\n{}\n", "{\"a\":1}} {", "{\"a\":1,\n{\"b\":1}{",
    "{\"a\":\"\\", "{\"a\":\"\\\"}{",
  ])
  func `what may be JSON Lines is none of these`(_ text: String) throws {
    try scratch.write("x", text)
    let outcome = try Program.run(["init", "x"], in: scratch.path)
    #expect(outcome.status == 65)
    #expect(!outcome.errors.contains(": logs are JSON Lines"), "\(outcome.errors)")
  }
}
