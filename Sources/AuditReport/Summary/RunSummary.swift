package import AuditEngine
internal import AuditLog

/// The facts of a run beside its findings and keys, as `summary.json` has them.
package struct RunSummary: Sendable {
  package var inputs: [InputRow] = []
  var totals = AuditTotals()
  package var settings: RecordedSettings?
  var hasState = false
  var silences: [InputSilence] = []
  package var likelyCauses: [LikelyCause] = []
  package var blindSpots: [BlindSpot] = []
  var builds = BuildTotals()
  /// The identifier and the start of the run, and the day that it is about.
  package var run = ""
  package var startedAt = ""
  package var day = ""
  var toolVersion = Tool.version
  /// The fingerprints of the findings that the run reported as new again.
  var newAgain: Set<UInt64> = []

  /// The name and version of the program, such as `attest-audit 1.2.3`.
  package var tool: String { "\(Tool.name) \(toolVersion)" }
  /// The title of the page. With a state, the night is in it.
  var title: String { "App Attest audit" + (hasState && !day.isEmpty ? " of \(day)" : "") }
  var known: Int { inputs.count { $0.status == .known } }
}

extension RunSummary {
  /// Reads a summary, or returns nil if it is none of this version of the program.
  init?(_ text: [UInt8]) {
    guard let summary = StoredValue(text[...], JSONDocument()),
      summary["schemaVersion"]?.number(UInt64.self) == 1,
      summary["tool"]?["name"]?.string == Tool.name,
      let version = summary["tool"]?["version"]?.string
    else { return nil }
    self.init()
    toolVersion = version
    hasState = summary["state"] != nil
    builds = BuildTotals(stored: summary["builds"])
    newAgain = Set(
      (summary["state"]?["newAgain"]?.elements ?? []).compactMap {
        $0.string.flatMap { UInt64($0, radix: 16) }
      })
    run = summary["run"]?["id"]?.string ?? ""
    startedAt = summary["run"]?["startedAt"]?.string ?? ""
    day = summary["run"]?["day"]?.string ?? String(startedAt.prefix(10))
    silences = SummaryColumns.silences.rows(
      summary["run"]?["silences"], InputSilence(source: "", from: 0, to: 0, usual: 0))
    settings = summary["run"]?["settings"].flatMap(RecordedSettings.init(stored:))
    inputs = SummaryColumns.inputs.rows(summary["inputs"], InputRow("", .ok))
    likelyCauses = SummaryColumns.causes.rows(
      summary["likelyCauses"],
      LikelyCause(.cutLines, codes: [], count: 0, evidence: "", action: ""))
    for input in SummaryColumns.causeInputs.rows(
      summary["run"]?["causes"], LikelyCause.Input(.cutLines, "", bytes: 0))
    {
      likelyCauses.firstIndex { $0.cause == input.cause }.map {
        likelyCauses[$0].inputs.append(input)
      }
    }
    blindSpots = SummaryColumns.spots.rows(
      summary["blindSpots"], BlindSpot(.noDecision, codes: [], evidence: "", action: ""))
    guard inputs.count == summary["inputs"]?.elements.count ?? 0, readTotals(summary) else {
      return nil
    }
  }

  private mutating func readTotals(_ summary: StoredValue) -> Bool {
    func counts(_ values: [some NamedValue], _ object: StoredValue?) -> [UInt64] {
      values.map { object?[$0.name]?.number() ?? 0 }
    }
    totals.verdicts = counts(Verdict.allCases, summary["verdicts"])
    totals.keys = counts(KeyStatus.allCases, summary["keys"])
    totals.findingsBySeverity = counts(Severity.allCases, summary["findings"]?["bySeverity"])
    totals.findingsByCode = counts(FindingCode.allCases, summary["findings"]?["byCode"])
    // The page shows only the sum of all entries, so that their targets make no difference.
    totals.accepted = (summary["accepted"]?.elements ?? []).map { entry in
      var accepted = AcceptedCount(
        AcceptedFinding(.fingerprint(0), severity: .info, reason: "", expires: ""))
      accepted.count = entry["count"]?.number() ?? 0
      return accepted
    }
    return summary["records"].map {
      SummaryColumns.records.read($0, into: &totals.records) == nil
    } ?? true
  }
}

/// The facts of `summary.json` about the run itself: the only figures that differ from run to run.
package struct RunFacts: Sendable, Equatable {
  package var id: String
  /// The pipeline file as given, or nil if there was none.
  package var pipeline: String?
  /// The start and the end, in milliseconds since 1970.
  package var startedAt: Int64
  package var finishedAt: Int64
  /// The duration by a monotonic clock, in milliseconds.
  package var elapsed: Int64
  package var threads: Int
  package var peakMemoryBytes: UInt64
  package var spilledBytes: UInt64
  package var verifier: SignatureVerifier
  package var signatures: VerificationTally

  package init(
    id: String, pipeline: String?, startedAt: Int64, finishedAt: Int64, elapsed: Int64,
    threads: Int, peakMemoryBytes: UInt64, spilledBytes: UInt64,
    verifier: SignatureVerifier, signatures: VerificationTally
  ) {
    (self.id, self.pipeline) = (id, pipeline)
    (self.startedAt, self.finishedAt, self.elapsed) = (startedAt, finishedAt, elapsed)
    (self.threads, self.peakMemoryBytes) = (threads, peakMemoryBytes)
    (self.spilledBytes, self.verifier) = (spilledBytes, verifier)
    self.signatures = signatures
  }
}
