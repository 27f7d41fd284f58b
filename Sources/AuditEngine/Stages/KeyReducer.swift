internal import AppAttest
internal import OpenSSL

/// Judges the events of one key after the other, each in its place: registry, signatures, counters,
/// subjects. Every event leaves for the replay audit, by the shuffle by clientDataHash where its hash
/// may repeat; every key for `keys.csv`.
final class KeyReducer {
  let detection: DetectionPolicy
  private let apps: ConfiguredApps
  private let shuffles: Shuffles
  /// The field that names devices, for sentences.
  private let deviceField: String
  private let byHash: RowWriter
  private let replays: ReplayAudit
  private let keys: RowWriter
  /// Where the findings go.
  let findings: FindingSink
  private let verdicts: VerdictSink
  private let row: RowBuilder
  /// Nil where the run stands alone.
  let keeper: KeyKeeper?
  /// What is said anew of events of earlier runs; nil likewise.
  let earlier: EarlierFindings?
  private var state: KeyState?
  /// Keys by status, indexed by `KeyStatus.rawValue`.
  private(set) var keyCounts = [UInt64](repeating: 0, count: KeyStatus.allCases.count)

  init(
    detection: DetectionPolicy, apps: ConfiguredApps, shuffles: Shuffles, replays: ReplayAudit,
    deviceField: String,
    findings: FindingSink, verdicts: VerdictSink, keeper: KeyKeeper? = nil
  ) {
    self.keeper = keeper
    earlier = keeper.map { EarlierFindings($0.history, $0.closed, findings) }
    self.replays = replays
    self.detection = detection
    self.apps = apps
    self.shuffles = shuffles
    self.deviceField = deviceField
    self.findings = findings
    self.verdicts = verdicts
    byHash = shuffles.byHash.writer(0)
    keys = shuffles.keys.writer(0)
    row = RowBuilder(texts: shuffles.texts)
  }

  /// Takes the next events of a key, in order.
  func take(_ events: SignatureBlock.Events, _ key: KeyContext) throws(AuditError) {
    var current: KeyState
    if let state, state.key === key {
      current = state
      // The arrays inside have one owner again, and are not copied when they change.
      self.state = nil
    } else {
      try endKey()
      current = KeyState(key, detection, apps)
    }
    try events.each { (event, holds) throws(AuditError) in
      try judge(event, key, holds, &current)
    }
    state = current
  }

  /// Ends the last key.
  func finish() throws(AuditError) {
    try endKey()
  }

  // MARK: One event

  private func judge(
    _ event: EventRow, _ key: KeyContext, _ holds: Bool, _ state: inout KeyState
  ) throws(AuditError) {
    let flags = event.flags
    if !flags.isDisjoint(with: [.remembered, .waiting]) {
      return try flags.contains(.waiting)
        ? judgeWaiting(event, key, holds, &state) : take(kept: event, &state)
    }
    var codes = event.codes
    let rest = event.rest
    try state.see(event, name(of: event, rest))
    state.count(codes, event.decision, findings)
    if event.kind == .assertion { state.assertions += 1 } else { state.attestations += 1 }
    guard !flags.contains(.malformed) else {
      state.failed += 1
      return try verdicts.write(
        .failed, event, rest, appID: rest.appID.string(shuffles.texts), codes)
    }
    var outcome = EventOutcome()
    if key.isDevice { outcome.flags.insert(.ofDevice) }
    if event.kind == .attestation {
      judgeAttestation(event, key, &outcome)
    } else {
      try judgeAssertion(event, rest, key, holds, &codes, &outcome, &state)
      if let keeper {
        try keep(event, rest, outcome, hasFailed: codes.intersects(.checks), key, keeper)
      }
    }
    let hasFailed = codes.intersects(.checks)
    if hasFailed { state.failed += 1 }
    if outcome.isValidAttestation || (outcome.signatureHolds && !hasFailed) {
      try checkSubject(event, rest, &codes, &state)
    }
    try passOn(event, rest, codes, outcome)
  }

  /// Hands an event on to the replay audit.
  func passOn(
    _ event: EventRow, _ rest: EventRow.Rest, _ codes: CodeSet, _ outcome: EventOutcome
  ) throws(AuditError) {
    HashRow.write(
      event, rest, flags: outcome.flags, codes: codes, tentative: outcome.tentative,
      serverMismatch: outcome.serverMismatch, firstAttestation: outcome.firstAttestation, row)
    if unsafe shuffles.repeated?.mayHold(rest.clientDataHash) ?? true {
      unsafe try byHash.append(row.row)
    } else {
      unsafe try replays.take(alone: row.row)
    }
  }

  private func judgeAttestation(
    _ event: EventRow, _ key: KeyContext, _ outcome: inout EventOutcome
  ) {
    if !event.codes.intersects(CodeSet.checks.subtracting(.forgivenInReplay)) {
      outcome.flags.insert(.lookedAt)
    }
    guard event.flags.contains(.valid) else {
      outcome.flags.insert(.behind)
      return
    }
    outcome.isValidAttestation = true
    outcome.flags.insert(.validAttestation)
    if let first = key.firstValid, first != event.position {
      outcome.flags.insert(.mayBeReattested)
      outcome.firstAttestation = first
    }
  }

  /// Judges an assertion by its key; what it found goes into `codes`, `outcome` and `state`.
  func judgeAssertion(
    _ event: EventRow, _ rest: EventRow.Rest, _ key: KeyContext, _ holds: Bool,
    _ codes: inout CodeSet,
    _ outcome: inout EventOutcome, _ state: inout KeyState
  ) throws(AuditError) {
    // A failed attestation that names another's key makes nothing of the device's assertions.
    guard state.isTrusted, holds || !event.flags.contains(.claimed) else {
      outcome.isUnverifiable = true
      outcome.flags.formUnion([.lookedAt, .behind, .unverifiable])
      let code: FindingCode = key.status == .unknown ? .keyUnknown : .keyUntrusted
      if code == .keyUntrusted { outcome.flags.insert(.untrusted) }
      // The finding stands at the first assertion that it counts.
      if state.unverifiable == 0 { codes.insert(code) }
      let severity = findings.severity(code, event.decision)
      return try state.countUnverifiable(severity) { () throws(AuditError) in
        try subject(event, rest)
      }
    }
    if !holds {
      try find(
        .assertionSignatureInvalid, event, rest, &codes, &state,
        "The signature does not hold under the key's public key.")
    }
    if !codes.contains(.assertionAppIDMismatch), event.app != EventRow.noApp,
      event.app != state.app
    {
      try find(
        .assertionAppIDMismatch, event, rest, &codes, &state,
        "The key was attested for \(key.trust?.appID ?? "another app"), the assertion is of "
          + "\(apps.apps[Int(event.app)].id).")
    }
    if let attestedAt = state.attestedAt, event.time < attestedAt - detection.reorderTolerance {
      try find(
        .keyUsedBeforeAttestation, event, rest, &codes, &state,
        related: key.isTrustedByList ? nil : key.firstValid,
        "The key was used at \(UTCText.text(milliseconds: event.time)), "
          + "\(attestedAt - event.time) ms before it was attested, at "
          + "\(UTCText.text(milliseconds: attestedAt)).")
    }
    guard holds else { return }
    outcome.signatureHolds = true
    outcome.flags.insert(.lookedAt)
    state.verified += 1
    state.counters.advance(to: event.time, event.counter, at: event.position)
    if let stored = rest.serverCounter {
      outcome.serverMismatch = state.counters.mismatch(stored, at: event.time)
    }
    outcome.tentative = state.counters.take(
      event.counter, time: event.time, at: event.position, attestation: key.firstValid,
      isRejected: event.decision == .rejected)
  }

  /// `key.subject_changed`, of records that verified.
  func checkSubject(
    _ event: EventRow, _ rest: EventRow.Rest, _ codes: inout CodeSet, _ state: inout KeyState
  ) throws(AuditError) {
    guard !rest.subject.isAbsent else { return }
    guard let first = state.subject, !state.isSubjectAhead else {
      state.isSubjectAhead = false
      state.subject = unsafe KeyState.Subject(
        identity: Array(rest.subject.identity), position: event.position,
        text: try rest.subject.string(shuffles.texts),
        keeper: event.kind == .assertion ? keeper?.keeper : nil)
      return
    }
    guard unsafe !rest.subject.identity.elementsEqual(first.identity) else { return }
    try find(
      .keySubjectChanged, event, rest, &codes, &state, related: first.position,
      Self.otherSubject)
  }

  static let otherSubject = "The key's first subject was another one."

  private func find(
    _ code: FindingCode, _ event: EventRow, _ rest: EventRow.Rest, _ codes: inout CodeSet,
    _ state: inout KeyState, related: Position? = nil, _ detail: String
  ) throws(AuditError) {
    codes.insert(code)
    state.count(CodeSet([code]), event.decision, findings)
    let subject = try subject(event, rest)
    // An earlier run may have reported it of an event that shares its fingerprint.
    if state.key.remembered != nil { earlier?.stands(subject.fingerprint(code)) }
    try findings.emit(code, subject, related: related, detail: detail)
  }

  /// What a finding says of an event.
  func subject(
    _ event: EventRow, _ rest: EventRow.Rest
  ) throws(AuditError) -> FindingSubject {
    FindingSubject(
      time: event.time, kind: event.kind, keyID: event.knownKeyID,
      appID: try name(of: event, rest), clientDataHash: unsafe Array(rest.clientDataHash),
      counter: event.counter, position: event.position,
      requestID: try rest.requestID.string(shuffles.texts), decision: event.decision,
      subject: try rest.subject.string(shuffles.texts),
      device: event.section == .device ? try event.device(shuffles.texts) : nil)
  }

  /// The App ID that the record has, or else the configured one that its rpIdHash names.
  func name(
    of event: EventRow, _ rest: EventRow.Rest
  ) throws(AuditError) -> String {
    if !rest.appID.isAbsent { return try rest.appID.string(shuffles.texts) }
    return event.app == EventRow.noApp ? "" : apps.apps[Int(event.app)].id
  }

  // MARK: One key

  private func endKey() throws(AuditError) {
    guard var state else { return }
    self.state = nil
    try earlier?.settle()
    // Keys of which there is nothing but what earlier runs kept are not of this run.
    guard state.hasRecords else { return }
    let key = state.key
    let code: FindingCode = key.status == .unknown ? .keyUnknown : .keyUntrusted
    if let first = state.firstUnverifiable, let severity = state.worstUnverifiable {
      try findings.emit(
        code, key: key.keyID, at: first, severity: severity,
        related: state.isTrusted ? nil : key.firstAttestation,
        count: state.unverifiable, detail: sentence(key, first))
      state.findings += 1
      state.worst = max(state.worst ?? severity, severity)
    }
    try keeper?.end(&state, open: state.unverifiable > 0 ? code : nil)
    guard !key.isDevice else { return }
    keyCounts[Int(key.status.rawValue)] += 1
    try state.row.write(row)
    unsafe try keys.append(row.row)
  }

  /// Why assertions of a key cannot be verified.
  private func sentence(_ key: KeyContext, _ first: FindingSubject) -> String {
    if let device = first.device {
      return "No attestation names the device \(DeviceText.quoted(device)) of the field "
        + "\(deviceField); its assertions cannot be verified."
    }
    if key.status == .unknown {
      return "No attestation of this key is known; its assertions cannot be verified."
    }
    return key.trust == nil
      ? "Every attestation of this key failed; its assertions cannot be verified."
      : "Only a failed attestation says that a device has this key, and the signatures of the "
        + "device's assertions do not hold under it."
  }
}
