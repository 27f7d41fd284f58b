internal import AppAttest
internal import AuditLog
internal import OpenSSL
internal import RowShuffle

/// A decoder of records for one worker: it parses tokens, hashes, verifies attestations, and puts a
/// row for each into the shuffle by key identifier, or by device.
final class EventDecoder {
  let verifier: AttestationVerifier
  let detection: DetectionPolicy
  let apps: ConfiguredApps
  let byKey: RowWriter
  private let repeated: RepeatedHashes?
  private let places: HashPlaces?
  private let challenges: RowWriter
  /// Whether somebody asks which challenges were issued: this run, or a later one.
  private let keepsChallenges: Bool
  /// Whether a run of other policies asks, or this one.
  private let knowsChallenges: Bool
  let devices: DeviceWriter?
  let findings: FindingSink
  private let verdicts: VerdictSink
  let row: RowBuilder
  let attestations: AttestationAudit?
  /// The decoder of a run of other policies over the same records, or nil if there is none.
  let beside: EventDecoder?
  private let known = KnownExtensions()
  /// The apps of the records so far that no setting names.
  var unconfigured = UnconfiguredApps()

  /// Makes the decoder of the worker of that index.
  init(_ run: AuditRun, _ parts: RunParts, worker: Int, beside: EventDecoder? = nil) {
    let shuffles = parts.shuffles
    self.beside = beside
    (verifier, apps) = (run.verifier, run.verifier.apps)
    detection = run.configuration.detection
    (findings, verdicts) = (parts.findings[worker], parts.verdicts[worker])
    byKey = shuffles.byKey.writer(worker)
    (repeated, places) = (shuffles.repeated, shuffles.places)
    challenges = shuffles.challenges.writer(worker)
    keepsChallenges = detection.looksAtChallenges || shuffles.attestedDevices != nil
    knowsChallenges = keepsChallenges || beside?.keepsChallenges == true
    devices = parts.devices.map {
      DeviceWriter($0.writer(worker), texts: shuffles.texts, attested: shuffles.attestedDevices)
    }
    row = RowBuilder(texts: shuffles.texts)
    attestations = parts.signingKeys.map {
      AttestationAudit(
        run.verifier, kernel: TableKernel($0).judge, waitingBytes: parts.plan.waitingBytes,
        crossCheck: run.configuration.verification.crossCheck)
    }
  }

  /// Decodes one record, whose fields are in `buffer`.
  @inline(__always)
  func decode(
    _ record: Record, _ buffer: inout ByteBuffer, at position: Position
  ) throws(AuditError) {
    let hash = ClientDataHash(record, &buffer)
    let bytes = buffer.storage.span.extracting(first: buffer.count)
    var draft = EventDraft(
      record: record, keyID: record.keyID.flatMap { Digest256(bytes.extracting($0)) }, hash: hash,
      position: position)
    var place: RepeatedHashes.Place?
    if record.kind != .challenge || knowsChallenges {
      let hash = bytes.extracting(hash.range)
      if let repeated { place = unsafe hash.withUnsafeBytes { unsafe repeated.place(of: $0) } }
      try places?.add(hash)
    }
    if devices != nil, record.needsDevice {
      draft.device = record.deviceID.map { Digest256.sha256(bytes.extracting($0)) }
    }
    switch record.kind {
    case .challenge:
      try withEach(&draft) { (decoder, draft) throws(AuditError) in
        try decoder.decodeChallenge(&draft, bytes)
      }
    case .attestation:
      try withEach(&draft) { (decoder, draft) throws(AuditError) in
        try decoder.decodeAttestation(&draft, bytes)
      }
    case .assertion: try decodeAssertion(&draft, bytes)
    }
    if let place { repeated?.add(place, of: draft.keyID) }
  }

  /// Calls `body` for this decoder, and for that of other policies with a copy of the draft.
  private func withEach(
    _ draft: inout EventDraft, _ body: (EventDecoder, inout EventDraft) throws(AuditError) -> Void
  ) throws(AuditError) {
    guard let beside else { return try body(self, &draft) }
    var other = draft
    try body(self, &draft)
    try body(beside, &other)
  }

  // MARK: Challenges

  private func decodeChallenge(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    try checkWriting(&draft, bytes)
    try checkStrength(&draft, bytes)
    verdicts.count(.challenge)
    if verdicts.isWriting {
      var subject = subject(draft, bytes)
      subject.keyID = nil
      try verdicts.writeRow(VerdictRow(subject, .challenge, draft.codes))
    }
    guard keepsChallenges else { return }
    // Where challenges are required, only what is said to be one hands it out.
    if draft.record.isKindInferred, detection.challengesRequired { return }
    HashRow.write(
      challenge: bytes.extracting(draft.hash.range), isInferred: draft.record.isKindInferred,
      time: draft.record.time, tolerance: detection.reorderTolerance,
      position: draft.position, row)
    unsafe try challenges.append(row.row)
  }

  // MARK: Assertions

  private func decodeAssertion(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    let token = bytes.extracting(draft.record.token)
    let assertion: Assertion
    do {
      assertion = try Assertion.parse(token, known)
    } catch {
      return try withEach(&draft) { (decoder, draft) throws(AuditError) in
        try decoder.keepMalformed(.assertionMalformed, &draft, bytes, error.reason)
      }
    }
    draft.counter = assertion.counter
    draft.extensions = assertion.extensions
    draft.isLossy = isLossy(draft.record.clientData, bytes)
    if draft.record.serverCounter != nil { draft.flags.insert(.serverCounter) }
    let unjudged = beside == nil ? nil : draft
    try judge(assertion, &draft, bytes)
    let hash = bytes.extracting(draft.hash.range)
    let nonce = assertion.withAuthenticatorData(in: token) {
      Assertion.nonce(authenticatorData: $0, clientDataHash: hash)
    }
    let failure: AuditError? = assertion.withSignature(in: token) { signature in
      do throws(AuditError) {
        try writeAssertion(&draft, bytes, nonce: nonce, signature: signature)
        guard let beside, var other = unjudged else { return nil }
        try beside.judge(assertion, &other, bytes)
        try beside.writeAssertion(
          &other, bytes, nonce: nonce, signature: signature, like: (row, draft))
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Finds what the policies of the run, and the form of the record, say about an assertion.
  private func judge(
    _ assertion: borrowing Assertion, _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
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
    if let failure = apps.categoryFailure(index: index, extensions: draft.extensions) {
      try find(.assertionCategoryMismatch, &draft, bytes, failure)
    }
    if let failure = apps.codeFailure(index: index, extensions: draft.extensions) {
      try find(.assertionCodeMismatch, &draft, bytes, failure)
    }
    if !matches {
      try find(
        .assertionAppIDMismatch, &draft, bytes,
        apps.mismatch(
          appID: draft.record.appID.map { bytes.extracting($0).text },
          rpIDHash: assertion.rpIDHash))
    }
    try checkStrength(&draft, bytes)
  }

  /// Writes the row of an assertion. `like` is the row that a run of other policies wrote of it, and its draft.
  private func writeAssertion(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>, nonce: Digest256, signature: Span<UInt8>,
    like other: (row: RowBuilder, draft: EventDraft)
  ) throws(AuditError) {
    // The row has the App ID of the record only if no configured app stands for it.
    guard (draft.app == EventRow.noApp) == (other.draft.app == EventRow.noApp) else {
      return try writeAssertion(&draft, bytes, nonce: nonce, signature: signature)
    }
    unsafe EventRow.write(copyOf: other.row.row, app: draft.app, codes: draft.codes, row)
    try appendEvent(&draft, bytes)
  }

  private func writeAssertion(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>, nonce: Digest256, signature: Span<UInt8>
  ) throws(AuditError) {
    if let (r, s) = DERSignature.parse(signature) {
      begin(
        &draft, .signed, section: .event,
        identity: SignatureIdentity.digest(nonce: nonce, r: r, s: s))
      let signed = unsafe row.extend(by: EventRow.signedLength)
      unsafe r.copy(to: signed)
      unsafe s.copy(to: signed + 32)
      unsafe Assertion.digest(nonce: nonce).copy(to: signed + 64)
    } else {
      begin(
        &draft, section: .event,
        identity: SignatureIdentity.digest(nonce: nonce, loose: signature))
    }
    if let counter = draft.record.serverCounter { row.put(counter) }
    try putRest(&draft, bytes)
    try appendEvent(&draft, bytes)
  }

  // MARK: Rows

  /// Returns whether the client data contains U+FFFD: then it may not be what the device signed.
  func isLossy(_ data: Range<Int>?, _ bytes: Span<UInt8>) -> Bool {
    data.map { bytes.extracting($0).containsReplacementCharacter } ?? false
  }

  /// Keeps a malformed token as a finding, and as a row that only counts.
  func keepMalformed(
    _ code: FindingCode, _ draft: inout EventDraft, _ bytes: Span<UInt8>, _ reason: String
  ) throws(AuditError) {
    try checkWriting(&draft, bytes)
    try find(code, &draft, bytes, reason)
    draft.flags.insert(.malformed)
    begin(&draft, section: .event, identity: Digest256())
    try putRest(&draft, bytes)
    try appendEvent(&draft, bytes)
  }

  /// Puts the row of an assertion, or of a malformed token, into the shuffle that it belongs to.
  private func appendEvent(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    guard draft.keyID == nil else { return unsafe try byKey.append(row.row) }
    guard let devices, let device = draft.joinedDevice, let text = draft.record.deviceID else {
      throw AuditError(.inconsistent, "a record names no key, and devices are not joined")
    }
    unsafe try devices.put(assertion: row.row, of: device, text: bytes.extracting(text))
  }

  /// Starts a row with the fields of fixed length; `flags` are added to those of the draft.
  func begin(
    _ draft: inout EventDraft, _ flags: EventRow.Flags = [], section: EventRow.Section,
    identity: Digest256
  ) {
    EventRow.Fields(
      keyID: draft.keyID ?? Digest256(), section: section, time: draft.record.time,
      // The registry's order is that of events, which knows no counter.
      counter: section == .registry ? 0 : draft.counter ?? 0, position: draft.position,
      kind: draft.record.kind, decision: draft.record.decision, flags: draft.flags.union(flags),
      app: draft.app, codes: draft.codes, recordDigest: draft.record.digest,
      clientDataLength: draft.record.clientData.map { UInt32(clamping: $0.count) }
        ?? EventRow.noClientData
    ).write(identity: identity, hashLength: draft.hash.range.count, row)
  }

  /// Writes what stands behind them. Where the App ID is a configured one, its index says so.
  func putRest(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    row.put(bytes.extracting(draft.hash.range))
    try put(draft.app == EventRow.noApp ? draft.record.appID : nil, bytes)
    let hasToken = TokenFacts.isNeeded(draft.extensions, isLossy: draft.isLossy)
    row.put(RowTexts.presence(token: hasToken) { draft.record[$0] != nil })
    for text in RequestText.allCases where draft.record[text] != nil {
      try put(draft.record[text], bytes)
    }
    if hasToken { TokenFacts.write(draft.extensions, isLossy: draft.isLossy, row) }
  }

  private func put(_ text: Range<Int>?, _ bytes: Span<UInt8>) throws(AuditError) {
    if let text {
      try row.put(text: bytes.extracting(text))
    } else {
      try row.put(text: nil)
    }
  }
}
