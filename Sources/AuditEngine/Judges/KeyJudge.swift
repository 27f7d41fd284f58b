internal import AppAttest
internal import AuditLog

/// A judge of the events of one key, in order (`detection.md`), by what is known from before: a
/// value that knows nothing of nights, files, states or reports.
struct KeyJudge {
  /// The facts from all attestations of the key, wherever they stand.
  struct Registry: Equatable {
    /// Whether signatures can be checked.
    var isTrusted = false
    /// Whether there is an attestation of any kind.
    var hasAttestation = false
    /// The first valid one.
    var firstValid: EventPlace?
    /// The time at which the key was attested, if it is known.
    var attestedAt: Int64?
    /// The index of the configured app that it was attested for, or nil if a list does not name it.
    var app: UInt16?
  }

  private let registry: Registry
  private let reorderTolerance: Int64
  private(set) var counters: CounterAudit
  private(set) var subject: KeySnapshot.Subject?

  /// Makes the judge of a key. `lastCounter` is a list's word, from before all logs.
  init(
    _ registry: Registry, _ snapshot: KeySnapshot, lastCounter: UInt32?, _ policy: DetectionPolicy
  ) {
    self.registry = registry
    reorderTolerance = policy.reorderTolerance
    counters = CounterAudit(
      policy: policy, past: snapshot.counters, lastCounter: lastCounter,
      isAttested: registry.firstValid != nil)
    subject = snapshot.subject
  }

  mutating func snapshot() -> KeySnapshot {
    var snapshot = KeySnapshot()
    snapshot.counters = counters.remembered()
    snapshot.subject = subject
    return snapshot
  }

  // MARK: One event

  /// Judges the next well-formed event; `holds` says whether an assertion's signature does.
  mutating func judge(_ event: EventRow, _ rest: EventRow.Rest, holds: Bool) -> KeyOpinion {
    var opinion = KeyOpinion(codes: event.codes)
    if event.section == .device { opinion.flags.insert(.ofDevice) }
    let isValid: Bool
    if event.kind == .attestation {
      judgeAttestation(event, &opinion)
      isValid = event.flags.contains(.valid)
    } else {
      judgeAssertion(event, rest, holds, &opinion)
      isValid = opinion.signatureHolds && !opinion.codes.intersects(.checks)
    }
    if isValid { checkSubject(event, rest, &opinion) }
    return opinion
  }

  private func judgeAttestation(_ event: EventRow, _ opinion: inout KeyOpinion) {
    if !event.codes.intersects(CodeSet.checks.subtracting(.forgivenInReplay)) {
      opinion.flags.insert(.lookedAt)
    }
    // A nonce that could not be checked verifies nothing, although the attestation is valid.
    if event.codes.contains(.recordClientDataLossy) { opinion.flags.insert(.behind) }
    guard event.flags.contains(.valid) else {
      opinion.flags.insert(.behind)
      return
    }
    opinion.flags.insert(.validAttestation)
    if let first = registry.firstValid, first.position != event.position {
      opinion.flags.insert(.mayBeReattested)
      opinion.keyEvent = first
    }
  }

  private mutating func judgeAssertion(
    _ event: EventRow, _ rest: EventRow.Rest, _ holds: Bool, _ opinion: inout KeyOpinion
  ) {
    // A failed attestation that names another's key makes nothing of the device's assertions.
    guard registry.isTrusted, holds || !event.flags.contains(.claimed) else {
      opinion.flags.formUnion([.lookedAt, .behind, .unverifiable])
      if registry.hasAttestation || registry.isTrusted { opinion.flags.insert(.untrusted) }
      return
    }
    if !holds {
      let isLossy = rest.texts.token.isLossy
      opinion.codes.insert(isLossy ? .recordClientDataLossy : .assertionSignatureInvalid)
      // It is examined for replays like an assertion whose signature could not be checked.
      if isLossy { opinion.flags.formUnion([.lookedAt, .behind]) }
    }
    if event.app != EventRow.noApp, let app = registry.app, event.app != app {
      opinion.codes.insert(.assertionAppIDMismatch)
    }
    if let attestedAt = registry.attestedAt, event.time < attestedAt - reorderTolerance {
      opinion.codes.insert(.keyUsedBeforeAttestation)
      opinion.usedBefore = attestedAt - event.time
    }
    guard holds else { return }
    opinion.flags.insert(.lookedAt)
    opinion.signatureHolds = true
    (opinion.tentative, opinion.serverMismatch) = counters.take(
      CounterAudit.Event(
        counter: event.counter, time: event.time, position: event.position,
        isRejected: event.decision == .rejected, stored: rest.serverCounter,
        identity: unsafe Digest128(event.identity)),
      attestation: registry.firstValid)
  }

  /// Finds `key.subject_changed` in records that verified.
  private mutating func checkSubject(
    _ event: EventRow, _ rest: EventRow.Rest, _ opinion: inout KeyOpinion
  ) {
    guard !rest.subject.isAbsent else { return }
    guard let subject else {
      opinion.setsSubject = true
      self.subject = KeySnapshot.Subject(
        identity: rest.subject.identity, position: event.position, time: event.time)
      return
    }
    guard !rest.subject.has(identity: subject.identity) else { return }
    opinion.codes.insert(.keySubjectChanged)
    opinion.firstSubject = subject.place
  }
}

/// The opinion of a ``KeyJudge`` on one event.
struct KeyOpinion {
  /// The codes found for the record so far, by whomever.
  var codes: CodeSet
  var flags: HashRow.Flags = []
  var signatureHolds = false
  /// Counter findings that stand unless the event is an exact replay.
  var tentative: HashRow.Tentative?
  var serverMismatch: HashRow.ServerMismatch?
  /// ``HashRow/Extras/keyEvent``.
  var keyEvent: EventPlace?
  /// The time by which the key was used before its attestation, with `key.used_before_attestation`.
  var usedBefore: Int64?
  /// Whether the event's subject is the key's first one.
  var setsSubject = false
  /// The platform of the key, if it is known.
  var platform: KeyPlatform?
  /// The record with the first one, with `key.subject_changed`, or nil if a list has it.
  var firstSubject: EventPlace?

  /// Whether the key is unknown or untrusted.
  var isUnverifiable: Bool { flags.contains(.unverifiable) }
  var unverifiableCode: FindingCode? { flags.unverifiableCode }

  var tentativeCodes: CodeSet {
    var codes = CodeSet()
    if let tentative { codes.insert(tentative.code) }
    if serverMismatch != nil { codes.insert(.counterServerMismatch) }
    return codes
  }

  /// Returns whether an event with this opinion is verified (`verification.R22`).
  func verifies(_ event: EventRow) -> Bool {
    event.kind == .attestation
      ? event.flags.contains(.valid) && !codes.contains(.recordClientDataLossy)
      : signatureHolds && !codes.intersects(.checks)
  }

  /// Whether it fails the policy on builds, and no other check.
  var isOutsidePolicy: Bool {
    codes.intersects(.policies) && !codes.subtracting(.policies).intersects(.checks)
  }

  /// Whether the replay audit has to settle something.
  var isTentative: Bool {
    tentative != nil || serverMismatch != nil || flags.contains(.mayBeReattested)
  }

  /// Returns whether the replay audit would find the same of an event, as far as its key decides.
  func agrees(with other: KeyOpinion) -> Bool {
    codes == other.codes && flags == other.flags && tentativeCodes == other.tentativeCodes
  }
}
