package import AuditEngine
internal import Basics
package import Files
internal import Glibc

/// The file that node_exporter's textfile collector reads. It is replaced as a whole.
package struct MetricsFile: Sendable {
  /// The size in bytes of the largest former file from which a failed run takes lines.
  private static let formerLimit = 1 << 20
  /// The attempts while another run writes the file, and the pause between them in microseconds.
  private static let attempts = 100
  private static let pause: UInt32 = 20_000

  package let path: String
  private let parent: String
  private let name: String

  /// Makes the file of a path as the user named it, or throws if it names none.
  package init(path: String) throws(AuditError) {
    self.path = path
    guard !path.utf8.contains(0) else {
      throw AuditError(.file(EINVAL), "the file of metrics has no name")
    }
    (parent, name) = PathText.split(path)
    guard !name.isEmpty, name != ".", name != "..", !path.hasSuffix("/") else {
      throw AuditError(.file(EINVAL), "cannot use \(path) as a file of metrics")
    }
  }

  /// Throws if the file could not be written. Call it before any work. Nothing is made or changed.
  package func check() throws(AuditError) {
    let folder = try Folder(opening: parent)
    try folder.requireWriting()
    let status = try folder.status(name)
    guard status == nil || status?.kind == .file || status?.kind == .link else {
      throw AuditError(.file(EINVAL), "cannot use \(path): it is not a file")
    }
  }

  /// Writes the metrics of a run that was carried through. `news` is nil if there is no state.
  package func write(
    _ result: any AuditResult, news: FindingNews?, facts: RunFacts, end: RunEnd
  ) throws(AuditError) {
    let metrics = end.metrics(of: result, news, facts)
    try replace(in: Folder(opening: parent), with: Metric.text(metrics, pipeline: end.pipeline))
  }

  /// Records that a run failed, and when. All else stays as the last successful run left it.
  package func write(failure end: RunEnd) throws(AuditError) {
    let folder = try Folder(opening: parent)
    let text = Metric.text(end.metrics, pipeline: end.pipeline)
    try replace(in: folder, with: text + Self.lasting(try former(in: folder)))
  }

  /// Returns the whole lines of this program in a former file, except those of the last run.
  static func lasting(_ former: [UInt8]) -> String {
    guard let end = former.lastIndex(of: 0x0A) else { return "" }
    var text = ""
    for line in former[...end].split(separator: 0x0A) {
      let line = String(decoding: line, as: UTF8.self)
      let name =
        line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE ") ? line.dropFirst(7) : line[...]
      guard name.hasPrefix(Metric.prefix), !name.hasPrefix(Metric.lastRun) else { continue }
      text += line + "\n"
    }
    return text
  }

  /// Returns the present contents, or nothing if the file is too large to be the program's own.
  private func former(in folder: Folder) throws(AuditError) -> [UInt8] {
    do throws(AuditError) {
      let file = try folder.open(name, followsLinks: true)
      let bytes = try file?.bytes(limit: Self.formerLimit + 1) ?? []
      return bytes.count > Self.formerLimit ? [] : bytes
    } catch { throw error.told("cannot read", path) }
  }

  /// Writes a file beside the target and renames it. One run at a time writes it, over a file that a killed run left.
  private func replace(in folder: Folder, with text: String) throws(AuditError) {
    do throws(AuditError) {
      let file = try ReplacingFile(
        name, sharedIn: folder, mode: 0o644, attempts: Self.attempts, pause: Self.pause)
      try file.append(Array(text.utf8).span)
      try file.putInPlace()
    } catch {
      guard error.number != EAGAIN else {
        throw AuditError(.file(EAGAIN), "cannot write \(path): another run is writing it")
      }
      throw error.told(error.action, path)
    }
  }
}

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
}

/// A metric in the text format of Prometheus, version 0.0.4: a gauge of one run.
struct Metric {
  static let prefix = "attest_audit_"
  /// The prefix of the metrics of every run. A run that fails replaces these, and nothing else.
  static let lastRun = prefix + "last_run_"

  /// The name without the prefix.
  let name: String
  let help: String
  /// The label in which the samples differ, or nil for a single sample.
  let label: String?
  let samples: [(value: String, number: String)]

  init(_ name: String, _ help: String, _ number: UInt64) {
    (self.name, self.help, label, samples) = (name, help, nil, [("", String(number))])
  }

  /// Makes a metric in milliseconds, written as seconds.
  init(_ name: String, _ help: String, seconds milliseconds: Int64) {
    let (whole, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    let number = "\(milliseconds < 0 ? "-" : "")\(whole)." + "\(rest)".zeroPadded(to: 3)
    (self.name, self.help, label, samples) = (name, help, nil, [("", number)])
  }

  init(_ name: String, _ help: String, by label: String, _ counts: [(String, UInt64)]) {
    (self.name, self.help, self.label) = (name, help, label)
    samples = counts.map { ($0, String($1)) }
  }

  /// Returns the lines of metrics. A metric without samples has none.
  static func text(_ metrics: [Metric], pipeline: String?) -> String {
    metrics.filter { !$0.samples.isEmpty }.map { metric in
      let name = prefix + metric.name
      let samples = metric.samples.map { value, number in
        let labels = [metric.label.map { ($0, value) }, pipeline.map { ("pipeline", $0) }]
          .compactMap(\.self).map { "\($0)=\"\(escaped($1))\"" }
        return name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") + " \(number)\n"
      }
      return "# HELP \(name) \(metric.help)\n# TYPE \(name) gauge\n" + samples.joined()
    }.joined()
  }

  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "\"": "\\\(scalar)"
      case "\n": "\\n"
      default: String(scalar)
      }
    }.joined()
  }
}

extension RunEnd {
  var metrics: [Metric] {
    [
      Metric("last_run_timestamp_seconds", "When the last run ended, well or not.", seconds: time),
      Metric("last_run_duration_seconds", "How long the last run took.", seconds: elapsed),
      Metric(
        "last_run_exit_status",
        "Exit status of the last run: 0 clean, 1 findings, 2 audited in part, above 63 failed.",
        UInt64(UInt32(bitPattern: status))),
    ]
  }

  /// Returns the metrics of a run that was carried through. `news` is nil if there is no state.
  func metrics(of result: any AuditResult, _ news: FindingNews?, _ facts: RunFacts) -> [Metric] {
    let (totals, inputs) = (result.totals, result.inputs)
    let ofNews: [Metric] =
      news.map { news in
        [
          Metric(
            "new_findings", "Findings that no earlier run reported.", by: "severity",
            Self.counts(Severity.allCases, news.bySeverity)),
          Metric(
            "new_findings_by_code", "Findings that no earlier run reported, where there are any.",
            by: "code", Self.counts(FindingCode.allCases, news.byCode).filter { $0.1 > 0 }),
          Metric(
            "closed_findings", "Findings of earlier runs that no longer stand.", result.closedCount),
        ]
      } ?? []
    return metrics + [
      Metric(
        "last_success_timestamp_seconds", "When the last run that was carried through ended.",
        seconds: time),
      Metric("build_info", "The version that wrote this.", by: "version", [(Tool.version, 1)]),
      Metric("lines", "Lines read, blank ones as well.", totals.lines),
      Metric(
        "records", "Records read.", by: "kind",
        [
          ("attestation", totals.attestations), ("assertion", totals.assertions),
          ("challenge", totals.challenges), ("device_check_token", totals.deviceCheckTokens),
          ("known", totals.known), ("skipped", totals.skipped),
        ]),
      Metric("rejects", "Lines that are not records.", totals.unreadable),
      Metric(
        "verdicts", "What became of each record.", by: "verdict",
        Self.counts(Verdict.allCases, totals.verdicts)),
      Metric(
        "keys", "Keys of the run by their status.", by: "status",
        Self.counts(KeyStatus.allCases, totals.keys)),
      Metric(
        "findings", "Findings reported.", by: "severity",
        Self.counts(Severity.allCases, totals.findingsBySeverity)),
      Metric(
        "findings_by_code", "Findings reported, where there are any of the code.", by: "code",
        Self.counts(FindingCode.allCases, totals.findingsByCode).filter { $0.1 > 0 }),
      Metric(
        "accepted_findings", "Findings that the settings accept, which are not reported.",
        totals.acceptedFindings),
    ] + ofNews + [
      Metric(
        "inputs", "Inputs by what became of them.", by: "status",
        InputRow.Status.allCases.map { status in
          (status.rawValue, UInt64(inputs.count { $0.status == status }))
        }),
      Metric(
        "input_bytes", "Bytes of the inputs as they lie there.",
        inputs.reduce(0) { $0 &+ $1.bytes }),
      Metric(
        "decompressed_bytes", "Bytes of the inputs that were read, decompressed.",
        inputs.reduce(0) { $0 &+ $1.decompressedBytes }),
      Metric("peak_memory_bytes", "Largest resident set of the run.", facts.peakMemoryBytes),
      Metric("spilled_bytes", "Bytes written to the temporary folder.", facts.spilledBytes),
    ]
  }

  private static func counts(
    _ values: [some NamedValue], _ counts: [UInt64]
  ) -> [(String, UInt64)] {
    zip(values, counts).map { ($0.name, $1) }
  }
}
