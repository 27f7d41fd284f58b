package import AppAttest
package import AuditEngine
internal import AuditLog
internal import AuditReport
package import AuditSettings
internal import Files

/// A tool that finds the lines of a report's findings, and judges them again.
package struct Explainer: Sendable {
  package let report: ReportFolder
  package let settings: JudgingSettings
  private let places: InputPlaces
  private let reader: InputReader
  /// The key that the state of the run knows under an identifier, or nil if it knows none.
  package var stateKey: @Sendable (Digest256) -> KnownKey? = { _ in nil }

  /// Makes the explainer of a report.
  ///
  /// - Parameters:
  ///   - logs: Folders to look in first, for inputs that have moved.
  ///   - keys: The path of the list of known keys, if it has moved.
  package init(
    _ report: ReportFolder, logs: [String], keys: String?, environment: [String: String]
  ) throws(CommandError) {
    self.report = report
    var settings = try JudgingSettings(report.settings, environment: environment)
    if let keys {
      settings.configuration.knownKeys = try KnownKeysFile.read(
        NamedPath(path: keys, origin: "--keys")
      ).keys
    } else if let keys = report.settings.keys {
      let path = keys.hasPrefix("/") ? keys : report.settings.folder + "/" + keys
      let status = FileStatus(path: path)
      guard let status, status.kind == .file else {
        let what = status.map { "is \($0.kind.name) now" } ?? "is not there"
        throw CommandError(
          .usage, "the list of known keys of the run, \(path), \(what)",
          hint: "--keys FILE names its new place")
      }
      settings.configuration.knownKeys = try KnownKeysFile.read(
        NamedPath(path: path, origin: "the report's keys")
      ).keys
    }
    self.settings = settings
    places = InputPlaces(folder: report.settings.folder, moved: logs)
    reader = InputReader(settings)
  }

  /// Explains one finding.
  package func explain(_ finding: ReportedFinding) throws(CommandError) -> Explanation {
    var explanation = Explanation(
      finding: finding, entry: FindingCode(name: finding.code)?.entry,
      evidence: evidence(finding.source, finding.line, finding.item ?? 1),
      related: finding.relatedLine.flatMap { line in
        finding.relatedSource.map { evidence($0, line) }
      })
    var settings = settings
    try decode(&explanation.evidence, &settings)
    if var related = explanation.related {
      try decode(&related, &settings)
      explanation.related = related
    }
    var inspector = try Inspector(settings)
    let report = report
    inspector.knowledge = { key in
      guard let row = (try? report.key(key)) ?? nil else { return nil }
      return "\(row.status) for \(row.appID.isEmpty ? "no known app" : row.appID) in this report"
    }
    if isJudgedAlone(finding) {
      explanation.isConfirmed = confirms(explanation, inspector)
    } else if explanation.evidence.record != nil {
      try reenact(&explanation, settings, &inspector)
    }
    inspect(&explanation.evidence, inspector)
    // A record that names nothing but its device has the key that the finding names.
    if explanation.evidence.record?.keyID == nil, let key = Self.key(of: finding) {
      explanation.evidence.publicKey = inspector.publicKeys[key]
    }
    if var related = explanation.related {
      inspect(&related, inspector)
      explanation.related = related
    }
    explanation.remarks += remarks(explanation)
    return explanation
  }

  // MARK: Going back

  private func evidence(
    _ source: String, _ line: UInt64, _ item: UInt16 = 1
  ) -> Explanation.Evidence {
    let reported = report.inputs.first { $0.source == source && $0.status != "duplicate" }
    var evidence = Explanation.Evidence(source: source, line: line, state: .missing)
    evidence.item = item
    evidence.reportedSHA256 = reported?.sha256
    guard let path = places.path(of: source) else { return evidence }
    let read = reader.read(path, as: source, lines: line > 0 ? [line] : [], reported: reported)
    evidence.path = path
    evidence.sha256 = read.sha256
    evidence.damage = read.damage
    evidence.found = read.lines[line]
    evidence.state =
      if let sha256 = reported?.sha256 {
        sha256 == read.sha256 ? .same : sha256 == read.sha256OfReported ? .grown : .changed
      } else {
        .unknown
      }
    return evidence
  }

  /// Reads the record of a line, and adds its key to the known keys if the state knows it.
  private func decode(
    _ evidence: inout Explanation.Evidence, _ settings: inout JudgingSettings
  ) throws(CommandError) {
    guard let line = evidence.found, line.state == .whole,
      case .record(let record) = LineDecoder(schema: settings.configuration.schema).decode(
        line.bytes, item: evidence.item)
    else { return }
    evidence.record = record
    guard let key = record.keyID,
      !settings.configuration.knownKeys.contains(where: { $0.keyID == key }),
      let row = try report.key(key), row.status == "known", let known = stateKey(key)
    else { return }
    settings.configuration.knownKeys.append(known)
  }

  // MARK: Judging

  /// Returns whether a finding is about one line or stream by itself.
  private func isJudgedAlone(_ finding: ReportedFinding) -> Bool {
    switch FindingCode(name: finding.code) {
    case .streamCorrupt, .streamTruncated, .streamUnreadable, .recordAmbiguousField,
      .recordBadEncoding, .recordMalformedJSON, .recordMissingField, .recordNotAudited:
      true
    default: false
    }
  }

  private func confirms(_ explanation: Explanation, _ inspector: Inspector) -> Bool {
    let finding = explanation.finding
    guard let code = FindingCode(name: finding.code) else { return false }
    if finding.line == 0 {
      return explanation.evidence.damage.contains { damage in
        finding.fingerprint
          == Fingerprint.text(
            Fingerprint.stream(code, source: finding.source, byteOffset: damage.byteOffset))
      }
        || code == .streamUnreadable && explanation.evidence.path == nil
    }
    guard let line = explanation.evidence.found else { return false }
    return inspector.inspect(line: line).failures.contains { $0.code == finding.code }
  }

  private func reenact(
    _ explanation: inout Explanation, _ settings: JudgingSettings, _ inspector: inout Inspector
  ) throws(CommandError) {
    var choice = Reenactment.Choice()
    if let record = explanation.evidence.record { choice.insert(record) }
    if let record = explanation.related?.record { choice.insert(record) }
    // Of a record that names a device, the finding names the key.
    if let key = Self.key(of: explanation.finding) { choice.keys.insert(key) }
    do {
      let outcome = try Reenactment(settings, places, inputs(of: explanation)).run(
        choice, finding: explanation.finding)
      explanation.isConfirmed = outcome.detail != nil
      inspector.publicKeys.merge(outcome.publicKeys) { own, _ in own }
      inspector.appIDs.merge(outcome.appIDs) { own, _ in own }
      explanation.outcome = outcome
    } catch {
      throw CommandError(
        .cannotWrite, "the records cannot be judged again: \(Reenactment.reason(error))",
        hint: "TMPDIR names a folder with more room")
    }
  }

  /// Returns the inputs of the report. If the related record is of an earlier night, its input
  /// comes first.
  private func inputs(of explanation: Explanation) -> [ReportedInput] {
    guard let source = explanation.related?.source,
      !report.inputs.contains(where: { $0.source == source })
    else { return report.inputs }
    return [ReportedInput(source: source, bytes: 0, sha256: nil, status: "known")] + report.inputs
  }

  private static func key(of finding: ReportedFinding) -> Digest256? {
    finding.keyID.flatMap(KeyTexts.hex).flatMap { Digest256($0) }
  }

  private func inspect(_ evidence: inout Explanation.Evidence, _ inspector: Inspector) {
    guard let line = evidence.found else { return }
    evidence.inspection = inspector.inspect(line: line)
    evidence.publicKey = evidence.record?.keyID.flatMap { inspector.publicKeys[$0] }
  }

  // MARK: Saying what is missing

  private func remarks(_ explanation: Explanation) -> [String] {
    var remarks: [String] = []
    for evidence in [explanation.evidence, explanation.related].compactMap({ $0 }) {
      switch evidence.state {
      case .missing:
        let state =
          places.obstacle(at: evidence.source).map { "is \($0) now, and no file" } ?? "is not there"
        remarks.append(
          "The input \(evidence.source) \(state): --logs DIR names the folder that it lies in now.")
      case .changed:
        remarks.append(
          "The input \(evidence.source) has changed since the report: its SHA-256 is another one.")
      case .unknown:
        remarks.append(
          "The report has no SHA-256 of \(evidence.source): it could not be read whole, or is an "
            + "input of an earlier night.")
      case .grown:
        remarks.append(
          "The input \(evidence.source) has grown since the report: its beginning is the same.")
      case .same: break
      }
      if evidence.line > 0, evidence.path != nil, evidence.found == nil {
        remarks.append("The input \(evidence.source) has no line \(evidence.line) any more.")
      }
    }
    let missing = explanation.outcome?.missing ?? []
    if !missing.isEmpty, !explanation.isConfirmed {
      remarks.append(
        "Inputs that are not there, and may hold what it depends on: "
          + "\(missing.prefix(3).joined(separator: ", "))"
          + (missing.count > 3 ? " and \(missing.count - 3) more" : "") + ".")
    }
    if !explanation.isConfirmed, report.settings.state != nil {
      remarks.append(
        "The run had a state: what it depends on may lie in an earlier night, whose logs are not "
          + "among the inputs of this report.")
    }
    return remarks + report.complaints.map { "The report was changed: \($0)." }
  }
}
