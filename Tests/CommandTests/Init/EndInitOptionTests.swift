import Foundation
import TestSupport
import Testing

/// The options of `init`, and samples that hold little or nothing.
struct EndInitOptionTests {
  private static let log = SyntheticDay.shared.log()

  @Test(arguments: [[], ["--out", "-"]])
  func `without --out the file goes to standard output, and all else to standard error`(
    _ flags: [String]
  ) throws {
    let scratch = try Scratch()
    try scratch.write("log.jsonl", Self.log)
    let outcome = try Program.run(["init", "log.jsonl"] + flags, in: scratch.path)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("# Written by attest-audit init"))
    #expect(outcome.output.contains("schema: default\n"))
    #expect(outcome.errors.contains("none of 3 attestations verified: The certificates do not"))
    #expect(outcome.output.contains("# No attestation verified"))
    #expect(try scratch.names == ["log.jsonl"])
  }

  @Test func `standard input is a sample, too`() throws {
    let scratch = try Scratch()
    let outcome = try Program.run(
      ["init", "-", "--out", "p.yaml"], in: scratch.path, input: Self.log)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.output.contains("read 33 lines of 1 input"))
    #expect(outcome.output.hasSuffix("file      p.yaml\n"))
    let text = String(decoding: try scratch.bytes("p.yaml"), as: UTF8.self)
    #expect(text.contains("# inputs: none here"))
    #expect(try Program.run(["check", "p.yaml", "--run-tests"], in: scratch.path).status == 0)
  }

  @Test func `a file that is there is replaced only where that is asked for`() throws {
    let scratch = try Scratch()
    try scratch.write("log.jsonl", Self.log)
    try scratch.write("p.yaml", "mine")
    let refused = try Program.run(["init", "log.jsonl", "--out", "p.yaml"], in: scratch.path)
    #expect(
      refused
        == Program.Outcome(
          status: 73, output: "",
          errors: "attest-audit: error: p.yaml is there already\nhint: --overwrite replaces it\n"))
    #expect(try scratch.bytes("p.yaml") == Array("mine".utf8))
    let replaced = try Program.run(
      ["init", "log.jsonl", "--out", "p.yaml", "--overwrite"], in: scratch.path)
    #expect(replaced.status == 0)
    #expect(try scratch.bytes("p.yaml").count > 100)
    #expect(try scratch.names == ["log.jsonl", "p.yaml"])
  }

  @Test(arguments: [
    (["--out", "nowhere/p.yaml"], 73, "cannot write nowhere/p.yaml"),
    (["--out", "."], 73, ". is no file that could be replaced"),
    (["--out", "/dev/null", "--overwrite"], 73, "/dev/null is no file that could be replaced"),
    (["--overwrite"], 64, "--overwrite without --out"), (["--lines", "0"], 64, "--lines: '0'"),
    (["--lines", "many"], 64, "lines"), (["--app-id", "bank"], 64, "--app-id: 'bank' is not"),
    (["--trust-anchor", "missing.pem"], 65, "cannot read missing.pem"),
    (["--trust-anchor", "log.jsonl"], 65, "--trust-anchor: log.jsonl"),
    (["--receipt-anchor", "log.jsonl"], 65, "--receipt-anchor: log.jsonl"),
  ])
  func `what cannot be done is said in a line`(
    arguments: [String], status: Int, message: String
  ) throws {
    let scratch = try Scratch()
    try scratch.write("log.jsonl", Self.log)
    let outcome = try Program.run(["init", "log.jsonl"] + arguments, in: scratch.path)
    #expect(Int(outcome.status) == status)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("attest-audit: error: "))
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(try scratch.names == ["log.jsonl"])
  }

  @Test(arguments: [
    ("", "none of 0 lines is a JSON object"), ("no JSON\n[1]\n", "none of 2 lines"),
    ("{}\n{\"a\":1}\n", "no attestation and no assertion in 2 lines"),
  ])
  func `a sample without tokens is an error, and nothing is written`(
    log: String, message: String
  ) throws {
    let scratch = try Scratch()
    try scratch.write("log.jsonl", log)
    let outcome = try Program.run(["init", "log.jsonl", "--out", "p.yaml"], in: scratch.path)
    #expect(outcome.status == 65)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(try scratch.names == ["log.jsonl"])
  }

  @Test func `no sample, and one that is not there`() throws {
    let scratch = try Scratch()
    #expect(try Program.run(["init"], in: scratch.path).status == 64)
    let missing = try Program.run(["init", "missing"], in: scratch.path)
    #expect(missing.status == 65)
    #expect(missing.errors.contains("missing: The input cannot be read"))
  }

  @Test func `paths are told from the file's folder`() throws {
    let scratch = try Scratch()
    try scratch.write("logs/log.jsonl", Self.log)
    try scratch.makeFolder("etc")
    try SyntheticDay.shared.writeSettings(to: scratch)
    let anchor = "anchors/synthetic-attestation-root.pem"
    for out in ["etc/p.yaml", scratch.path + "/etc/q.yaml"] {
      let outcome = try Program.run(
        ["init", "logs", "--out", out, "--trust-anchor", anchor], in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let audit = try Program.run(
        ["audit", "--pipeline", out, "--receipts", "ignore", "--out", "r", "--overwrite"]
          + EndInitTests.everyApp, in: scratch.path)
      #expect(audit.status == 0, "\(audit.errors)")
      #expect(try scratch.report("r").summary.records["assertions"] == 30)
    }
    #expect(
      String(decoding: try scratch.bytes("etc/p.yaml"), as: UTF8.self)
        .contains("inputs: ['../logs']\n"))
  }

  @Test func `an app that is named stands in the file`() throws {
    let scratch = try Scratch()
    try scratch.write("log.jsonl", Self.log)
    let outcome = try Program.run(
      ["init", "log.jsonl", "--app-id", "ABCDE12345.com.example.other"], in: scratch.path)
    #expect(outcome.output.contains("id: ABCDE12345.com.example.other\n"))
    #expect(outcome.output.contains("no token is of this app"))
  }

  @Test func `assertions without any attestation are a start of a file`() throws {
    let scratch = try Scratch()
    let lines = try SyntheticDay.shared.lines.filter { try !EndInitFormTests.isAttestation($0) }
    #expect(lines.count == 30)
    try scratch.write(
      "log.jsonl", lines.map { #"{"request":\#($0)}"# + "\n" }.joined())
    let outcome = try Program.run(["init", "log.jsonl", "--out", "p.yaml"], in: scratch.path)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "attest-audit: warning: an audit by this file would make records of 0 of 30 "
        + "lines that contain tokens\n")
    #expect(outcome.output.contains("not found"))
    #expect(
      outcome.output.contains(
        "\nreads     0.0 % (0 of 30) of all lines, 0.0 % (0 of 30) of those that contain tokens\n"))
    let text = String(decoding: try scratch.bytes("p.yaml"), as: UTF8.self)
    #expect(text.contains("# Not enough was found to read the log by. Complete this start:\n"))
    #expect(text.contains("#        token: /request/token\n"))
    #expect(text.contains("#        # perhaps: keyId: /request/keyId\n"))
    #expect(text.contains("# not found: clientData: "))
    // No other schema is tried instead.
    let check = try Program.run(["check", "p.yaml"], in: scratch.path)
    #expect(check.status == 65 && check.errors.contains("a schema needs rules"))
  }

  @Test(.enabled(if: EndVector.isPresent))
  func `genuine attestations verify under Apple's root`() throws {
    let scratch = try Scratch()
    try scratch.write("log.jsonl", EndVector.log(EndVector.records, times: [:]))
    let outcome = try Program.run(["init", "log.jsonl", "--out", "p.yaml"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains(#/attestations verified: \d+ (production|development)/#))
    #expect(try Program.run(["check", "p.yaml", "--run-tests"], in: scratch.path).status == 0)
  }
}
