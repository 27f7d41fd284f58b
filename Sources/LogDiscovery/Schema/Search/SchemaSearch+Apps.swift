import AppAttest
import AuditLog

/// The apps of a sample.
extension SchemaSearch {
  /// Adds the sample's facts about apps: the decisions on their requests, and the attestations that
  /// verify.
  func count(in apps: inout AppSearch, anchors: [[UInt8]]) {
    let decision = schema.shared.first { $0.name == "decision" && $0.isActive }
    if let decision { apps.count(confirmedTokens, sample, decision: decision) }
    guard let (form, _) = tokens.attestationData.best(sample.pointers),
      let time = schema.shared.first(where: { $0.name == "time" }),
      case .pointers(let pointers, _, let timeForm) = time.form, let pointer = pointers.first
    else { return }
    apps.verify(tokens.attestations.tokens, anchors: anchors) { token in
      let line = sample.lines[token.line]
      guard let text = line[token.pointer]?.text, let hash = form.hash(in: line),
        let key = tokens.attestationKeys.key(in: line),
        let time = line[pointer].flatMap({ (timeForm ?? FoundTime()).milliseconds($0) }),
        let bytes = token.encoding == .hex
          ? ValueDecoder.hex(text) : ValueDecoder.base64(text)
      else { return nil }
      return AttestationFacts(
        bytes: bytes, key: key, hash: hash, time: time, decision: decision?.word(in: line))
    }
  }
}
