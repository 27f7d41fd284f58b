internal import AppAttest
internal import OpenSSL
internal import Synchronization

/// What the registry knows of one key before its events are judged. Built by the thread that
/// merges, then read only.
final class KeyContext: @unchecked Sendable {
  // Every property is written before the first event of the key is handed to a worker; the parsed
  // key is behind a mutex.

  /// A key whose signatures can be checked: from a valid attestation, of this run or an earlier one,
  /// or a list of known keys.
  struct Trust {
    /// X9.62 uncompressed point, 65 bytes.
    var publicKey: [UInt8]
    var appID: String
    var environment: AttestEnvironment?
    var attestedAt: Int64?
  }

  let keyID: Digest256
  /// Whether this is a device whose key nobody knows; `keyID` is the SHA-256 of its identifier.
  let isDevice: Bool
  /// The imported key, where the list has it.
  let imported: KnownKey?
  /// What earlier runs know of the key.
  let remembered: RememberedKey?
  /// What earlier runs know of its counters; nil where that does not count.
  private(set) var past: CounterPast?
  /// Whether the record that set the key's first subject is among the rows that earlier runs kept.
  private(set) var isFirstSubjectKept = false
  private(set) var trust: Trust?
  /// The first valid attestation, of an earlier run or of this one.
  private(set) var firstValid: Position?
  /// What it says of the key.
  private(set) var facts: AttestedFacts?
  /// The first attestation of any kind, likewise.
  private(set) var firstAttestation: Position?
  /// Whether an attestation of this run is valid.
  private(set) var isAttested = false
  /// Whether this run has an attestation of the key, and no earlier one had.
  private(set) var isFirstAttested = false
  private let parsed = Mutex<P256PublicKey?>(nil)

  init(keyID: Digest256, imported: KnownKey?) {
    self.keyID = keyID
    isDevice = false
    remembered = nil
    self.imported = imported
    trust = imported.map(Trust.init)
  }

  /// A key in a run with a state, where `remembered` is what earlier runs know of it, if they do.
  ///
  /// - Throws: `.inconsistent` where that cannot be.
  init(
    keyID: Digest256, imported: KnownKey?, remembered: RememberedKey?, _ history: RunHistory
  ) throws(AuditError) {
    self.keyID = keyID
    isDevice = false
    self.imported = imported
    self.remembered = remembered
    if history.countersCount { past = CounterPast(remembered) }
    guard let remembered else {
      trust = imported.map(Trust.init)
      return
    }
    try remembered.check(keyID)
    // An attestation that is read again in this run is no other one.
    func isElsewhere(_ position: Position) -> Bool {
      !history.ignoredSources.contains(position.source)
    }
    firstAttestation = remembered.firstAttestation.flatMap { isElsewhere($0) ? $0 : nil }
    guard let first = remembered.firstValid else {
      trust = imported.map(Trust.init)
      return
    }
    firstValid = isElsewhere(first) ? first : nil
    trust = Trust(
      publicKey: remembered.publicKey, appID: remembered.appID,
      environment: remembered.environment, attestedAt: remembered.attestedAt)
    facts = AttestedFacts(remembered)
  }

  /// A device whose key nobody knows, by the SHA-256 of its identifier.
  init(device: Digest256) {
    keyID = device
    isDevice = true
    imported = nil
    remembered = nil
  }

  /// Whether an event's row is of this key or device.
  func owns(_ row: EventRow) -> Bool {
    keyID == row.keyID && isDevice == (row.section == .device)
  }

  var status: KeyStatus {
    if isAttested { return .attested }
    if isKnown { return .known }
    if imported != nil { return .imported }
    return firstAttestation == nil ? .unknown : .untrusted
  }

  /// Whether an earlier run had a valid attestation.
  var isKnown: Bool { remembered?.firstValid != nil }

  /// Whether nothing but a list of known keys says what the key is.
  var isTrustedByList: Bool { imported != nil && !isKnown }

  /// Whether an earlier run knew the key, and judged what had waited for it.
  var isSettled: Bool { remembered.map { !$0.publicKey.isEmpty } ?? false }

  /// Takes a row of the registry section, in order.
  func register(
    _ row: EventRow, apps: [AppPolicy], _ texts: TextStore
  ) throws(AuditError) {
    if firstAttestation == nil {
      firstAttestation = row.position
      isFirstAttested = remembered?.firstAttestation == nil
    }
    guard row.flags.contains(.valid) else { return }
    isAttested = true
    // A log that came late may have an attestation in front of the one that is known.
    if isKnown, imported == nil, let attestedAt = trust?.attestedAt, row.time < attestedAt {
      trust?.attestedAt = row.time
    }
    guard firstValid == nil else { return }
    firstValid = row.position
    guard facts == nil else { return }
    let facts = try row.facts(texts)
    self.facts = facts
    guard trust == nil else { return }
    trust = Trust(
      publicKey: facts.publicKey, appID: apps[Int(row.app)].id, environment: facts.environment,
      attestedAt: row.time)
  }

  /// Takes what the key's counters had reached before the rows that an earlier run kept, whose first
  /// source is `keeper`.
  func take(marks: [RememberedKey.High], isFirst: Bool, keeper: UInt32) {
    if keeper == remembered?.subject?.keeper { isFirstSubjectKept = true }
    past?.highs += marks
    if marks.isEmpty, isFirst { past?.knowsBeginning = true }
  }

  /// The key, parsed once; nil where the key is unknown or untrusted.
  func publicKey() -> P256PublicKey? {
    guard let trust else { return nil }
    return parsed.withLock { parsed in
      if parsed == nil { parsed = P256PublicKey(point: trust.publicKey.span) }
      return parsed
    }
  }
}

extension KeyContext.Trust {
  fileprivate init(_ key: KnownKey) {
    self.init(
      publicKey: key.publicKey, appID: key.appID, environment: key.environment,
      attestedAt: key.attestedAt)
  }
}

extension AttestedFacts {
  fileprivate init(_ key: RememberedKey) {
    self.init(
      publicKey: key.publicKey, environment: key.environment, osVersion: key.osVersion,
      category: key.category, bundleVersion: key.bundleVersion, receiptType: key.receiptType,
      receiptCreated: key.receiptCreated, riskMetric: key.riskMetric)
  }
}

extension RememberedKey {
  /// Throws where what is remembered cannot be of that key.
  fileprivate func check(_ keyID: Digest256) throws(AuditError) {
    let hasKey = !publicKey.isEmpty
    guard self.keyID == keyID, hasKey || firstValid == nil,
      !hasKey || (publicKey.count == 65 && Digest256.sha256(publicKey.span) == keyID),
      attestedAt.map(High.times.contains) ?? true
    else {
      throw AuditError(.inconsistent, "the state does not hold what was written of a key")
    }
  }
}
