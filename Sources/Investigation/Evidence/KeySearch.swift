package import AppAttest
package import AuditEngine
internal import AuditLog
internal import Files

/// The search for the keys of assertions: by their attestations in logs and in the inputs of a report, and in a state.
package struct KeySearch: Sendable {
  private let logs: [String]
  private let places: InputPlaces?
  private let stateKey: @Sendable (Digest256) -> KnownKey?

  /// Makes the search. `places` are the inputs of a report, or nil. `stateKey` returns a key that the state knows.
  package init(
    _ logs: [String], _ places: InputPlaces?, stateKey: @escaping @Sendable (Digest256) -> KnownKey?
  ) {
    self.logs = logs
    self.places = places
    self.stateKey = stateKey
  }

  /// Adds the keys of a line's assertions. The line's file is searched first.
  package func complete(_ inspector: inout Inspector, line: [UInt8], of source: String? = nil) {
    for case .record(let record) in LineDecoder(schema: inspector.settings.schema).decodeAll(line)
    where record.kind == .assertion {
      if let key = record.keyID { complete(&inspector, key: key, first: source) }
    }
  }

  package func complete(_ inspector: inout Inspector, key: Digest256, first source: String? = nil) {
    for logs in [(source.map { [$0] } ?? []) + logs, places?.present ?? []] {
      if inspector.keys[key] == nil { inspector.keys[key] = Self.attested(key, logs, inspector) }
    }
    if inspector.keys[key] == nil { inspector.keys[key] = stateKey(key) }
  }

  private static func attested(
    _ key: Digest256, _ logs: [String], _ inspector: Inspector
  ) -> KnownKey? {
    guard !logs.isEmpty else { return nil }
    let decoder = LineDecoder(schema: inspector.settings.schema)
    var found: KnownKey?
    for source in InputPlan.sources(logs, standardInputName: "-") {
      guard found == nil, case .file(let path) = source.origin,
        FileStatus(path: path)?.kind == .file
      else { continue }
      unsafe InputReader(inspector.settings).forEachLine(path) { text, _ in
        guard found == nil else { return }
        unsafe decoder.forEachRecord(text) { record in
          if record.keyID == key { found = found ?? inspector.verifier.attestedKey(record) }
        }
      }
    }
    return found
  }
}

extension AttestationVerifier {
  /// Returns the key that a record attests, or nil if it has no valid attestation.
  func attestedKey(_ record: DecodedRecord) -> KnownKey? {
    guard record.kind == .attestation, let key = record.keyID,
      case .judged(let judged) = judge(
        token: record.token.span,
        of: AttestationRecord(
          keyIdentifier: key, clientDataHash: record.clientDataHash, appID: record.appID,
          time: record.time)),
      let verified = judged.verified
    else { return nil }
    return KnownKey(
      keyID: key, publicKey: verified.publicKey, appID: apps.apps[verified.appIndex].id)
  }
}
