internal import AppAttest

/// What the reduce by key identifier leaves for later runs: keys, and events that are looked at
/// again. Nothing where a run only refers to a state.
final class KeyKeeper {
  let history: RunHistory
  private let apps: ConfiguredApps
  private let texts: TextStore
  let closed: ClosedFindings
  private let row: RowBuilder
  /// The key whose events are kept, once its marks are.
  private var marked: Digest256?
  /// Whether rows and keys are kept.
  private let isAdvance: Bool

  init(
    _ history: RunHistory, _ apps: ConfiguredApps, _ texts: TextStore, _ closed: ClosedFindings
  ) {
    self.history = history
    self.apps = apps
    self.texts = texts
    self.closed = closed
    row = RowBuilder(texts: texts)
    isAdvance = history.mode == .advance
  }

  // MARK: Events

  /// Keeps an assertion that could not be verified, until its key's attestation comes.
  func keep(
    waiting event: EventRow, _ rest: EventRow.Rest, _ key: KeyContext
  ) throws(AuditError) {
    guard isAdvance else { return }
    if key.trust != nil { try mark(key) }
    try KeptRow.write(waiting: event, rest, apps, texts, row)
    unsafe try history.events.keep(row.row)
  }

  /// Keeps an assertion whose signature held, for what may come late; `code` is what was said of its
  /// counter.
  func keep(
    judged event: EventRow, _ rest: EventRow.Rest, _ code: FindingCode?, hasFailed: Bool,
    _ key: KeyContext
  ) throws(AuditError) {
    guard isAdvance else { return }
    try mark(key)
    try KeptRow.write(judged: event, rest, code, hasFailed: hasFailed, apps, texts, row)
    unsafe try history.events.keep(row.row)
  }

  /// Keeps what the key's counters had reached before this run, in front of its first event.
  private func mark(_ key: KeyContext) throws(AuditError) {
    guard marked != key.keyID else { return }
    marked = key.keyID
    var highs = (key.remembered?.highs ?? [])[...]
    if highs.isEmpty, let counter = key.imported?.lastCounter {
      highs = [RememberedKey.High(time: RememberedKey.High.beforeAll, counter: counter)]
    }
    var index = 0
    repeat {
      let part = highs.prefix(KeptRow.marksPerRow)
      KeptRow.write(marks: part, index, of: key.keyID, source: history.firstSource, row)
      unsafe try history.events.keep(row.row)
      highs = highs.dropFirst(part.count)
      index += 1
    } while !highs.isEmpty
  }

  /// What names this run in ``RememberedKey/Subject/keeper``; nil where it keeps no rows.
  var keeper: UInt32? { isAdvance ? history.firstSource : nil }

  // MARK: Keys

  /// Leaves what is to be known of a key, where this run has anything new, and closes what earlier
  /// runs reported and now does not stand. `open` is what the run itself says of assertions that
  /// cannot be verified.
  func end(_ state: inout KeyState, open: FindingCode?) throws(AuditError) {
    guard isAdvance, state.hasRecords, !state.key.isDevice else { return }
    try close(state, open: open)
    let key = state.key
    guard key.firstAttestation != nil || state.isTrusted else { return }
    let remembered = state.remembered
    if remembered != key.remembered { try history.keys.remember(remembered) }
  }

  private func close(_ state: KeyState, open: FindingCode?) throws(AuditError) {
    guard state.settled > 0 else { return }
    for code in [FindingCode.keyUnknown, .keyUntrusted] where code != open {
      try closed.close(
        code, of: state.key.keyID, fingerprint: Fingerprint.key(code, keyID: state.key.keyID))
    }
  }
}

extension KeyState {
  /// What later runs are to know of the key.
  fileprivate var remembered: RememberedKey {
    mutating get {
      var result = key.remembered ?? RememberedKey(keyID: key.keyID)
      result.firstAttestation = result.firstAttestation ?? key.firstAttestation
      guard let trust = key.trust else { return result }
      if result.firstValid == nil {
        result.firstValid = key.firstValid
        result.publicKey = trust.publicKey
        result.appID = trust.appID
        result.environment = trust.environment
        result.attestedAt = trust.attestedAt
        if let facts = key.facts { result.take(facts) }
      }
      if key.isKnown { result.attestedAt = trust.attestedAt }
      result.subject = subject.map {
        RememberedKey.Subject(
          identity: $0.identity, text: $0.text, position: $0.position, keeper: $0.keeper)
      }
      if verified > 0 {
        result.highs = counters.rememberedHighs()
        result.seen = counters.rememberedSeen
      }
      return result
    }
  }
}

extension RememberedKey {
  fileprivate mutating func take(_ facts: AttestedFacts) {
    osVersion = facts.osVersion
    category = facts.category
    bundleVersion = facts.bundleVersion
    receiptType = facts.receiptType
    receiptCreated = facts.receiptCreated
    riskMetric = facts.riskMetric
  }
}
