/// A finding about a counter, which stands unless the event is an exact replay.
struct CounterFinding {
  let code: FindingCode
  let detail: FindingDetail
}

extension HashRow {
  /// The findings about the event's counters.
  var counterFindings: [CounterFinding] {
    guard hasTentative || hasServerMismatch else { return [] }
    let rest = rest
    var findings: [CounterFinding] = []
    if let tentative = rest.tentative {
      findings.append(
        CounterFinding(
          code: tentative.code,
          detail: FindingDetail(
            tentative.sentence(counter), expected: tentative.expected,
            related: RelatedEvent(tentative.related, keyID: knownKeyID))))
    }
    if let mismatch = rest.serverMismatch {
      findings.append(
        CounterFinding(
          code: .counterServerMismatch,
          detail: FindingDetail(mismatch.sentence, expected: mismatch.expected)))
    }
    return findings
  }

  /// The codes of ``counterFindings``.
  var tentativeCodes: CodeSet {
    guard hasTentative || hasServerMismatch else { return CodeSet() }
    return CodeSet(counterFindings.map(\.code))
  }
}

extension HashRow.Tentative {
  /// Returns the sentence about an assertion with that counter.
  fileprivate func sentence(_ counter: UInt32) -> String {
    switch code {
    case .counterRegression where counter == 0: return "The counter of an assertion is 0."
    case .counterRegression: return "The counter fell from \(expected) to \(counter)."
    case .counterReordered: return "The counter \(counter) came shortly after \(expected)."
    case .counterGap: return "The counter rose from \(expected) to \(counter)."
    default: return "Another assertion of the key carried the counter \(counter) before."
    }
  }
}

extension HashRow.ServerMismatch {
  /// The sentence about the assertion.
  fileprivate var sentence: String {
    "The server had stored the counter \(stored), not \(expected)."
  }
}
