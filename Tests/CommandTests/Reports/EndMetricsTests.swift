import Foundation
import Glibc
import TestSupport
import Testing

/// The file of metrics, through the program.
struct EndMetricsTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("a.jsonl", day.log())
  }

  private func metrics() throws -> PrometheusText {
    try PrometheusText(String(decoding: audit.scratch.bytes("m.prom"), as: UTF8.self))
  }

  private func value(_ name: String, _ labels: [String: String] = [:]) throws -> Double? {
    try metrics().value("attest_audit_" + name, labels)
  }

  @Test func `a run leaves its metrics, for everybody to read`() throws {
    let before = Date.now.timeIntervalSince1970
    let outcome = try audit.run(
      "a.jsonl", "--metrics", "m.prom", "--quiet", shell: "umask 077; exec \"$@\"")
    #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    let after = Date.now.timeIntervalSince1970
    var facts = stat()
    try #require(unsafe lstat(audit.scratch.path + "/m.prom", &facts) == 0)
    #expect(facts.st_mode == S_IFREG | 0o644)
    #expect(try value("last_run_exit_status") == 0)
    let time = try #require(try value("last_success_timestamp_seconds"))
    #expect(time > before - 1 && time < after + 1)
    #expect(try value("lines") == 33)
    #expect(try value("records", ["kind": "assertion"]) == 30)
    #expect(try value("keys", ["status": "attested"]) == 3)
    #expect(try value("inputs", ["status": "ok", "pipeline": "pipeline.yaml"]) == 1)
    #expect(try value("decompressed_bytes") == Double(day.log().count))
    #expect(try #require(try value("peak_memory_bytes")) > 1_000_000)
    // Without a state nothing is new.
    #expect(try !metrics().names.contains("attest_audit_new_findings"))
    #expect(try audit.scratch.spilled == [])
  }

  @Test func `without a report there are metrics as well`() throws {
    let outcome = try Program.run(
      [
        "audit", "--pipeline", "pipeline.yaml", "--temp-dir", "spill", "--quiet", "--metrics",
        "m.prom", "a.jsonl", "missing.jsonl",
      ], in: audit.scratch.path)
    #expect(outcome.status == 2)
    #expect(try value("last_run_exit_status") == 2)
    #expect(try value("findings", ["severity": "high"]) == 1)
    #expect(try value("findings_by_code", ["code": "stream.unreadable"]) == 1)
    #expect(try !audit.scratch.names.contains("report"))
  }

  @Test func `a run that fails says so and keeps what the last good one said`() throws {
    _ = try audit.run("a.jsonl", "--metrics", "m.prom", "--quiet")
    let success = try #require(try value("last_success_timestamp_seconds"))
    let outcome = try Program.run(
      [
        "audit", "--pipeline", "pipeline.yaml", "--out", "report", "--temp-dir", "spill",
        "--metrics", "m.prom", "a.jsonl",
      ], in: audit.scratch.path)
    #expect(outcome.status == 73)
    #expect(
      outcome.errors
        == "attest-audit: error: report exists already\n"
        + "hint: --overwrite replaces an earlier report\n")
    #expect(try value("last_run_exit_status") == 73)
    #expect(try value("last_success_timestamp_seconds") == success)
    #expect(try #require(try value("last_run_timestamp_seconds")) >= success)
    #expect(try value("lines") == 33)
  }

  @Test func `where metrics cannot be written nothing is begun`() throws {
    let outcome = try audit.run("a.jsonl", "--metrics", "no/m.prom")
    #expect(
      outcome
        == Program.Outcome(
          status: 73, output: "",
          errors: "attest-audit: error: cannot open no: no such file or directory\n"))
    #expect(try !audit.scratch.names.contains("report"))
  }

  @Test func `metrics that fail at the end are a warning`() throws {
    // Nobody else can have that name: it links to another file, which must not be written to.
    try audit.scratch.write("precious", "precious")
    try FileManager.default.linkItem(
      atPath: audit.scratch.path + "/precious", toPath: audit.scratch.path + "/.m.prom.partial")
    let outcome = try audit.run("a.jsonl", "--metrics", "m.prom")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("cannot write m.prom: another run is writing it\n"))
    #expect(try audit.report.summary.records["lines"] == 33)
    #expect(try audit.scratch.bytes("precious") == Array("precious".utf8))
  }
}
