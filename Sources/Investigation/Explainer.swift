package import AppAttest
package import AuditEngine
internal import AuditLog
package import AuditReport
internal import AuditSettings
internal import Files

/// A tool that finds the lines of a report's findings, and judges them again.
package struct Explainer: Sendable {
  package let report: StoredReport
  package let settings: AuditConfiguration
  private let recorded: RecordedSettings
  package let complaints: [String]
  package let places: InputPlaces
  private let reader: InputReader
  package var state: String? {
    recorded.state.map { $0.hasPrefix("/") ? $0 : recorded.folder + "/" + $0 }
  }
  /// The key that the state of the run knows under an identifier, or nil if it knows none.
  package var stateKey: @Sendable (Digest256) -> KnownKey? = { _ in nil }

  /// Makes the explainer of a report. `logs` and `keys` are where inputs and known keys may have moved to.
  package init(
    _ report: StoredReport, logs: [String], keys: String?, followsLinks: Bool = false,
    environment: [String: String]
  ) throws {
    self.report = report
    recorded = try report.recordedSettings
    complaints = try report.complaints()
    var settings = try RunSettings(recorded, environment: environment).configuration
    let apps = settings.apps
    if let list = try keys.map({ NamedPath(path: $0, origin: "--keys") }) ?? Self.keys(recorded) {
      let app = apps.count == 1 ? apps.first?.id : nil
      settings.knownKeys = try KnownKeysFile.read(list, app: app).keys
    }
    self.settings = settings
    places = InputPlaces(
      folder: recorded.folder, moved: logs, inputs: report.summary.inputs,
      followsLinks: followsLinks,
      windowLimit: settings.limits.zstdWindowBytes)
    reader = InputReader(settings)
  }

  /// Returns the list of known keys of the run, or nil if it had none. Throws if it is not there any more.
  private static func keys(_ recorded: RecordedSettings) throws(CommandError) -> NamedPath? {
    guard let keys = recorded.keys else { return nil }
    let path = keys.hasPrefix("/") ? keys : recorded.folder + "/" + keys
    let kind = FileStatus(path: path)?.kind
    guard kind == .file else {
      let what = kind.map { "is \($0.name) now" } ?? "is not there"
      throw CommandError(
        .usage, "the list of known keys of the run, \(path), \(what)",
        hint: "name its new place with --keys FILE")
    }
    return NamedPath(path: path, origin: "the report's keys")
  }

  package func explain(_ found: StoredReport.FoundFinding) throws -> Explanation {
    let finding = found.finding
    let one = finding.finding
    var explanation = Explanation(
      finding: finding, row: found.line,
      evidence: evidence(finding.source, one.position.line, one.item) { item in
        guard one.kind == nil, case .reject(let reject) = item else { return false }
        return reject.code.name == one.code.name
      },
      related: one.related.map {
        evidence(finding.relatedSource, $0.line) { item in
          guard case .record(let record) = item, record.time == one.relatedTime else {
            return false
          }
          return record.keyID == nil || record.keyID == one.relatedKeyID
        }
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
      guard let row = try? report.keys(hex: key.hex).first else { return nil }
      return
        "\(row.status.name) for \(row.appID.isEmpty ? "no known app" : row.appID) in this report"
    }
    // A line that damage cut cannot be judged again as part of a log.
    let isCut = explanation.evidence.found.map { $0.state != .whole } ?? false
    if finding.finding.code == .recordNotAudited, isCut {
      explanation.isConfirmed =
        explanation.evidence.found.map { inspector.findsToken(in: $0) } ?? false
    } else if Self.judgedAlone.contains(finding.finding.code) {
      explanation.isConfirmed = confirms(explanation, inspector)
    } else if explanation.evidence.record != nil
      || finding.finding.code == .recordNotAudited && explanation.evidence.found != nil
    {
      try reenact(&explanation, settings, &inspector)
    }
    inspect(&explanation.evidence, inspector)
    // A record that names nothing but its device has the key that the finding names.
    if explanation.evidence.record?.keyID == nil, let key = finding.finding.keyID {
      explanation.evidence.publicKey = inspector.keys[key]?.publicKey
    }
    if var related = explanation.related {
      inspect(&related, inspector)
      explanation.related = related
    }
    explanation.remarks += remarks(explanation)
    explanation.causes = report.summary.likelyCauses.filter { explains($0, explanation) }
    return explanation
  }

  /// Returns whether a finding's own line or records show a cause, or it can follow from other lines that do.
  private func explains(_ cause: LikelyCause, _ explanation: Explanation) -> Bool {
    let (finding, evidence) = (explanation.finding, explanation.evidence)
    guard cause.codes.contains(finding.finding.code) else { return false }
    switch (cause.cause, finding.finding.code.entry.family) {
    case (.ambiguousTimes, _):
      return [evidence, explanation.related].contains { $0?.record?.isAmbiguous == true }
    case (.identicalRecords, _): return finding.finding.detail.contains(FindingDetail.identical)
    case (_, "key"), (_, "challenge"), (.missingInput, _), (.lossyClientData, _): return true
    default: break
    }
    guard let input = cause.inputs.first(where: { $0.source == finding.source }) else {
      return false
    }
    let signs: [LikelyCause.Cause: LineSigns] = [
      .cutLines: .endsEarly, .nullRecords: .nullRecord, .tokenlessRequests: .tokenless,
      .partLines: .part,
    ]
    if let sign = signs[cause.cause] { return evidence.signs.contains(sign) }
    let misfits = [FindingCode.assertionSignatureInvalid, .attestationNonceMismatch].map(\.name)
    return evidence.record?.clientData.map { UInt64($0.count) } == input.bytes
      && evidence.inspection?.failures.contains { misfits.contains($0.code) } == true
  }

  /// Returns the attestation of a finding's key, or nil if it has none besides the finding's lines.
  package func attestation(of explanation: Explanation) throws -> Explanation.Evidence? {
    guard let key = explanation.finding.finding.keyID ?? explanation.evidence.record?.keyID,
      let place = explanation.outcome?.attestations[key]
    else { return nil }
    let isKnown = [explanation.evidence, explanation.related].contains {
      $0.map { $0.source == place.source && $0.line == place.line } ?? false
    }
    guard !isKnown else { return nil }
    var settings = settings
    var found = evidence(place.source, place.line) { item in
      guard case .record(let record) = item else { return false }
      return record.kind == .attestation && record.keyID == key
    }
    try decode(&found, &settings)
    inspect(&found, try Inspector(settings))
    return found
  }

  // MARK: Going back

  /// Returns the line of a record: the first of its line that is meant, if any is, or else the one of a number. Reports
  /// have the number of neither a reject nor a related record.
  private func evidence(
    _ source: String, _ line: UInt64, _ item: UInt16 = 1, _ isMeant: (DecodedLine) -> Bool
  ) -> Explanation.Evidence {
    var evidence = Explanation.Evidence(source: source, line: line, state: .missing)
    evidence.item = item
    evidence.reportedSHA256 = places.input(source)?.sha256?.hex
    guard let place = places.place(of: source) else { return evidence }
    let read = reader.read(place.path, as: source, lines: line > 0 ? [line] : [])
    evidence.path = place.path
    evidence.isMoved = place.isMoved
    evidence.sha256 = read.sha256
    evidence.state = place.state
    // A file that has changed is not the report's input: nothing of it is shown or judged.
    guard evidence.state != .changed else { return evidence }
    evidence.damage = read.damage
    evidence.found = read.lines[line]
    if let found = evidence.found, found.state == .whole,
      let index = LineDecoder(schema: settings.schema).decodeAll(found.bytes).firstIndex(
        where: isMeant)
    {
      evidence.item = UInt16(clamping: index + 1)
    }
    return evidence
  }

  /// Reads the record of a line, and adds its key to the known keys if the state knows it.
  private func decode(
    _ evidence: inout Explanation.Evidence, _ settings: inout AuditConfiguration
  ) throws {
    guard let line = evidence.found, line.state == .whole else { return }
    let decoder = LineDecoder(schema: settings.schema)
    let decoded = decoder.decode(line.bytes, item: evidence.item)
    evidence.signs = decoder.signs
    guard case .record(let record) = decoded else { return }
    evidence.record = record
    guard let key = record.keyID, !settings.knownKeys.contains(where: { $0.keyID == key }),
      let row = try report.keys(hex: key.hex).first,
      row.status == .known, let known = stateKey(key)
    else { return }
    settings.knownKeys.append(known)
  }

  // MARK: Judging

  /// The codes of findings about one line or stream by itself.
  private static let judgedAlone: Set<FindingCode> = [
    .streamCorrupt, .streamTruncated, .streamUnreadable, .recordAmbiguousField, .recordBadEncoding,
    .recordMalformedJSON, .recordMissingField,
  ]

  private func confirms(_ explanation: Explanation, _ inspector: Inspector) -> Bool {
    let finding = explanation.finding.finding
    let code = finding.code
    if finding.position.line == 0 {
      return explanation.evidence.damage.contains { damage in
        finding.fingerprint
          == Fingerprint.stream(
            code, source: explanation.finding.source, byteOffset: damage.byteOffset)
      }
        || code == .streamUnreadable && explanation.evidence.path == nil
          && places.isUnreadable(explanation.finding.source)
    }
    guard let line = explanation.evidence.found else { return false }
    return inspector.inspect(line: line).contains { $0.failures.contains { $0.code == code.name } }
  }

  private func reenact(
    _ explanation: inout Explanation, _ settings: AuditConfiguration, _ inspector: inout Inspector
  ) throws(CommandError) {
    var choice = Reenactment.Choice()
    let finding = explanation.finding
    if finding.finding.code == .recordNotAudited {
      choice.line = (finding.source, finding.finding.position.line)
    }
    if let record = explanation.evidence.record { choice.insert(record) }
    if let record = explanation.related?.record { choice.insert(record) }
    // Of a record that names a device, the finding names the key.
    if let key = finding.finding.keyID { choice.keys.insert(key) }
    do {
      let outcome = try Reenactment(settings, places, inputs(of: explanation)).run(
        choice, finding: finding)
      explanation.isConfirmed = outcome.detail != nil && outcome.differing.isEmpty
      inspector.keys.merge(outcome.keys) { own, _ in own }
      explanation.outcome = outcome
    } catch {
      throw CommandError(
        .cannotWrite, "the records cannot be judged again: \(Reenactment.reason(error))",
        hint: "set TMPDIR to a folder with more space")
    }
  }

  /// Returns the inputs of the report, that of a related record of an earlier night first.
  private func inputs(of explanation: Explanation) -> [InputRow] {
    let inputs = report.summary.inputs
    guard let source = explanation.related?.source, !inputs.contains(where: { $0.source == source })
    else { return inputs }
    return [InputRow(source, .known)] + inputs
  }

  private func inspect(_ evidence: inout Explanation.Evidence, _ inspector: Inspector) {
    guard let line = evidence.found else { return }
    let inspections = inspector.inspect(line: line)
    evidence.inspection = inspections[max(1, min(Int(evidence.item), inspections.count)) - 1]
    evidence.publicKey = evidence.record?.keyID.flatMap { inspector.keys[$0]?.publicKey }
  }

  // MARK: Saying what is missing

  private func remarks(_ explanation: Explanation) -> [String] {
    var remarks: [String] = []
    for evidence in [explanation.evidence, explanation.related].compactMap({ $0 }) {
      switch evidence.state {
      case .missing:
        let state =
          places.obstacle(at: evidence.source).map { "is \($0) now, and not a file" }
          ?? "is not there"
        remarks.append(
          "The input \(evidence.source) \(state): --logs DIR names the folder that it is in now"
            + (state.contains("a link") ? ", --follow follows the link." : "."))
      case .changed:
        remarks.append(
          "The input \(evidence.source) has changed since the report: its SHA-256 is another one. "
            + "Nothing of it is shown.")
      case .unknown:
        remarks.append(
          "The report has no SHA-256 of \(evidence.source): it could not be read whole, or is an "
            + "input of an earlier night.")
      case .grown:
        remarks.append(
          "The input \(evidence.source) has grown since the report: its beginning is the same.")
      case .same: break
      }
      if evidence.isMoved, let path = evidence.path {
        remarks.append("The input \(evidence.source) is \(path) now, by its content.")
      }
      if evidence.line > 0, evidence.path != nil, evidence.state != .changed, evidence.found == nil
      {
        remarks.append("The input \(evidence.source) has no line \(evidence.line) any more.")
      }
    }
    if let differing = explanation.outcome?.differing, !differing.isEmpty {
      remarks.append(
        "The log has another value than the report: \(differing.joined(separator: ", ")).")
    }
    let missing = explanation.outcome?.missing ?? []
    if !missing.isEmpty, !explanation.isConfirmed {
      remarks.append(
        "Inputs that are not there or have changed, and may contain what it depends on: "
          + "\(missing.prefix(3).joined(separator: ", "))"
          + (missing.count > 3 ? " and \(missing.count - 3) more" : "") + ".")
    }
    if !explanation.isConfirmed, recorded.state != nil {
      remarks.append(
        "The run had a state: what it depends on may be in an earlier night, whose logs are not "
          + "among the inputs of this report.")
    }
    return remarks + complaints.map { "The report was changed: \($0)." }
  }
}

extension StoredReport {
  package var recordedSettings: RecordedSettings {
    get throws(CommandError) {
      try summary.settings.orThrow(
        "\(path): the report keeps no settings of its run",
        hint: "run the audit again with this version, into another folder", status: .invalidFile)
    }
  }
}
