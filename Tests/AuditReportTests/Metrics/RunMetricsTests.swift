import AuditEngine
import AuditLog
import TestSupport
import Testing

@testable import AuditReport

struct RunMetricsTests {
  private static let end = RunEnd(
    time: 1_772_366_400_123, elapsed: 61_005, status: 1, pipeline: nil)

  private func metrics(
    _ result: InMemoryResult, news: FindingNews? = nil, end: RunEnd = RunMetricsTests.end
  ) throws -> PrometheusText {
    try PrometheusText(RunMetrics(result, news: news, facts: Rows.facts, end: end).text)
  }

  private func names(state: Bool) -> [String] {
    ([
      "last_run_timestamp_seconds", "last_run_duration_seconds", "last_run_exit_status",
      "last_success_timestamp_seconds", "build_info", "lines", "records", "rejects", "verdicts",
      "keys", "findings", "findings_by_code", "accepted_findings",
    ] + (state ? ["new_findings", "new_findings_by_code", "closed_findings"] : [])
      + ["inputs", "input_bytes", "decompressed_bytes"]
      + ["peak_memory_bytes", "spilled_bytes"]).map { "attest_audit_" + $0 }
  }

  @Test func `the values are those of the run`() throws {
    var result = InMemoryResult.sample()
    result.totals.accepted = [
      AcceptedCount(
        AcceptedFinding(
          .fingerprint(1), severity: .critical, reason: "known", expires: "2026-12-31"), count: 4)
    ]
    var waiting = result.inputs[0]
    waiting.status = .waiting
    result.inputs.append(waiting)
    let parsed = try metrics(result)
    for (name, labels, value) in [
      ("last_run_timestamp_seconds", [:], 1_772_366_400.123),
      ("last_success_timestamp_seconds", [:], 1_772_366_400.123),
      ("last_run_duration_seconds", [:], 61.005), ("last_run_exit_status", [:], 1),
      ("build_info", ["version": Tool.version], 1), ("lines", [:], 3), ("rejects", [:], 1),
      ("records", ["kind": "assertion"], 2), ("records", ["kind": "attestation"], 0),
      ("verdicts", ["verdict": "valid"], 1), ("keys", ["status": "attested"], 1),
      ("keys", ["status": "known"], 0), ("findings", ["severity": "high"], 1),
      ("findings", ["severity": "critical"], 0),
      ("findings_by_code", ["code": "counter.regression"], 1), ("accepted_findings", [:], 4),
      ("inputs", ["status": "ok"], 1), ("inputs", ["status": "unreadable"], 1),
      ("inputs", ["status": "waiting"], 1), ("inputs", ["status": "known"], 0),
      ("input_bytes", [:], 20), ("decompressed_bytes", [:], 40),
      ("peak_memory_bytes", [:], 1024),
      ("spilled_bytes", [:], 0),
    ] as [(String, [String: String], Double)] {
      #expect(parsed.value("attest_audit_" + name, labels) == value, "\(name) \(labels)")
    }
    // Of a code that did not occur there is no sample.
    #expect(parsed.value("attest_audit_findings_by_code", ["code": "counter.gap"]) == nil)
    #expect(parsed.names == names(state: false))
    #expect(parsed.families.allSatisfy { $0.type == "gauge" && $0.help.hasSuffix(".") })
  }

  @Test func `a run with a state tells what is new and what is closed`() throws {
    var result = InMemoryResult.sample()
    result.closedCount = 2000
    var news = FindingNews()
    news.add(Rows.full, sources: SourceNames(result.sources))
    let parsed = try metrics(result, news: news)
    #expect(parsed.names == names(state: true))
    #expect(parsed.value("attest_audit_new_findings", ["severity": "high"]) == 1)
    #expect(parsed.value("attest_audit_new_findings", ["severity": "medium"]) == 0)
    #expect(
      parsed.value("attest_audit_new_findings_by_code", ["code": "counter.regression"]) == 1)
    #expect(
      parsed.value("attest_audit_new_findings_by_code", ["code": "record.malformed_json"]) == nil)
    #expect(parsed.value("attest_audit_closed_findings") == 2000)
  }

  @Test func `the pipeline stands at every sample`() throws {
    var end = Self.end
    end.pipeline = "/etc/\"odd\"\n\\name.yaml"
    let samples = try metrics(InMemoryResult.sample(), end: end).families.flatMap(\.samples)
    #expect(samples.count > 35)
    #expect(samples.allSatisfy { $0.labels["pipeline"] == end.pipeline })
  }
}
