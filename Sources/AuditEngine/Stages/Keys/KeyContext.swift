internal import AppAttest
internal import AuditLog
internal import OpenSSL
internal import Synchronization

/// The registry's knowledge of one key before its events are judged. Built by the thread that
/// merges, then read only.
final class KeyContext: @unchecked Sendable {
  // Every property is written before workers get the key; the parsed key is behind a mutex.

  let keyID: Digest256
  /// Whether this is a device whose key nobody knows; `keyID` is the SHA-256 of its identifier.
  let isDevice: Bool
  /// The hashes of the events that matter if nobody asks for the key's own, or nil for all.
  var repeated: RepeatedHashes?
  /// The word of lists on the key, the run's own and imported ones, or nil.
  let imported: KnownKey?
  /// The key's place in a list that was imported into the state.
  private let importedAt: Position?
  let remembered: KeptKey?
  private let history: RunMemory?
  /// Whether damage had made the remembered attestation, which the whole copy's replaces.
  private var isDamage = false
  /// The snapshot from before the first run with kept rows: its first source, and bytes so far.
  private var kept: (source: UInt32, bytes: [UInt8])?
  /// The key if its signatures can be checked: from a valid attestation, or a list of known keys.
  private(set) var trust: KnownKey?
  /// The attestation that the time of ``trust`` is from, or nil if a list says it.
  private(set) var attestation: Position?
  /// The first valid attestation, of an earlier run or of this one.
  private(set) var firstValid: Position?
  private(set) var firstValidAt: Int64?
  /// The facts that it has about the key.
  private(set) var facts: KeyFacts?
  /// The first attestation of any kind, likewise.
  private(set) var firstAttestation: EventPlace?
  /// Whether an attestation of this run is valid.
  private(set) var isAttested = false
  /// Whether another log of this run has an attestation of it: that withdraws nothing (`pipeline.R15`).
  private(set) var isDisputed = false
  /// Whether another log of the last run had events of it (``RunMemory/unsettled``).
  var isUnsettled = false
  /// The key as later runs know it, without the attestations of another log (`pipeline.R15`), or nil if this run reads none.
  var accounted: KeyContext?
  private let parsed = Mutex<P256PublicKey?>(nil)

  /// Makes a key in a run that stands alone, or a device whose key nobody knows.
  init(keyID: Digest256, isDevice: Bool = false, imported: KnownKey? = nil) {
    self.keyID = keyID
    self.isDevice = isDevice
    remembered = nil
    history = nil
    self.imported = imported
    importedAt = nil
    trust = imported
  }

  /// Makes a key in a run with a state, where `remembered` is what earlier runs know of it, and
  /// `listed` what the run's list says. Throws `.inconsistent`.
  init(
    keyID: Digest256, listed: KnownKey?, remembered: KeptKey?, _ history: RunMemory
  ) throws(AuditError) {
    self.keyID = keyID
    isDevice = false
    let state = try history.keys.imported(keyID)
    importedAt = state?.position
    imported = state.map { state in listed.map(state.key.merging) ?? state.key } ?? listed
    self.remembered = remembered
    self.history = history
    trust = imported
    if let importedAt, let imported, imported.isAttestationLogged {
      // A log had the attestation, as the list says: the first that comes is a further one.
      firstValid = importedAt
      firstAttestation = EventPlace(position: importedAt, time: imported.attestedAt)
      firstValidAt = imported.attestedAt
    }
    guard let remembered else { return }
    try remembered.check(keyID)
    // An attestation that is read again in this run is no other one.
    func isElsewhere(_ position: Position) -> Bool { !history.leavesAside(position) }
    if let first = remembered.firstAttestation, isElsewhere(first) {
      firstAttestation = EventPlace(position: first, time: remembered.firstAttestationAt)
    }
    guard let first = remembered.firstValid else { return }
    firstValid = history.isReread(first) ? nil : first
    isDamage = history.isNewlyReplaced(first)
    firstValidAt = remembered.firstValidAt ?? remembered.attestedAt
    attestation = firstValid
    trust = KnownKey(
      keyID: keyID, publicKey: remembered.publicKey, appID: remembered.appID,
      environment: remembered.environment, attestedAt: remembered.attestedAt)
    if let imported { takeTime(of: imported) }
    facts = remembered.facts
  }

  /// Takes a list's word for when the key was attested, before all logs if it does not say.
  private func takeTime(of imported: KnownKey) {
    if let listedAt = imported.attestedAt, let known = firstValidAt, known <= listedAt {
      trust?.attestedAt = known
    } else {
      trust?.attestedAt = imported.attestedAt
      attestation = nil
    }
  }

  /// Returns whether nobody asks for an event with this clientDataHash.
  func leavesOut(_ hash: @autoclosure () -> UnsafeRawBufferPointer) -> Bool {
    guard let repeated else { return false }
    return unsafe !repeated.mayHold(hash())
  }

  /// Returns whether an event's row is of this key or device.
  func owns(_ row: EventRow) -> Bool {
    keyID == row.keyID && isDevice == (row.section == .device)
  }

  var status: KeyStatus {
    if isAttested { return .attested }
    if isKnown { return .known }
    if imported != nil { return .imported }
    return firstAttestation == nil ? .unknown : .untrusted
  }

  /// Whether an earlier run had a valid attestation, or an imported list has the key.
  var isKnown: Bool { remembered?.firstValid != nil || importedAt != nil }

  /// Whether an earlier run, or an import between the runs, knew the key.
  var wasTrusted: Bool { remembered.map { !$0.publicKey.isEmpty } ?? false }

  /// Returns whether an earlier run trusted the key, and judged what had waited for it in a source.
  func hasJudgedWaiting(of source: UInt32) -> Bool {
    wasTrusted && remembered.map { source < $0.waitingFrom } ?? false
  }

  /// Takes a row of the registry section, in order, of another log or not.
  func register(
    _ row: EventRow, isOfOtherLog: Bool, apps: [AppPolicy], _ texts: TextStore
  ) throws(AuditError) {
    try register(row, apps: apps, texts)
    if isOfOtherLog {
      isDisputed = true
    } else {
      try accounted?.register(row, apps: apps, texts)
    }
  }

  /// Takes a row of the registry section, in order.
  private func register(
    _ row: EventRow, apps: [AppPolicy], _ texts: TextStore
  ) throws(AuditError) {
    // That of a later night can be earlier.
    if firstAttestation.map({ row.time < $0.time ?? .min }) ?? true {
      firstAttestation = EventPlace(position: row.position, time: row.time)
    }
    guard row.flags.contains(.valid) else { return }
    isAttested = true
    if isDamage {
      isDamage = false
      trust = imported
      attestation = nil
      firstValid = nil
      firstValidAt = nil
    }
    if let first = firstValid {
      // A late log may have an attestation before the known one, but not before a list's.
      let isKnown = first == remembered?.firstValid ?? importedAt
      guard isKnown, let known = firstValidAt, row.time <= known,
        row.time < known
          || (remembered?.firstValidAt != nil
            && isInFront(row.position, of: first))
      else { return }
    }
    let isOfList = attestation == nil || trust?.attestedAt != firstValidAt
    firstValid = row.position
    firstValidAt = row.time
    let facts = try row.facts(texts)
    self.facts = facts.facts
    if trust?.appID.isEmpty == true { trust?.appID = apps[Int(row.app)].id }
    if trust != nil, trust?.environment == nil { trust?.environment = facts.environment }
    if let known = trust, isOfList {
      // What a list says counts, unless the attestation is earlier.
      guard let attestedAt = known.attestedAt, row.time < attestedAt else { return }
      trust?.attestedAt = row.time
    } else {
      trust = KnownKey(
        keyID: keyID, publicKey: facts.publicKey, appID: apps[Int(row.app)].id,
        environment: facts.environment, attestedAt: row.time)
    }
    attestation = row.position
  }

  /// Returns whether a position comes before another in the order of all sources.
  private func isInFront(_ position: Position, of other: Position) -> Bool {
    guard let order = history?.order else { return position < other }
    return order.place(of: position) < order.place(of: other)
  }

  // MARK: What was known before

  /// Takes a part of the snapshot in front of the key's events, in order; the first run's counts.
  func take(snapshot bytes: UnsafeRawBufferPointer, of run: UInt32) {
    if kept == nil { kept = (run, []) }
    guard kept?.source == run else { return }
    unsafe kept?.bytes.append(contentsOf: bytes)
  }

  /// Returns what is known from before the first of the key's events at hand.
  func snapshot() throws(AuditError) -> KeySnapshot {
    let known = kept.map { KeySnapshot(packed: $0.bytes) }
    guard var snapshot = known ?? remembered?.snapshot ?? KeySnapshot() else {
      throw AuditError(.inconsistent, "the state does not contain what was written about a key")
    }
    // The record that set the subject is read again, or was damage.
    if let position = snapshot.subject?.position, history?.leavesAside(position) == true {
      snapshot.subject = nil
    }
    return snapshot
  }

  /// Returns what is known before records that are read again and that the snapshot counts already:
  /// its subject, and that counters began if the attestation is read again. Nil if there are none.
  func rereadPast(_ snapshot: KeySnapshot) -> KeySnapshot? {
    guard let remembered, let history, !history.rereads.isEmpty else { return nil }
    var past = KeySnapshot()
    past.subject = snapshot.subject
    if let first = remembered.firstValid, !history.isReread(first) {
      // A counter that no record comes behind: the highest so far is never known.
      past.counters.highs = [KeptKey.High(time: KeptKey.High.times.upperBound, counter: 0)]
    }
    return past
  }

  /// Returns whether the key's snapshot counts a record of this run, since an earlier one read it.
  func isCounted(_ position: Position) -> Bool {
    history?.earlierSource(of: position).map { $0 < kept?.source ?? .max } ?? false
  }

  /// Returns what all attestations say: those of this run, too.
  func registry(_ apps: ConfiguredApps) -> KeyJudge.Registry {
    KeyJudge.Registry(
      isTrusted: trust != nil, hasAttestation: firstAttestation != nil,
      firstValid: firstValid.map { EventPlace(position: $0, time: firstValidAt) },
      attestedAt: trust?.attestedAt,
      app: trust.flatMap { Self.index($0.appID, apps) })
  }

  /// Returns what the attestations of earlier runs said.
  func earlierRegistry(_ apps: ConfiguredApps) -> KeyJudge.Registry {
    guard let remembered else { return KeyJudge.Registry() }
    return KeyJudge.Registry(
      isTrusted: wasTrusted, hasAttestation: remembered.firstAttestation != nil,
      firstValid: remembered.firstValid.map { EventPlace(position: $0) },
      attestedAt: remembered.attestedAt,
      app: wasTrusted ? Self.index(remembered.appID, apps) : nil)
  }

  private static func index(_ appID: String, _ apps: ConfiguredApps) -> UInt16? {
    appID.isEmpty
      ? nil : apps.index(ofAppID: Array(appID.utf8).span).map { UInt16($0) } ?? EventRow.noApp
  }

  /// Returns the key, parsed once, or nil if the key is unknown or untrusted.
  func publicKey() -> P256PublicKey? {
    guard let trust else { return nil }
    return parsed.withLock { parsed in
      if parsed == nil { parsed = P256PublicKey(point: trust.publicKey) }
      return parsed
    }
  }
}

extension KeptKey {
  /// Throws where what is remembered cannot be of that key.
  fileprivate func check(_ keyID: Digest256) throws(AuditError) {
    let hasKey = !publicKey.isEmpty
    guard self.keyID == keyID, hasKey || firstValid == nil,
      !hasKey || (publicKey.count == 65 && Digest256.sha256(publicKey.span) == keyID),
      attestedAt.map(High.times.contains) ?? true
    else {
      throw AuditError(.inconsistent, "the state does not contain what was written about a key")
    }
  }
}
