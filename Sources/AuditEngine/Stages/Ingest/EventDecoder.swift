internal import AppAttest
internal import AuditLog
internal import OpenSSL
internal import RowShuffle
internal import Synchronization

/// Turns records into events: parses tokens, hashes, verifies attestations, and puts a row for each
/// into the shuffle by key identifier, or by device where the record names no key. One for each
/// worker.
final class EventDecoder {
  private let context: IngestContext
  private let apps: ConfiguredApps
  private let byKey: RowWriter
  private let challenges: RowWriter
  private let devices: DeviceWriter?
  private let findings: FindingSink
  private let verdicts: VerdictSink
  private let row: RowBuilder
  private let attestations: AttestationAudit?
  /// What the records at hand so far say of apps that no setting names.
  private(set) var unconfigured = UnconfiguredApps()

  init(_ context: IngestContext, worker: Int, findings: FindingSink, verdicts: VerdictSink) {
    self.context = context
    apps = context.verifier.apps
    self.findings = findings
    self.verdicts = verdicts
    byKey = context.shuffles.byKey.writer(worker)
    challenges = context.shuffles.challenges.writer(worker)
    devices = context.devices.map {
      DeviceWriter(
        $0.writer(worker), tolerance: context.detection.reorderTolerance,
        texts: context.shuffles.texts, attested: context.shuffles.attestedDevices)
    }
    row = RowBuilder(texts: context.shuffles.texts)
    attestations = context.batches.map {
      AttestationAudit(
        context.verifier, kernel: TableKernel($0.tables), crossCheck: $0.crossCheck)
    }
  }

  /// Decodes one record, whose fields lie in `buffer`.
  func decode(
    _ record: Record, _ buffer: inout ByteBuffer, at position: Position
  ) throws(AuditError) {
    let hash = ClientDataHash(record, &buffer)
    let bytes = buffer.storage.span.extracting(first: buffer.count)
    context.shuffles.repeated?.add(bytes.extracting(hash.range))
    var draft = EventDraft(
      record: record, keyID: record.keyID.flatMap { Digest256(bytes.extracting($0)) }, hash: hash,
      position: position)
    if devices != nil, record.needsDevice {
      draft.device = record.deviceID.map { Digest256.sha256(bytes.extracting($0)) }
    }
    switch record.kind {
    case .challenge: try decodeChallenge(&draft, bytes)
    case .attestation: try decodeAttestation(&draft, bytes)
    case .assertion: try decodeAssertion(&draft, bytes)
    }
  }

  // MARK: Challenges

  private func decodeChallenge(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    try checkWriting(&draft, bytes)
    try checkStrength(&draft, bytes)
    try writeVerdict(challenge: draft, bytes)
    // Where challenges are required, only what is said to be one hands it out.
    if draft.record.isKindInferred, context.detection.challengesRequired { return }
    HashRow.write(
      challenge: bytes.extracting(draft.hash.range), isInferred: draft.record.isKindInferred,
      time: draft.record.time, tolerance: context.detection.reorderTolerance,
      position: draft.position, row)
    unsafe try challenges.append(row.row)
  }

  private func writeVerdict(
    challenge draft: EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    verdicts.count(.challenge)
    guard verdicts.isWriting else { return }
    let subject = subject(draft, bytes)
    try verdicts.writeRow(
      VerdictRow(
        time: subject.time, kind: .challenge, keyID: nil, appID: subject.appID,
        clientDataHash: subject.clientDataHash, counter: nil, position: draft.position,
        verdict: .challenge, codes: draft.codes.codes, decision: subject.decision,
        subject: subject.subject, requestID: subject.requestID))
  }

  /// `challenge.weak`: fewer than 16 bytes.
  private func checkStrength(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    let leastBytes = 16
    guard let count = draft.record.clientData?.count, count < leastBytes,
      draft.record.isChallenge || context.detection.replayScope != .exact
    else { return }
    let what = draft.record.isChallenge ? "challenge" : "client data"
    try find(
      .challengeWeak, &draft, bytes, "The \(what) is \(count) bytes long, fewer than \(leastBytes)."
    )
  }

  /// What is odd about how the record is written, of challenges and malformed tokens too.
  @inline(__always)
  private func checkWriting(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    guard draft.record.hasPlatformMismatch || draft.record.isOdd else { return }
    try findWriting(&draft, bytes)
  }

  /// `record.platform_mismatch` and `record.odd_encoding`.
  private func findWriting(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    if draft.record.hasPlatformMismatch {
      try find(
        .recordPlatformMismatch, &draft, bytes,
        "The record names the platform or format '\(text(draft.record.foreignName, bytes))', but its "
          + "token may be App Attest's.")
    }
    if draft.record.isOdd {
      let names = draft.record.oddFieldNames
      try find(
        .recordOddEncoding, &draft, bytes,
        "Only a lenient decoder reads the field\(names.count == 1 ? "" : "s") "
          + "\(names.joined(separator: ", ")).")
    }
  }

  private func checkHash(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard draft.hash.isMismatch else { return }
    let recorded = DetailText.hex(draft.record.clientDataHash.map { bytes.extracting($0).copied })
    let what =
      draft.record.clientDataIsHash
      ? "the recorded client data" : "the SHA-256 of the recorded client data"
    try find(
      .recordClientDataHashMismatch, &draft, bytes,
      "The recorded clientDataHash is \(recorded), not \(what), "
        + "\(DetailText.hex(bytes.extracting(draft.hash.range).copied)).")
  }

  private func text(_ range: Range<Int>?, _ bytes: Span<UInt8>) -> String {
    range.map { bytes.extracting($0).text } ?? ""
  }

  // MARK: Assertions

  private func decodeAssertion(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    let token = bytes.extracting(draft.record.token)
    let assertion: Assertion
    do {
      assertion = try Assertion.parse(token)
    } catch {
      return try keepMalformed(.assertionMalformed, &draft, bytes, error.reason)
    }
    draft.counter = assertion.counter
    let (matches, index) =
      if let appID = draft.record.appID {
        apps.judge(appID: bytes.extracting(appID), rpIDHash: assertion.rpIDHash)
      } else {
        apps.judge(rpIDHash: assertion.rpIDHash)
      }
    if let index {
      draft.app = UInt16(index)
    } else {
      countUnconfigured(draft, bytes, rpIDHash: assertion.rpIDHash) { nil }
    }
    try checkWriting(&draft, bytes)
    try checkHash(&draft, bytes)
    if let index,
      let failure = apps.categoryFailure(
        index: index, extensions: assertion.extensions)
    {
      try find(.assertionCategoryMismatch, &draft, bytes, failure)
    }
    if !matches {
      try find(
        .assertionAppIDMismatch, &draft, bytes,
        apps.mismatch(
          appID: draft.record.appID.map { bytes.extracting($0).text },
          rpIDHash: assertion.rpIDHash))
    }
    try checkStrength(&draft, bytes)
    if draft.record.serverCounter != nil { draft.flags.insert(.serverCounter) }
    let hash = bytes.extracting(draft.hash.range)
    let nonce = assertion.withAuthenticatorData(in: token) {
      Assertion.nonce(authenticatorData: $0, clientDataHash: hash)
    }
    let decoded = draft
    let failure: AuditError? = assertion.withSignature(in: token) { signature in
      do throws(AuditError) {
        try writeAssertion(decoded, bytes, nonce: nonce, signature: signature)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private func writeAssertion(
    _ draft: EventDraft, _ bytes: Span<UInt8>, nonce: Digest256, signature: Span<UInt8>
  ) throws(AuditError) {
    if let (r, s) = DERSignature.parse(signature) {
      begin(
        draft, .signed, section: .event,
        identity: SignatureIdentity.digest(nonce: nonce, r: r, s: s))
      let signed = unsafe row.extend(by: EventRow.signedLength)
      unsafe r.copy(to: signed)
      unsafe s.copy(to: signed + 32)
      unsafe Assertion.digest(nonce: nonce).copy(to: signed + 64)
    } else {
      begin(
        draft, section: .event,
        identity: SignatureIdentity.digest(nonce: nonce, loose: signature))
    }
    if let counter = draft.record.serverCounter { row.put(counter) }
    try putRest(draft, bytes)
    try appendEvent(draft, bytes)
  }

  // MARK: Attestations

  private func decodeAttestation(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard let keyID = draft.keyID else { return }
    let start = StageClock.now
    let record = AttestationRecord(
      keyIdentifier: keyID, clientDataHash: bytes.extracting(draft.hash.range).copied,
      appID: draft.record.appID.map { bytes.extracting($0).text }, time: draft.record.time)
    let waits = attestations?.take(draft, bytes, record) == true
    let judgement =
      waits
      ? nil
      : context.verifier.judge(
        token: bytes.extracting(draft.record.token), of: record)
    context.clock.attesting.add(since: start)
    if let judgement { return try settle(&draft, bytes, judgement) }
    if attestations?.isFull == true { try finish() }
  }

  /// Judges the attestations that wait, and puts their rows into the shuffles. To be called after
  /// the last record.
  func finish() throws(AuditError) {
    guard let attestations else { return }
    var settling = 0
    let start = StageClock.now
    try attestations.settle { (draft, bytes, judgement) throws(AuditError) in
      let start = StageClock.now
      try settle(&draft, bytes, judgement)
      settling += StageClock.now - start
    }
    context.clock.attesting.add(StageClock.now - start - settling, ordering: .relaxed)
  }

  /// Puts a judged attestation into the shuffles.
  private func settle(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>, _ judgement: AttestationJudgement
  ) throws(AuditError) {
    guard let keyID = draft.keyID else { return }
    let judged: JudgedAttestation
    switch judgement {
    case .malformed(let reason):
      try keepMalformed(.attestationMalformed, &draft, bytes, reason)
      begin(draft, section: .registry, identity: Digest256())
      try putRest(draft, bytes)
      unsafe try byKey.append(row.row)
      return try putDevice(draft, of: keyID, point: [], bytes)
    case .judged(let attestation):
      judged = attestation
    }
    draft.counter = judged.counter
    if let index = judged.appIndex {
      draft.app = UInt16(index)
    } else if let object = try? AttestationObject.parse(bytes.extracting(draft.record.token)) {
      countUnconfigured(draft, bytes, rpIDHash: object.authenticatorData.rpIDHash) {
        object.leafAppID
      }
    }
    try checkWriting(&draft, bytes)
    try checkHash(&draft, bytes)
    for failure in judged.failures {
      try find(FindingCode(failure.check), &draft, bytes, failure.detail)
    }
    try checkStrength(&draft, bytes)
    if judged.verified != nil { draft.flags.insert(.valid) }
    begin(draft, section: .event, identity: judged.nonce)
    try putRest(draft, bytes)
    unsafe try byKey.append(row.row)
    begin(draft, section: .registry, identity: judged.nonce)
    try putRest(draft, bytes)
    if let verified = judged.verified { try AttestedFacts(verified, judged).write(row) }
    unsafe try byKey.append(row.row)
    try putDevice(draft, of: keyID, point: judged.verified?.publicKey ?? [], bytes)
  }

  /// Says which key the device has that the attestation names.
  private func putDevice(
    _ draft: EventDraft, of keyID: Digest256, point: [UInt8], _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard let devices, let device = draft.device, let text = draft.record.deviceID else { return }
    let claim = DeviceClaim(
      isValid: draft.flags.contains(.valid),
      isRejected: draft.record.decision == .rejected)
    try devices.put(
      DeviceWriter.Attestation(
        keyID: keyID, claim: claim, point: point, time: draft.record.time,
        position: draft.position),
      of: device, text: bytes.extracting(text))
  }

  // MARK: What all events share

  /// Counts a record whose app no setting names. Its App ID is what the record says, or else what
  /// its token does, if that has the rpIdHash.
  private func countUnconfigured(
    _ draft: EventDraft, _ bytes: Span<UInt8>, rpIDHash: Digest256, tokenSays: () -> String?
  ) {
    guard draft.record.decision != .rejected else { return }
    if let appID = draft.record.appID {
      let id = bytes.extracting(appID)
      return unconfigured.count(.sha256(id)) { id.text }
    }
    unconfigured.count(rpIDHash) {
      tokenSays().flatMap { Digest256.sha256(Array($0.utf8).span) == rpIDHash ? $0 : nil }
    }
  }

  /// Returns what the record says, or else the configured app that the rpIdHash names.
  private func appID(_ draft: EventDraft, _ bytes: Span<UInt8>) -> String {
    if let appID = draft.record.appID { return bytes.extracting(appID).text }
    return draft.app == EventRow.noApp ? "" : apps.apps[Int(draft.app)].id
  }

  private func find(
    _ code: FindingCode, _ draft: inout EventDraft, _ bytes: Span<UInt8>, _ detail: String
  ) throws(AuditError) {
    draft.codes.insert(code)
    let subject = subject(draft, bytes)
    if let devices, let device = draft.joinedDevice {
      return try devices.put(code, subject, of: device, time: draft.record.time, detail: detail)
    }
    try findings.emit(code, subject, FindingDetail(detail))
  }

  /// Returns what a finding says of the record.
  private func subject(_ draft: EventDraft, _ bytes: Span<UInt8>) -> FindingSubject {
    let record = draft.record
    return FindingSubject(
      time: record.time, kind: record.kind, keyID: draft.keyID,
      appID: appID(draft, bytes), clientDataHash: bytes.extracting(draft.hash.range).copied,
      counter: draft.counter, position: draft.position,
      requestID: record.requestID.map { bytes.extracting($0).text } ?? "",
      decision: record.decision,
      subject: record.subject.map { bytes.extracting($0).text } ?? "")
  }

  /// A malformed token: a finding, and a row that only counts.
  private func keepMalformed(
    _ code: FindingCode, _ draft: inout EventDraft, _ bytes: Span<UInt8>, _ reason: String
  ) throws(AuditError) {
    try checkWriting(&draft, bytes)
    try find(code, &draft, bytes, reason)
    draft.flags.insert(.malformed)
    begin(draft, section: .event, identity: Digest256())
    try putRest(draft, bytes)
    try appendEvent(draft, bytes)
  }

  /// Puts the row of an assertion, or of a malformed token, into the shuffle that it belongs to.
  private func appendEvent(_ draft: EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    guard draft.keyID == nil else { return unsafe try byKey.append(row.row) }
    guard let devices, let device = draft.joinedDevice, let text = draft.record.deviceID else {
      throw AuditError(.inconsistent, "a record names no key, and devices are not joined")
    }
    unsafe try devices.put(assertion: row.row, of: device, text: bytes.extracting(text))
  }

  /// Starts a row with the fields of fixed length; `flags` are added to those of the draft.
  private func begin(
    _ draft: EventDraft, _ flags: EventRow.Flags = [], section: EventRow.Section,
    identity: Digest256
  ) {
    let record = draft.record
    EventRow.Fields(
      keyID: draft.keyID ?? Digest256(), section: section, time: record.time,
      // The registry's order is that of events, which knows no counter.
      counter: section == .registry ? 0 : draft.counter ?? 0, position: draft.position,
      kind: record.kind, decision: record.decision, flags: draft.flags.union(flags),
      app: draft.app, codes: draft.codes
    ).write(identity: identity, hashLength: draft.hash.range.count, row)
  }

  /// Writes what stands behind them. Where the App ID is a configured one, its index says so.
  private func putRest(_ draft: EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    row.put(bytes.extracting(draft.hash.range))
    try put(draft.app == EventRow.noApp ? draft.record.appID : nil, bytes)
    try put(draft.record.subject, bytes)
    try put(draft.record.requestID, bytes)
  }

  private func put(_ text: Range<Int>?, _ bytes: Span<UInt8>) throws(AuditError) {
    if let text {
      try row.put(text: bytes.extracting(text))
    } else {
      try row.put(text: nil)
    }
  }
}
