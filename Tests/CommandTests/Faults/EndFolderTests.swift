import Foundation
import Glibc
import TestSupport
import Testing

/// Files that others can put into a folder of logs. They never stop an audit, and never open
/// another file.
struct EndFolderTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("logs/a.jsonl", day.log())
  }

  private func makeFIFO(_ name: String) {
    let made = unsafe mkfifo("\(audit.scratch.path)/\(name)", 0o600)
    #expect(made == 0)
  }

  @Test(arguments: ["logs", "logs/*", "**/*.jsonl", "logs/[!x]*.jsonl"])
  func `a FIFO among the logs is told, and nobody waits for it`(_ input: String) throws {
    makeFIFO("logs/b.jsonl")
    try audit.expect(
      input, status: 2, findings: ["high stream.unreadable logs/b.jsonl:0"], lines: ["lines": 33])
    #expect(
      try audit.report.details("stream.unreadable") == [
        "The input cannot be read: it is a FIFO, which is read only where it is named itself."
      ])
  }

  @Test(arguments: ["logs", "logs/*"])
  func `a link to a device among the logs is not read`(_ input: String) throws {
    try audit.scratch.link("logs/b.jsonl", to: "/dev/zero")
    for flags in [[], ["--follow"]] {
      let outcome = try audit.run([input, "--quiet"] + flags)
      #expect(outcome == Program.Outcome(status: 2, output: "", errors: ""))
      #expect(try audit.report.findings == ["high stream.unreadable logs/b.jsonl:0"])
      #expect(
        try audit.report.details("stream.unreadable") == [
          "The input cannot be read: it is a device, which is read only where it is named itself."
        ])
    }
  }

  @Test func `a device that is named itself is read`() throws {
    try audit.expect("/dev/null", status: 0, findings: [], lines: ["lines": 0])
  }

  @Test(arguments: ["logs", "logs/", "logs/*", "**/*.jsonl", "logs/**", "logs/*.jsonl"])
  func `a link out of the folder is followed only where that is said`(_ input: String) throws {
    try audit.scratch.write("private/secret.jsonl", "root:x:0:0\n")
    try audit.scratch.link("logs/c.jsonl", to: "../private/secret.jsonl")
    if input.hasPrefix("**") { try audit.scratch.link("c.jsonl", to: "/etc/hostname") }
    let quiet = try audit.run(input, "--quiet")
    // A glob that begins here finds both of the folder's files, and a link out of it.
    guard !input.hasPrefix("**") else {
      #expect(quiet.errors.contains("c.jsonl leads out of **/*.jsonl and is not followed"))
      return
    }
    #expect(
      quiet
        == Program.Outcome(
          status: 0, output: "",
          errors: "attest-audit: notice: logs/c.jsonl leads out of \(input) and is not followed; "
            + "--follow follows it\n"))
    #expect(try audit.report.findings == [])
    #expect(
      try !String(decoding: audit.scratch.bytes("report/rejects.jsonl"), as: UTF8.self)
        .contains("root:x"))
    let followed = try audit.run(input, "--quiet", "--follow")
    #expect(followed.errors.contains("1 of 1 line of logs/c.jsonl cannot be read"))
    #expect(try audit.report.findings == ["medium record.malformed_json logs/c.jsonl:1"])
  }

  @Test func `a folder of nothing but links out of it is unreadable, and says what follows them`()
    throws
  {
    for name in ["x", "y"] {
      try audit.scratch.write("pods/\(name).jsonl", day.log(name == "x" ? 0..<5 : 5..<33))
      try audit.scratch.link("containers/\(name).jsonl", to: "../pods/\(name).jsonl")
    }
    for input in ["containers", "containers/*.jsonl"] {
      try audit.expect(
        input, status: 2,
        errors:
          "attest-audit: notice: 2 links lead out of \(input) and are not followed, the first "
          + "is containers/x.jsonl; --follow follows them\n",
        findings: ["high stream.unreadable \(input):0"], lines: ["lines": 0])
      #expect(
        try audit.report.details("stream.unreadable") == [
          "The input cannot be read: nothing is there but links that lead out of it, "
            + "which --follow follows."
        ])
      #expect(try audit.run(input, "--quiet", "--follow").errors.isEmpty)
      #expect(try audit.report.summary.records["lines"] == 33)
    }
  }

  @Test func `links within the folder, and an input that is a link itself, are followed`() throws {
    try audit.scratch.link("current", to: "logs")
    try audit.scratch.link("logs/again.jsonl", to: "a.jsonl")
    try audit.scratch.makeFolder("logs/deep")
    try audit.scratch.link("logs/deep/up", to: "..")
    for input in ["current", "logs", "current/*"] {
      let outcome = try audit.run(input, "--quiet")
      #expect(outcome.status == 0)
      #expect(outcome.errors.hasSuffix("and is left out\n"), "\(outcome.errors)")
      #expect(try audit.report.summary.records["lines"] == 33)
    }
    try audit.scratch.link("named.jsonl", to: "logs/a.jsonl")
    try audit.expect("named.jsonl", status: 0, findings: [], lines: ["lines": 33])
  }

  @Test(.disabled(if: getuid() == 0 && !Self.canDropRights, "root opens every folder"))
  func `a folder that a glob cannot open is named`() throws {
    try audit.scratch.write("logs/open/b.jsonl", "")
    try audit.scratch.write("logs/closed/c.jsonl", day.log())
    for (input, names) in [
      ("logs/*/*.jsonl", ["logs/closed"]), ("logs/**/*.jsonl", ["logs/closed"]),
      ("logs", ["logs/closed"]), ("logs/*/c.jsonl", ["logs/closed"]),
    ] {
      let outcome = try Program.run(
        EndAudit.arguments([input, "--quiet"]), in: audit.scratch.path,
        shell: """
          chmod 777 . && chmod 711 logs/closed && chmod 0 logs/closed
          \(getuid() == 0 ? "setpriv --reuid=65534 --clear-groups --" : "") "$@"
          status=$?
          chmod 755 logs/closed
          exit $status
          """)
      #expect(outcome.status == 2, "\(input): \(outcome.errors)")
      if outcome.status == 2 {
        #expect(
          try audit.report.findings == names.map { "high stream.unreadable \($0):0" }, "\(input)")
        #expect(
          try audit.report.details("stream.unreadable")
            == ["The input cannot be read: permission denied."])
      }
      try? FileManager.default.removeItem(atPath: audit.report.path)
    }
  }

  private static let canDropRights = FileManager.default.isExecutableFile(
    atPath: "/usr/bin/setpriv")

  @Test func `a state sees them the same way`() throws {
    makeFIFO("logs/b.jsonl")
    try audit.scratch.write("private.jsonl", "secret\n")
    try audit.scratch.link("logs/c.jsonl", to: "../private.jsonl")
    let outcome = try Program.run(
      [
        "audit", "logs/*", "--pipeline", "pipeline.yaml", "--out", "report", "--quiet", "--state",
        "state", "--state-mode", "advance", "--settle", "0s",
      ], in: audit.scratch.path)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("logs/c.jsonl leads out of logs/* and is not followed"))
    #expect(try audit.report.findings == ["high stream.unreadable logs/b.jsonl:0"])
  }

  @Test func `check sees them, too`() throws {
    makeFIFO("logs/b.jsonl")
    try audit.scratch.write(
      "p.yaml",
      String(decoding: try audit.scratch.bytes("pipeline.yaml"), as: UTF8.self)
        .replacing(#/inputs:.*/#, with: "inputs: [logs/]"))
    let outcome = try Program.run(["check", "p.yaml"], in: audit.scratch.path)
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("logs/b.jsonl': it is a FIFO"), "\(outcome.errors)")
  }
}
