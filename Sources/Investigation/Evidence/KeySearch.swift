internal import AppAttest
internal import AuditEngine
internal import AuditLog
package import AuditSettings

/// The search for a key's attestation in the log that a line came from.
package struct KeySearch: Sendable {
  private let settings: JudgingSettings

  package init(_ settings: JudgingSettings) {
    self.settings = settings
  }

  /// Returns the inspector with the public key of a line's key, if an attestation of the same log
  /// holds it.
  package func completing(
    _ inspector: Inspector, for line: FoundLine
  ) throws(CommandError) -> Inspector {
    guard line.state == .whole,
      case .record(let record) = LineDecoder(schema: settings.configuration.schema).decode(
        line.bytes), record.kind == .assertion, let key = record.keyID,
      inspector.publicKeys[key] == nil
    else { return inspector }
    var completed = inspector
    let decoder = LineDecoder(schema: settings.configuration.schema)
    unsafe InputReader(settings).forEachLine(line.source) { text, _ in
      guard completed.publicKeys[key] == nil, case .record(let other) = unsafe decoder.decode(text),
        other.kind == .attestation, other.keyID == key,
        case .judged(let judged) = inspector.verifier.judge(
          token: other.token.span,
          of: AttestationRecord(
            keyIdentifier: key, clientDataHash: other.clientDataHash, appID: other.appID,
            time: other.time)),
        let verified = judged.verified
      else { return }
      completed.publicKeys[key] = verified.publicKey
      completed.appIDs[key] = settings.configuration.apps[verified.appIndex].id
    }
    return completed
  }
}
