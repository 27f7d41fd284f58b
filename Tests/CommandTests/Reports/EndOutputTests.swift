import Foundation
import TestSupport
import Testing

/// The place of the report, the printed text, and the exit status of the program.
struct EndOutputTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("a.jsonl", day.log())
    // A medium finding.
    try audit.scratch.write("medium.jsonl", day.log() + Array("x\n".utf8))
  }

  /// Runs an audit without the settings of ``EndAudit`` for its output.
  private func run(
    _ arguments: String..., environment: [String: String] = [:], shell: String = "exec \"$@\""
  ) throws -> Program.Outcome {
    try Program.run(
      ["audit", "--pipeline", "pipeline.yaml"] + arguments, in: audit.scratch.path,
      environment: environment, shell: shell)
  }

  // MARK: The folder

  @Test(
    arguments: [
      (
        ["--out", "no/report"], "the folder no of the report does not exist", "mkdir -p no"
      ),
      (["--out", "a.jsonl/report"], "cannot use a.jsonl/report: not a directory", nil),
      (["--out", "a.jsonl"], "a.jsonl exists already", "--overwrite replaces an earlier report"),
      (
        ["--out", "a.jsonl", "--overwrite"], "a.jsonl is not a report of attest-audit",
        "name a folder that does not exist"
      ),
      (["--out", "foreign"], "foreign exists already", "--overwrite replaces an earlier report"),
      (
        ["--out", "foreign", "--overwrite"], "foreign is not a report of attest-audit",
        "name a folder that does not exist"
      ),
      (
        ["--out", "site", "--overwrite"], "site is not a report of attest-audit",
        "name a folder that does not exist"
      ),
      (["--out", "nowhere"], "cannot use nowhere: it is a link to nothing", nil),
      (
        ["--out", "/proc/report"], "cannot create a folder in /proc: no such file or directory", nil
      ),
      (["--out", "."], ". exists already", "--overwrite replaces an earlier report"),
      (
        ["--out", ".", "--overwrite"], ". is not a report of attest-audit",
        "name a folder that does not exist"
      ),
    ] as [([String], String, String?)])
  func `a report that cannot be put there is an error`(
    _ flags: [String], _ message: String, _ hint: String?
  ) throws {
    try audit.scratch.write("foreign/thesis.txt", "precious")
    try audit.scratch.write("site/manifest.json", "{}")
    try audit.scratch.write("site/index.html", "precious")
    try audit.scratch.link("nowhere", to: "gone")
    let before = try audit.scratch.names
    let outcome = try Program.run(
      ["audit", "--pipeline", "pipeline.yaml", "medium.jsonl"] + flags, in: audit.scratch.path)
    #expect(
      outcome
        == Program.Outcome(
          status: 73, output: "",
          errors: "attest-audit: error: \(message)\n" + (hint.map { "hint: \($0)\n" } ?? "")))
    #expect(try audit.scratch.names == before)
    #expect(try audit.scratch.bytes("foreign/thesis.txt") == Array("precious".utf8))
    #expect(try audit.scratch.bytes("site/index.html") == Array("precious".utf8))
  }

  @Test func `a former report is kept, or replaced whole`() throws {
    #expect(try run("medium.jsonl", "--out", "report", "--quiet", "--verdicts").status == 0)
    let former = try audit.report.lasting
    #expect(former["verdicts.csv.zst"] != nil)
    let refused = try run("a.jsonl", "--out", "report", "--quiet")
    #expect(refused.status == 73)
    #expect(try audit.report.lasting == former)
    #expect(try run("a.jsonl", "--out", "report", "--quiet", "--overwrite").status == 0)
    #expect(
      try audit.report.names == [
        "findings.csv", "findings.jsonl", "keys.csv", "manifest.json", "rejects.jsonl",
        "report.html", "summary.json",
      ])
    #expect(try audit.report.findingRows.isEmpty)
    #expect(
      try audit.scratch.names == [
        "a.jsonl", "anchors", "medium.jsonl", "pipeline.yaml", "report", "spill",
      ])
    // One with a file of somebody's in it is not replaced.
    try audit.scratch.write("report/notes.txt", "precious")
    #expect(try run("a.jsonl", "--out", "report", "--quiet", "--overwrite").status == 73)
    #expect(try audit.scratch.bytes("report/notes.txt") == Array("precious".utf8))
  }

  // MARK: Full disks

  /// Writes a log with so many findings that no file of the report is small.
  private func writeManyRejects() throws {
    try audit.scratch.write(
      "many.jsonl", day.log() + Array(String(repeating: "x\n", count: 6000).utf8))
  }

  @Test(
    .disabled(if: Sanitizer.isActive, "the limit hits the sanitizer itself"),
    arguments: [1, 20, 200, 1000])
  func `a disk that is full leaves nothing`(_ blocks: Int) throws {
    try writeManyRejects()
    let before = try audit.scratch.names
    // The limit of a file's size stands in for the disk's, in blocks of 512 bytes.
    let outcome = try run(
      "many.jsonl", "--out", "report", "--log-level", "error", "--quiet",
      shell: "ulimit -f \(blocks); exec \"$@\"")
    #expect(outcome.status == 73)
    #expect(outcome.output == "")
    #expect(
      outcome.errors.wholeMatch(
        of: /attest-audit: error: cannot write [a-z.]+: file too large\n/) != nil,
      "\(outcome.errors)")
    #expect(try audit.scratch.names == before)
  }

  /// Flags with which the buffers of the shuffles hold a few rows.
  private static let tight = ["--memory", "64MiB", "--jobs", "48", "--quiet"]

  @Test func `a temporary folder that is not there is told once it is needed`() throws {
    try writeManyRejects()
    let before = try audit.scratch.names
    let outcome = try Program.run(
      ["audit", "--pipeline", "pipeline.yaml", "many.jsonl", "--out", "report", "--temp-dir"]
        + ["gone", "--log-level", "error"] + Self.tight, in: audit.scratch.path)
    #expect(
      outcome
        == Program.Outcome(
          status: 73, output: "",
          errors: "attest-audit: error: cannot create a file in the temporary folder gone: "
            + "no such file or directory\nhint: --temp-dir names a folder with more room\n"))
    #expect(try audit.scratch.names == before)
  }

  @Test(.disabled(if: Sanitizer.isActive, "the limit hits the sanitizer itself"))
  func `a temporary folder that is full leaves nothing`() throws {
    try writeManyRejects()
    let before = try audit.scratch.names
    let outcome = try Program.run(
      ["audit", "--pipeline", "pipeline.yaml", "many.jsonl", "--out", "report", "--temp-dir"]
        + ["spill", "--log-level", "error"] + Self.tight, in: audit.scratch.path,
      shell: "ulimit -f 1; exec \"$@\"")
    #expect(
      outcome
        == Program.Outcome(
          status: 73, output: "",
          errors: "attest-audit: error: cannot write to the temporary folder spill: "
            + "file too large\nhint: --temp-dir names a folder with more room\n"))
    #expect(try audit.scratch.names == before)
    #expect(try audit.scratch.spilled == [])
  }

  // MARK: What is printed

  private static let block = """
    1 finding
      without a key, 1 finding
        medium    record.malformed_json  no time                   82ecda47ca6859d9  medium.jsonl:34
      medium     1
        record.malformed_json                 1
    keys     3 attested
    records  3 attestations, 30 assertions, 0 challenges, 1 unreadable
    inputs   1 file
    report   report

    """

  @Test(
    arguments: [
      ("info", 1), ("low", 1), ("medium", 1), ("high", 0), ("critical", 0), ("never", 0),
    ] as [(String, Int32)])
  func `cron gets a block where there is something to mail, and else nothing`(
    _ level: String, _ status: Int32
  ) throws {
    #expect(
      try run("medium.jsonl", "--out", "report", "--fail-on", level)
        == Program.Outcome(status: status, output: status == 1 ? Self.block : "", errors: ""))
    #expect(
      try run("medium.jsonl", "--out", "report", "--overwrite", "--fail-on", level, "--quiet")
        == Program.Outcome(status: status, output: "", errors: ""))
    #expect(
      try run("a.jsonl", "--fail-on", level)
        == Program.Outcome(status: 0, output: "", errors: ""))
  }

  @Test(arguments: ["info", "high", "critical", "never"])
  func `an input that is not whole wins over findings, and is named first`(_ level: String) throws {
    let outcome = try run("medium.jsonl", "gone.jsonl", "--fail-on", level)
    #expect(outcome.status == 2)
    #expect(outcome.errors == "")
    #expect(
      outcome.output.hasPrefix("gone.jsonl: The input cannot be read: no such file or directory.\n")
    )
    #expect(try run("medium.jsonl", "gone.jsonl", "--quiet").output == "")
  }

  @Test func `the pipeline file sets the level, and a flag wins`() throws {
    let text = String(decoding: try audit.scratch.bytes("pipeline.yaml"), as: UTF8.self)
    try audit.scratch.write(
      "pipeline.yaml", text + "severity: {record.malformed_json: critical}\nreport: {failOn: low}\n"
    )
    #expect(try run("medium.jsonl", "--out", "report", "--quiet").status == 1)
    #expect(try audit.report.findings == ["critical record.malformed_json medium.jsonl:34"])
    #expect(try run("medium.jsonl", "--quiet", "--fail-on", "critical").status == 1)
    #expect(try run("medium.jsonl", "--quiet", "--fail-on", "never").status == 0)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func `a terminal gets the summary in colour, unless it wants none`() throws {
    let shell = "script -qec \"'$0x' $*\" /dev/null".replacing("$0x", with: Program.path)
    let command = "shift; " + shell
    let flags = ["medium.jsonl", "--out", "report", "--overwrite"]
    func terminal(_ more: [String], _ environment: [String: String]) throws -> String {
      try Program.run(
        ["audit", "--pipeline", "pipeline.yaml"] + flags + more, in: audit.scratch.path,
        environment: environment.merging(["TERM": "xterm", "SHELL": "/bin/sh"]) { $1 },
        shell: command
      ).output
    }
    let coloured = try terminal([], [:])
    #expect(coloured.contains("\u{1B}[33mmedium"))
    #expect(coloured.contains("report   report\r\n"))
    let plain = try terminal([], ["NO_COLOR": "1"])
    #expect(!plain.contains("\u{1B}"))
    #expect(plain.contains("  medium     1\r\n"))
    #expect(try terminal(["--quiet"], [:]) == "")
    // Nothing at or above the level was found: a terminal wants to know that as well.
    #expect(try terminal(["--fail-on", "never"], ["NO_COLOR": "1"]).contains("1 finding\r\n"))
  }

  @Test(arguments: ["true", "head -c 1"])
  func `a reader that goes away ends the run quietly`(_ reader: String) throws {
    let outcome = try run(
      "medium.jsonl", "--out", "report", "--fail-on", "low",
      shell: "{ \"$@\"; echo $? > status; } | \(reader)")
    #expect(outcome.errors == "")
    #expect(outcome.output == (reader == "true" ? "" : "1"))
    // The report is there, and the status is that of the audit.
    #expect(try audit.scratch.bytes("status") == Array("1\n".utf8))
    #expect(try audit.report.findings == ["medium record.malformed_json medium.jsonl:34"])
  }

  @Test func `closed standard streams are errors of those alone`() throws {
    let input = try run("-", "--out", "report", "--quiet", shell: "exec \"$@\" <&-")
    #expect(input == Program.Outcome(status: 2, output: "", errors: ""))
    #expect(try audit.report.findings == ["high stream.unreadable -:0"])
    #expect(
      try audit.report.details("stream.unreadable")
        == ["The input cannot be read: bad file descriptor."])
    let output = try run("medium.jsonl", "--fail-on", "low", shell: "exec \"$@\" >&-")
    #expect(
      output
        == Program.Outcome(
          status: 1, output: "",
          errors: "attest-audit: error: cannot write to standard output: bad file descriptor\n"))
    try audit.scratch.write("many.jsonl", String(repeating: "x\n", count: 3000))
    let all = try run(
      "many.jsonl", "--out", "report", "--overwrite", "--fail-on", "low",
      shell: "exec \"$@\" <&- >&- 2>&-")
    // None of the lines is a record.
    #expect(all == Program.Outcome(status: 2, output: "", errors: ""))
    #expect(try audit.report.findingRows.count == 3000)
    #expect(try !audit.report.text("findings.jsonl").contains("notice:"))
  }
}
