internal import AppAttest
package import AuditEngine

/// The end of a run for metrics, whether it was carried through or not.
package struct RunEnd: Sendable, Equatable {
  /// The time of the end, in milliseconds since 1970.
  package var time: Int64
  /// The duration of the run, in milliseconds.
  package var elapsed: Int64
  package var status: Int32
  /// The pipeline file as given, or nil: the label `pipeline`.
  package var pipeline: String?

  package init(time: Int64, elapsed: Int64, status: Int32, pipeline: String?) {
    self.time = time
    self.elapsed = elapsed
    self.status = status
    self.pipeline = pipeline
  }

  /// The prefix of the metrics of every run. A run that fails replaces these, and nothing else.
  static let prefix = MetricsText.prefix + "last_run_"

  func write(to text: inout MetricsText) {
    text.add("last_run_timestamp_seconds", "When the last run ended, well or not.", seconds: time)
    text.add("last_run_duration_seconds", "How long the last run took.", seconds: elapsed)
    text.add(
      "last_run_exit_status",
      "Exit status of the last run: 0 clean, 1 findings, 2 audited in part, above 63 failed.",
      UInt64(UInt32(bitPattern: status)))
  }

  var labels: [(String, String)] { pipeline.map { [("pipeline", $0)] } ?? [] }
}

package struct RunMetrics {
  private let result: any AuditResult
  private let news: FindingNews?
  private let facts: RunFacts
  private let end: RunEnd

  /// Makes the metrics. `news` is nil if there is no state.
  package init(
    _ result: any AuditResult, news: FindingNews?, facts: RunFacts, end: RunEnd
  ) {
    self.result = result
    self.news = news
    self.facts = facts
    self.end = end
  }

  package var text: String {
    var text = MetricsText(common: end.labels)
    end.write(to: &text)
    text.add(
      "last_success_timestamp_seconds", "When the last run that was carried through ended.",
      seconds: end.time)
    text.add("build_info", "The version that wrote this.", by: "version", [(Tool.version, 1)])
    writeRecords(to: &text)
    writeFindings(to: &text)
    writeInputs(to: &text)
    text.add(
      "peak_memory_bytes", "Largest resident set of the run.", facts.peakMemoryBytes)
    text.add("spilled_bytes", "Bytes written to the temporary folder.", facts.spilledBytes)
    return text.text
  }

  private func writeRecords(to text: inout MetricsText) {
    let totals = result.totals
    text.add("lines", "Lines read, blank ones as well.", totals.lines)
    text.add(
      "records", "Records read.", by: "kind",
      [
        ("attestation", totals.attestations), ("assertion", totals.assertions),
        ("challenge", totals.challenges), ("device_check_token", totals.deviceCheckTokens),
        ("known", totals.known),
        ("skipped", totals.skipped),
      ])
    text.add("rejects", "Lines that are not records.", totals.unreadable)
    text.add(
      "verdicts", "What became of each record.", by: "verdict",
      Verdict.allCases.map { ($0.name, totals.count($0)) })
    text.add(
      "keys", "Keys of the run by their status.", by: "status",
      KeyStatus.allCases.map { ($0.name, totals.keys[Int($0.rawValue)]) })
  }

  private func writeFindings(to text: inout MetricsText) {
    let totals = result.totals
    text.add(
      "findings", "Findings reported.", by: "severity", Self.severities(totals.findingsBySeverity))
    text.add(
      "findings_by_code", "Findings reported, where there are any of the code.", by: "code",
      Self.codes(totals.findingsByCode))
    text.add(
      "accepted_findings", "Findings that the settings accept, which are not reported.",
      totals.acceptedFindings)
    guard let news else { return }
    text.add(
      "new_findings", "Findings that no earlier run reported.", by: "severity",
      Self.severities(news.bySeverity))
    text.add(
      "new_findings_by_code", "Findings that no earlier run reported, where there are any.",
      by: "code", Self.codes(news.byCode))
    text.add(
      "closed_findings", "Findings of earlier runs that no longer stand.", result.closedCount)
  }

  private func writeInputs(to text: inout MetricsText) {
    let inputs = result.inputs
    text.add(
      "inputs", "Inputs by what became of them.", by: "status",
      InputRow.Status.allCases.map { status in
        (status.rawValue, UInt64(inputs.count { $0.status == status }))
      })
    text.add(
      "input_bytes", "Bytes of the inputs as they lie there.",
      inputs.reduce(0) { $0 &+ $1.bytes })
    text.add(
      "decompressed_bytes", "Bytes of the inputs that were read, decompressed.",
      inputs.reduce(0) { $0 &+ $1.decompressedBytes })
  }

  private static func severities(_ counts: [UInt64]) -> [(String, UInt64)] {
    Severity.allCases.map { ($0.name, counts[Int($0.rawValue)]) }
  }

  private static func codes(_ counts: [UInt64]) -> [(String, UInt64)] {
    FindingCode.allCases.compactMap { code in
      let count = counts[Int(code.rawValue)]
      return count > 0 ? (code.name, count) : nil
    }
  }
}
