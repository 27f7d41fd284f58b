internal import AppAttest
internal import AuditLog
internal import OpenSSL

/// Turns records into events: parses tokens, hashes, verifies attestations, and puts a row for each
/// into the shuffle by key identifier. One for each worker.
final class EventDecoder {
  /// What all decoders of a run share.
  struct Context: Sendable {
    let verifier: AttestationVerifier
    let detection: DetectionPolicy
    let shuffles: Shuffles
    let clock: StageClock
  }

  /// A record on its way to becoming an event.
  private struct Draft {
    let record: Record
    let keyID: Digest256?
    /// Where the clientDataHash lies in the buffer.
    let hash: Range<Int>
    /// What the record says, or else the configured app that the rpIdHash names.
    var appID: String?
    let position: Position
    var codes = CodeSet()
    var counter: UInt32?
    var app = EventRow.noApp
    var flags: EventRow.Flags = []
  }

  private let context: Context
  private let byKey: RowWriter
  private let challenges: RowWriter
  private let findings: FindingSink
  private let row: RowBuilder
  private var appNames = TextCache()

  init(_ context: Context, worker: Int, findings: FindingSink) {
    self.context = context
    self.findings = findings
    byKey = context.shuffles.byKey.writer(worker)
    challenges = context.shuffles.challenges.writer(worker)
    row = RowBuilder(texts: context.shuffles.texts)
  }

  /// Decodes one record, whose fields lie in `buffer`.
  func decode(
    _ record: Record, _ buffer: inout ByteBuffer, at position: Position
  ) throws(AuditError) {
    var hash = record.clientDataHash ?? 0..<0
    var isMismatch = false
    if let data = record.clientData {
      let computed = Digest256.sha256(buffer.storage.span.extracting(data))
      isMismatch =
        record.clientDataHash != nil
        && Digest256(buffer.storage.span.extracting(hash)) != computed
      hash = computed.withSpan { buffer.append($0) }
    }
    let bytes = buffer.storage.span
    var draft = Draft(
      record: record, keyID: record.keyID.flatMap { Digest256(bytes.extracting($0)) }, hash: hash,
      appID: record.appID.map { appNames.string(bytes.extracting($0)) }, position: position)
    switch record.kind {
    case .challenge: try decodeChallenge(&draft, bytes)
    case .attestation: try decodeAttestation(&draft, bytes, isMismatch)
    case .assertion: try decodeAssertion(&draft, bytes, isMismatch)
    }
  }

  // MARK: Challenges

  private func decodeChallenge(
    _ draft: inout Draft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    try checkPlatform(&draft, bytes)
    try checkStrength(&draft, bytes)
    HashRow.write(
      challenge: bytes.extracting(draft.hash), time: draft.record.time,
      tolerance: context.detection.reorderTolerance, position: draft.position, row)
    unsafe try challenges.append(row.row)
  }

  /// `challenge.weak`: fewer than 16 bytes.
  private func checkStrength(_ draft: inout Draft, _ bytes: Span<UInt8>) throws(AuditError) {
    let leastBytes = 16
    guard let count = draft.record.clientData?.count, count < leastBytes,
      draft.record.isChallenge || context.detection.replayScope != .exact
    else { return }
    let what = draft.record.isChallenge ? "challenge" : "client data"
    try find(
      .challengeWeak, &draft, bytes, "The \(what) is \(count) bytes long, fewer than \(leastBytes)."
    )
  }

  /// `record.platform_mismatch`, of challenges and malformed tokens too.
  private func checkPlatform(_ draft: inout Draft, _ bytes: Span<UInt8>) throws(AuditError) {
    guard draft.record.hasPlatformMismatch else { return }
    try find(
      .recordPlatformMismatch, &draft, bytes,
      "The record names another platform or format, but its token is App Attest's.")
  }

  private func checkHash(
    _ draft: inout Draft, _ bytes: Span<UInt8>, _ isMismatch: Bool
  ) throws(AuditError) {
    guard isMismatch else { return }
    try find(
      .recordClientDataHashMismatch, &draft, bytes,
      "The recorded clientDataHash is not the SHA-256 of the recorded client data.")
  }

  // MARK: Assertions

  private func decodeAssertion(
    _ draft: inout Draft, _ bytes: Span<UInt8>, _ isMismatch: Bool
  ) throws(AuditError) {
    let token = bytes.extracting(draft.record.token)
    let assertion: Assertion
    do {
      assertion = try Assertion.parse(token)
    } catch {
      return try keepMalformed(.assertionMalformed, &draft, bytes, error.reason)
    }
    draft.counter = assertion.counter
    let (matches, index) = context.verifier.apps.judge(
      appID: draft.appID, rpIDHash: assertion.rpIDHash)
    setApp(index, &draft)
    try checkPlatform(&draft, bytes)
    try checkHash(&draft, bytes, isMismatch)
    if let index,
      let failure = context.verifier.apps.categoryFailure(
        index: index, extensions: assertion.extensions)
    {
      try find(.assertionCategoryMismatch, &draft, bytes, failure)
    }
    if !matches {
      try find(
        .assertionAppIDMismatch, &draft, bytes,
        "The rpIdHash is not the SHA-256 of the record's App ID, or that app is not configured.")
    }
    try checkStrength(&draft, bytes)
    let hash = bytes.extracting(draft.hash)
    let nonce = assertion.withAuthenticatorData(in: token) {
      Assertion.nonce(authenticatorData: $0, clientDataHash: hash)
    }
    let failure: AuditError? = assertion.withSignature(in: token) { signature in
      do throws(AuditError) {
        try writeAssertion(&draft, bytes, nonce: nonce, signature: signature)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// The longest DER signature of two numbers below the order of P-256.
  private static let longestSignature = 72

  private func writeAssertion(
    _ draft: inout Draft, _ bytes: Span<UInt8>, nonce: Digest256, signature: Span<UInt8>
  ) throws(AuditError) {
    let identity: Digest256
    if let (r, s) = DERSignature.parse(signature) {
      identity = SignatureIdentity.digest(nonce: nonce, r: r, s: s)
    } else {
      identity = SignatureIdentity.digest(nonce: nonce, loose: signature)
      draft.flags.insert(.badSignatureEncoding)
    }
    try begin(draft, bytes, section: .event, identity: identity)
    row.put(Assertion.digest(nonce: nonce))
    let isUsable = signature.count <= Self.longestSignature
    row.put(UInt8(isUsable ? signature.count : 0))
    if isUsable { row.put(signature) }
    unsafe try byKey.append(row.row)
  }

  // MARK: Attestations

  private func decodeAttestation(
    _ draft: inout Draft, _ bytes: Span<UInt8>, _ isMismatch: Bool
  ) throws(AuditError) {
    guard let keyID = draft.keyID else { return }
    let start = StageClock.now
    let judgement = context.verifier.judge(
      token: bytes.extracting(draft.record.token), keyIdentifier: keyID,
      clientDataHash: bytes.extracting(draft.hash), appID: draft.appID, time: draft.record.time)
    context.clock.attesting.add(since: start)
    let judged: JudgedAttestation
    switch judgement {
    case .malformed(let reason):
      try keepMalformed(.attestationMalformed, &draft, bytes, reason)
      try begin(draft, bytes, section: .registry, identity: Digest256())
      return unsafe try byKey.append(row.row)
    case .judged(let attestation):
      judged = attestation
    }
    draft.counter = judged.counter
    setApp(judged.appIndex, &draft)
    try checkPlatform(&draft, bytes)
    try checkHash(&draft, bytes, isMismatch)
    for failure in judged.failures {
      try find(FindingCode(failure.check), &draft, bytes, failure.detail)
    }
    try checkStrength(&draft, bytes)
    if judged.verified != nil { draft.flags.insert(.valid) }
    try begin(draft, bytes, section: .event, identity: judged.nonce)
    unsafe try byKey.append(row.row)
    try begin(draft, bytes, section: .registry, identity: judged.nonce)
    if let verified = judged.verified { try AttestedFacts(verified, judged).write(row) }
    unsafe try byKey.append(row.row)
  }

  // MARK: What all events share

  /// Keeps the index of the app, and its name where the record has none.
  private func setApp(_ index: Int?, _ draft: inout Draft) {
    guard let index else { return }
    draft.app = UInt16(index)
    if draft.appID == nil { draft.appID = context.verifier.apps.apps[index].id }
  }

  private func find(
    _ code: FindingCode, _ draft: inout Draft, _ bytes: Span<UInt8>, _ detail: String
  ) throws(AuditError) {
    draft.codes.insert(code)
    let record = draft.record
    let hash = bytes.extracting(draft.hash)
    let subject = FindingSubject(
      time: record.time, kind: RecordKind(record.kind), keyID: draft.keyID,
      appID: draft.appID ?? "", clientDataHash: hash.copied, counter: draft.counter,
      position: draft.position,
      requestID: record.requestID.map { bytes.extracting($0).text } ?? "",
      decision: Decision(record.decision))
    try findings.emit(code, subject, detail: detail)
  }

  /// A malformed token: a finding, and a row that only counts.
  private func keepMalformed(
    _ code: FindingCode, _ draft: inout Draft, _ bytes: Span<UInt8>, _ reason: String
  ) throws(AuditError) {
    try checkPlatform(&draft, bytes)
    try find(code, &draft, bytes, reason)
    draft.flags.insert(.malformed)
    try begin(draft, bytes, section: .event, identity: Digest256())
    unsafe try byKey.append(row.row)
  }

  /// Writes everything that stands in every row; what only one kind has comes behind it.
  private func begin(
    _ draft: Draft, _ bytes: Span<UInt8>, section: EventRow.Section, identity: Digest256
  ) throws(AuditError) {
    let record = draft.record
    row.begin()
    row.put(draft.keyID ?? Digest256())
    row.put(section.rawValue)
    row.bigTime(record.time)
    // The registry's order is that of events, which knows no counter.
    row.big(section == .registry ? 0 : draft.counter ?? 0)
    row.big(draft.position)
    row.put(RecordKind(record.kind).rawValue)
    row.put(Decision(record.decision).rawValue)
    row.put(draft.flags.rawValue)
    row.put(draft.app)
    row.put(draft.codes.bits)
    row.put(UInt8(truncatingIfNeeded: draft.hash.count))
    row.put(bytes.extracting(draft.hash))
    identity.withSpan { row.put($0.extracting(first: 16)) }
    try put(record.appID, bytes)
    try put(record.subject, bytes)
    try put(record.requestID, bytes)
  }

  private func put(_ text: Range<Int>?, _ bytes: Span<UInt8>) throws(AuditError) {
    if let text {
      try row.put(text: bytes.extracting(text))
    } else {
      try row.put(text: nil)
    }
  }
}
