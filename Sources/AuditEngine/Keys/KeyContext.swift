internal import AppAttest
internal import OpenSSL
internal import Synchronization

/// What the registry knows of one key before its events are judged. Built by the thread that
/// merges, then read only.
final class KeyContext: @unchecked Sendable {
  // Every property is written before the first event of the key is handed to a worker; the parsed
  // key is behind a mutex.

  /// A key whose signatures can be checked: from a valid attestation or a list of known keys.
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
  private(set) var trust: Trust?
  /// The first valid attestation of this run.
  private(set) var firstValid: Position?
  /// What it says of the key.
  private(set) var facts: AttestedFacts?
  /// The first attestation of any kind.
  private(set) var firstAttestation: Position?
  private let parsed = Mutex<P256PublicKey?>(nil)

  init(keyID: Digest256, imported: KnownKey?) {
    self.keyID = keyID
    isDevice = false
    self.imported = imported
    if let imported {
      trust = Trust(
        publicKey: imported.publicKey, appID: imported.appID, environment: imported.environment,
        attestedAt: imported.attestedAt)
    }
  }

  /// A device whose key nobody knows, by the SHA-256 of its identifier.
  init(device: Digest256) {
    keyID = device
    isDevice = true
    imported = nil
  }

  /// Whether an event's row is of this key or device.
  func owns(_ row: EventRow) -> Bool {
    keyID == row.keyID && isDevice == (row.section == .device)
  }

  var status: KeyStatus {
    if firstValid != nil { return .attested }
    if imported != nil { return .imported }
    return firstAttestation == nil ? .unknown : .untrusted
  }

  /// Takes a row of the registry section, in order.
  func register(
    _ row: EventRow, apps: [AppPolicy], _ texts: TextStore
  ) throws(AuditError) {
    if firstAttestation == nil { firstAttestation = row.position }
    guard row.flags.contains(.valid), firstValid == nil else { return }
    let facts = try row.facts(texts)
    firstValid = row.position
    self.facts = facts
    guard trust == nil else { return }
    trust = Trust(
      publicKey: facts.publicKey, appID: apps[Int(row.app)].id, environment: facts.environment,
      attestedAt: row.time)
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
