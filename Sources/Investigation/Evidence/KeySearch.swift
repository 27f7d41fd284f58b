package import AppAttest
package import AuditEngine
internal import AuditLog
internal import Files

/// The search for a key's attestation in logs.
package struct KeySearch: Sendable {
  private let settings: AuditConfiguration
  /// The inputs of a report, which are searched last.
  private let places: InputPlaces?
  /// The key that the state of the run knows under an identifier, or nil if it knows none.
  package var stateKey: @Sendable (Digest256) -> KnownKey? = { _ in nil }

  package init(_ settings: AuditConfiguration, places: InputPlaces? = nil) {
    self.settings = settings
    self.places = places
  }

  /// Returns the inspector with the public keys of a line's keys, by their attestations in any log.
  package func completing(
    _ inspector: Inspector, for line: [UInt8], of source: String?, logs: [String]
  ) -> Inspector {
    var completed = inspector
    for case .record(let record) in LineDecoder(schema: settings.schema).decodeAll(line)
    where record.kind == .assertion {
      guard let key = record.keyID else { continue }
      completed = completing(completed, key: key, logs: (source.map { [$0] } ?? []) + logs)
    }
    return completed
  }

  /// Returns the inspector with a public key, by its attestation in `logs` or the report's inputs, or
  /// from the state.
  package func completing(_ inspector: Inspector, key: Digest256, logs: [String]) -> Inspector {
    var completed = searching(inspector, key, logs)
    if let places { completed = searching(completed, key, places.present) }
    guard completed.publicKeys[key] == nil, let known = stateKey(key) else { return completed }
    completed.publicKeys[key] = known.publicKey
    completed.appIDs[key] = known.appID
    return completed
  }

  private func searching(_ inspector: Inspector, _ key: Digest256, _ logs: [String]) -> Inspector {
    guard inspector.publicKeys[key] == nil, !logs.isEmpty else { return inspector }
    var completed = inspector
    let decoder = LineDecoder(schema: settings.schema)
    let sources = InputPlan.sources(logs, standardInputName: "-")
    for source in sources {
      guard completed.publicKeys[key] == nil, case .file(let path) = source.origin,
        FileStatus(path: path)?.kind == .file
      else { continue }
      unsafe InputReader(settings).forEachLine(path) { text, _ in
        guard completed.publicKeys[key] == nil else { return }
        unsafe decoder.forEachRecord(text) { other in
          guard other.keyID == key, let verified = inspector.verifier.verified(other) else {
            return
          }
          completed.publicKeys[key] = verified.publicKey
          completed.appIDs[key] = settings.apps[verified.appIndex].id
        }
      }
    }
    return completed
  }
}

extension AttestationVerifier {
  /// Returns the attestation of a record, or nil if it has none that is valid.
  func verified(_ record: DecodedRecord) -> VerifiedAttestation? {
    guard record.kind == .attestation, let key = record.keyID,
      case .judged(let judged) = judge(
        token: record.token.span,
        of: AttestationRecord(
          keyIdentifier: key, clientDataHash: record.clientDataHash, appID: record.appID,
          time: record.time))
    else { return nil }
    return judged.verified
  }
}
