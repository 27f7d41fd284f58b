internal import AppAttest
internal import OpenSSL

/// The public keys that a device's assertions may be signed with, of which the log names several.
struct DeviceSigners {
  /// The number of keys that are held before those under which no signature is checked are let go.
  private static let limit = 512
  /// The number of keys under which a signature is verified. Verifying it under one more would take as long as
  /// recovering the only keys under which it is valid.
  private static let triedLimit = 4

  private let imported: ArraySlice<ImportedDevice>
  private let known: (any KeyMemory)?
  private var points: [Digest256: [UInt8]] = [:]
  private var parsed: [Digest256: P256PublicKey] = [:]

  init(_ imported: ArraySlice<ImportedDevice>, _ known: (any KeyMemory)?) {
    self.imported = imported
    self.known = known
  }

  mutating func take(_ keyID: Digest256, point: UnsafeRawBufferPointer, _ keys: DeviceKeys) {
    guard unsafe !point.isEmpty, points[keyID] == nil else { return }
    if points.count >= Self.limit {
      points = points.filter { keys.isCandidate($0.key) }
      parsed = parsed.filter { keys.isCandidate($0.key) }
    }
    points[keyID] = unsafe Array(point)
  }

  /// Returns the first of `candidates` under which the signature holds, or nil.
  mutating func signer(
    of event: EventRow, among candidates: [Digest256]
  ) throws(AuditError) -> Digest256? {
    guard event.flags.contains(.signed) else { return nil }
    for candidate in candidates.prefix(Self.triedLimit) where try verifies(event, candidate) {
      return candidate
    }
    let others = candidates.dropFirst(Self.triedLimit)
    guard !others.isEmpty else { return nil }
    let keys = unsafe P256Recovery.keys(signed: event.signed).map { Digest256.sha256($0.span) }
    for candidate in others where keys.contains(candidate) {
      if try verifies(event, candidate) { return candidate }
    }
    return nil
  }

  private mutating func verifies(
    _ event: EventRow, _ candidate: Digest256
  ) throws(AuditError) -> Bool {
    guard let key = try key(candidate) else { return false }
    return unsafe P256Verifier().verify(signed: event.signed, key: key)
  }

  private mutating func key(_ keyID: Digest256) throws(AuditError) -> P256PublicKey? {
    if let key = parsed[keyID] { return key }
    var point = points[keyID] ?? imported.last { $0.keyID == keyID }?.publicKey
    if point == nil { point = try known?.publicKey(keyID) }
    guard let point, let key = P256PublicKey(point: point) else { return nil }
    parsed[keyID] = key
    return key
  }
}
