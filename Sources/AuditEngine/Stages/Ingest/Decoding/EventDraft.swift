internal import AppAttest
internal import AuditLog

/// A record on its way to becoming an event.
struct EventDraft {
  let record: Record
  let keyID: Digest256?
  /// SHA-256 of the device identifier, where it tells whose key is whose and devices are joined.
  var device: Digest256?
  let hash: ClientDataHash
  let position: Position
  var codes = CodeSet()
  var counter: UInt32?
  /// The index of the configured app that the record, or else the rpIdHash, names.
  var app = EventRow.noApp
  var flags: EventRow.Flags = []

  init(record: Record, keyID: Digest256?, hash: ClientDataHash, position: Position) {
    self.record = record
    self.keyID = keyID
    self.hash = hash
    self.position = position
  }

  /// The device that says whose the event is, or nil if the record names its key itself.
  var joinedDevice: Digest256? { record.kind == .assertion ? device : nil }
}

extension Record {
  /// True where a device identifier would tell something: whose key an attestation's is, or whose
  /// an assertion is that names no key.
  var needsDevice: Bool {
    switch kind {
    case .attestation: true
    case .assertion: keyID == nil
    case .challenge: false
    }
  }
}
