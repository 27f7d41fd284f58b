internal import AuditLog

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
  var tentativeCodes: CodeSet { CodeSet(counterFindings.map(\.code)) }
}

extension HashRow.Tentative {
  /// Returns the sentence about an assertion with that counter.
  fileprivate func sentence(_ counter: UInt32) -> String {
    switch code {
    case .counterRegression where counter == 0: return "The counter of an assertion is 0."
    case .counterRegression: return "The counter fell from \(expected) to \(counter)."
    case .counterReordered: return "The counter \(counter) came shortly after \(expected)."
    case .counterGap: return "The counter rose from \(expected) to \(counter)."
    default: return "An earlier assertion of the key carried the counter \(counter)."
    }
  }
}

extension HashRow.ServerMismatch {
  /// The sentence about the assertion.
  fileprivate var sentence: String {
    "The server had stored the counter \(stored), not \(expected)."
  }
}

/// An event of a group: its row, and what the replay table has for it.
struct JudgedEvent {
  let row: HashRow
  /// The codes found for it before the replay table was asked.
  var codes: CodeSet
  /// Empty until it was judged, and for an event that takes no part.
  var note = ReplayNote()
  /// Whether the judges of its key have a remembered event in this run, too.
  var isAtHand = false

  /// Whether nothing but what an earlier run remembered is known of it.
  var isRemembered: Bool { row.isRemembered }
  /// Whether it takes part.
  var isLookedAt: Bool { row.flags.contains(.lookedAt) }

  /// Returns the decision that grades a finding (`detection.R52`), or did by another note: the most severe of copies.
  func grading(_ code: FindingCode, by other: ReplayNote? = nil) -> Decision {
    guard CodeSet.ofOneCopy.contains(code) else { return row.decision }
    let note = other ?? note
    let decision = row.decision.moreSevere(note.copies)
    return CodeSet.counters.contains(code)
      ? decision.moreSevere(note.counted ?? .rejected) : decision
  }
}

extension Decision {
  /// Returns the more severe of two decisions; none might be accepted (`detection.R50`).
  func moreSevere(_ other: Decision) -> Decision {
    if self == .accepted || other == .accepted { return .accepted }
    return self == .rejected ? other : self
  }
}

extension HashRow {
  /// Whether the row is what an earlier run remembered of its event.
  var isRemembered: Bool { rowClass == .remembered }

  /// The rank among the events of a hash: unverified ones come last.
  var rank: UInt8 { flags.contains(.behind) ? 1 : 0 }

  /// The rank among rows of one event. The least says what it is: its judges', or the last kept.
  var precedence: UInt32 { isRemembered ? .max - number : 0 }
}
