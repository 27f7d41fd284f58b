internal import AuditLog

extension HashRow {
  /// The codes about the event's counters, which stand unless it is an exact replay.
  var tentativeCodes: CodeSet {
    guard hasTentative || hasServerMismatch else { return CodeSet() }
    var codes = CodeSet(rest.tentative.map { [$0.code] } ?? [])
    if hasServerMismatch { codes.insert(.counterServerMismatch) }
    return codes
  }

  /// Returns the detail of a finding about the event's counters, or nil if the row does not have it.
  func counterDetail(_ code: FindingCode) -> FindingDetail? {
    let rest = rest
    if let tentative = rest.tentative, tentative.code == code {
      return FindingDetail(
        tentative.sentence(counter), expected: tentative.expected,
        related: tentative.related, of: knownKeyID)
    }
    guard code == .counterServerMismatch, let mismatch = rest.serverMismatch else { return nil }
    return FindingDetail(
      "The server had stored the counter \(mismatch.stored), not \(mismatch.expected).",
      expected: mismatch.expected)
  }
}

extension HashRow.Tentative {
  fileprivate func sentence(_ counter: UInt32) -> String {
    switch code {
    case .counterRegression where counter == 0: return "The counter of an assertion is 0."
    case .counterRegression: return "The counter fell from \(expected) to \(counter)."
    case .counterReordered: return "The counter \(counter) came shortly after \(expected)."
    case .counterGap: return "The counter rose from \(expected) to \(counter)."
    default: return "An earlier assertion of the key already had the counter \(counter)."
    }
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
  var isLookedAt: Bool { row.flags.contains(.lookedAt) }

  /// The findings about the event but for its challenge: of the replay table, and those of its key's judges that stand.
  var found: CodeSet {
    var found = note.isExactReplay ? CodeSet() : row.tentativeCodes
    if let code = note.finding?.code { found.insert(code) }
    if row.flags.contains(.mayBeReattested), !note.isAttestedBefore { found.insert(.keyReattested) }
    return found
  }

  /// The most severe decision about the copies of the request.
  var decision: Decision { row.decision.moreSevere(note.copies) }

  /// Returns the decision that grades a finding (`detection.R52`), or did by another note.
  func grading(_ code: FindingCode, by other: ReplayNote? = nil) -> Decision {
    let note = other ?? note
    let decision = row.decision.moreSevere(note.copies)
    return CodeSet.counters.contains(code)
      ? decision.moreSevere(note.counted ?? .rejected) : decision
  }
}

extension Decision {
  /// The rank among decisions, the most severe first; a request without one might be accepted (`detection.R50`).
  var rank: UInt8 {
    switch self {
    case .accepted: 0
    case .unknown: 1
    case .rejected: 2
    }
  }

  func moreSevere(_ other: Decision) -> Decision { rank < other.rank ? self : other }

  /// The sentence of a finding that has its severity by this decision about a copy of its request.
  var ofCopy: String {
    self == .accepted
      ? " A copy of the request was accepted." : " A copy of the request has no decision."
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
