internal import AppAttest
internal import AuditLog

/// A keeper of the keys and events that later runs need.
final class KeyKeeper {
  private let history: RunMemory
  private let apps: ConfiguredApps
  private let row: RowBuilder
  /// The key in front of whose events its snapshot is kept, or has not to be.
  private var marked: Digest256?

  /// Makes the keeper of a run, or gives nil if it stands alone or only refers to a state.
  init?(_ history: RunMemory?, _ apps: ConfiguredApps, _ texts: TextStore) {
    guard let history, history.mode == .advance else { return nil }
    self.history = history
    self.apps = apps
    row = RowBuilder(texts: texts)
  }

  /// Keeps an event that could not be verified until its key's attestation comes.
  func keep(
    _ event: EventRow, _ rest: EventRow.Rest, _ opinion: KeyOpinion, _ key: KeyContext
  ) throws(AuditError) {
    let isOfOtherLog = key.accounted.map { $0.trust == nil } ?? false
    guard !opinion.isUnverifiable, !isOfOtherLog || event.kind == .attestation else {
      // What waited already still waits.
      return event.flags.contains(.waiting) ? () : try keep(waiting: event, rest, key)
    }
    try mark(key)
    try KeptRow.write(judged: event, rest, holds: opinion.signatureHolds, apps, row)
    unsafe try history.keep(event: row.row)
  }

  /// Keeps an event until an attestation of its key, or of its device, arrives.
  func keep(
    waiting event: EventRow, _ rest: EventRow.Rest, _ key: KeyContext
  ) throws(AuditError) {
    // Of a key of which nobody knows anything, nothing was known before.
    if key.firstAttestation != nil || key.trust != nil || key.remembered != nil {
      try mark(key)
    } else {
      marked = key.keyID
    }
    try KeptRow.write(waiting: event, rest, apps, row)
    unsafe try history.keep(event: row.row)
  }

  /// Records that an event which an earlier run kept is the key's no more.
  func leave(_ event: EventRow, _ key: KeyContext) throws(AuditError) {
    try mark(key)
    EventRow.write(departureOf: event, row)
    unsafe try history.keep(event: row.row)
  }

  /// Returns whether a whole copy of its input has replaced an event that an earlier run kept.
  func isReplaced(_ event: EventRow) -> Bool { history.isReplaced(event.position) }

  /// Keeps what was known of a key before the run and, before all its events, that it is not settled because of
  /// the source `other`.
  func mark(_ key: KeyContext, unsettledBy other: UInt32? = nil) throws(AuditError) {
    guard marked != key.keyID else { return }
    marked = key.keyID
    var snapshot = key.remembered?.snapshot ?? KeySnapshot()
    if let imported = key.imported, let counter = imported.lastCounter {
      snapshot.counters.take(
        lastCounter: counter, at: imported.lastCounterTime ?? KeptKey.High.beforeAll)
    }
    var rest = snapshot.packed[...]
    var index = 0
    repeat {
      let part = rest.prefix(KeptRow.snapshotBytes)
      KeptRow.write(snapshot: part, index, of: key.keyID, run: history.firstSource, row)
      unsafe try history.keep(event: row.row)
      rest = rest.dropFirst(part.count)
      index += 1
    } while !rest.isEmpty
    guard let other else { return }
    EventRow.write(askingFor: key.keyID, isUnsettled: true, by: other, row)
    unsafe try history.keep(event: row.row)
  }

  /// Leaves what is to be known of a key, where this run has anything new.
  func end(_ state: inout KeyState) throws(AuditError) {
    guard !state.key.isDevice else { return }
    let key = state.key.accounted ?? state.key
    guard key.firstAttestation != nil || key.trust != nil else { return }
    var remembered = state.remembered
    if key.trust != nil { remembered.waitingFrom = history.firstSource &+ history.sourceCount }
    guard remembered != key.remembered else { return }
    try history.remember(remembered, isNew: key.remembered == nil)
  }
}

extension KeyState {
  /// The record of the key for later runs.
  fileprivate var remembered: KeptKey {
    mutating get {
      let key = key.accounted ?? key
      var result = key.remembered ?? KeptKey(keyID: key.keyID)
      // One that damage had touched is in the whole copy now.
      if let first = key.firstAttestation {
        result.firstAttestation = first.position
        result.firstAttestationAt = first.time
      }
      guard let trust = key.trust else { return result }
      if result.firstValid == nil || (key.firstValid != nil && key.firstValid != result.firstValid)
      {
        result.firstValid = key.firstValid
        result.firstValidAt = key.firstValidAt
        result.publicKey = trust.publicKey
        result.appID = trust.appID
        result.environment = trust.environment
        result.attestedAt = trust.attestedAt
        if let facts = key.facts { result.facts = facts }
      } else if key.imported != nil, result.firstValidAt != nil {
        result.attestedAt = trust.attestedAt
      }
      result.snapshot = snapshotToKeep()
      result.subjectText = result.snapshot.subject == nil ? "" : subjectText
      return result
    }
  }
}
