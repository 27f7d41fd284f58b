internal import AppAttest
internal import AuditLog

/// A tracker of the rows of a group that say what its events are, and what they were before this
/// run. It takes them in the order of (position, precedence).
struct PlaceTracker {
  private var now: Position?
  private var before: Position?

  /// Returns whether a row says what its event is, and whether it says what it was. What damage had made was,
  /// and is not.
  mutating func take(_ event: ReplayEvent) -> (isNow: Bool, isBefore: Bool) {
    let position = event.row.position
    let isNow = now != position && !event.row.isDamage
    now = position
    guard event.isRemembered, before != position else { return (isNow, false) }
    before = position
    return (isNow, true)
  }
}

/// A tracker of requests that were logged twice. It takes events in the order of (kind, key,
/// identity, time, request identifier, rank, position).
struct RequestTracker {
  private struct Request: Equatable {
    let kind: RecordKind
    let key: KeyOwner
    let identity: Digest128
    let time: Int64
    let request: RequestIdentity
  }

  private var current: Request?
  private var first: Position?

  mutating func take(_ event: inout ReplayEvent) {
    guard let request = event.request else { return }
    let row = event.row
    let key = unsafe Request(
      kind: row.kind, key: row.owner, identity: Digest128(row.identity), time: row.time,
      request: request)
    if key == current {
      event.note.twin = first
    } else {
      current = key
      first = row.position
    }
  }
}

/// A tracker that finds the same assertion or attestation again. It takes events in the order of
/// (kind, key, identity, rank, time, position), their twins and subjects known.
struct SameTracker {
  /// The earliest of several that are the same.
  private struct First {
    var time: Int64
    var position: Position
    var subject: UInt64?
  }

  private let retryTolerance: Int64
  private let rejectedRetry: Int64
  private var current: (kind: RecordKind, key: KeyOwner, identity: Digest128)?
  private var first: First?
  private var allRejected = true

  init(_ policy: DetectionPolicy) {
    retryTolerance = policy.retryTolerance
    rejectedRetry = policy.rejectedRetry
  }

  mutating func take(_ event: inout ReplayEvent) {
    let row = event.row
    let identity = unsafe Digest128(row.identity)
    let isSame =
      current.map { $0.kind == row.kind && $0.key == row.owner && $0.identity == identity }
      ?? false
    if !isSame {
      current = (row.kind, row.owner, identity)
      first = nil
      allRejected = true
    }
    if let first {
      event.note.same = judge(event, first)
    } else {
      first = First(time: row.time, position: row.position, subject: event.subject)
    }
    if row.decision != .rejected { allRejected = false }
  }

  private func judge(_ event: ReplayEvent, _ first: First) -> ReplayFinding {
    let row = event.row
    if let twin = event.note.twin {
      return ReplayFinding(.recordDuplicate, ReplayPlace(position: twin, time: row.time))
    }
    let place = ReplayPlace(position: first.position, time: first.time)
    // Behind a verified event one that could not be verified may be the earlier one.
    let delay = abs(row.time - first.time)
    let isRetry = allRejected && delay <= rejectedRetry && hasSubject(of: first, event)
    let isWithinTolerance = retryTolerance > 0 && delay <= retryTolerance
    if isRetry || isWithinTolerance { return ReplayFinding(.replayRetry, place) }
    return ReplayFinding(
      row.kind == .attestation ? .replayAttestation : .replayAssertion, place)
  }

  /// Returns whether both are for one subject, as far as they say.
  private func hasSubject(of first: First, _ event: ReplayEvent) -> Bool {
    guard let one = first.subject, let other = event.subject else { return true }
    return one == other
  }
}

/// A tracker of the events that came before under the same key. It takes events in the order of
/// (kind, key, rank, time, position).
struct KeyTracker {
  private var current: (kind: RecordKind, key: KeyOwner)?
  private var first: ReplayPlace?
  private var isAttested = false

  mutating func take(_ event: inout ReplayEvent) {
    let row = event.row
    if current.map({ $0.kind != row.kind || $0.key != row.owner }) ?? true {
      current = (row.kind, row.owner)
      first = nil
      isAttested = false
    }
    event.note.firstOfKey = first
    event.note.isAttestedBefore = isAttested
    if first == nil { first = ReplayPlace(position: row.position, time: row.time) }
    if row.flags.contains(.validAttestation) { isAttested = true }
  }
}

/// A tracker that finds the first row of the replay table that fits. It takes events in the order
/// of (kind, rank, time, position).
struct HashTracker {
  private let scope: ReplayScope
  private var kind: RecordKind?
  private var original: (key: KeyOwner, place: ReplayPlace)?
  /// The earliest event under another key than the original's.
  private var firstOfOtherKey: (key: KeyOwner, place: ReplayPlace)?

  init(scope: ReplayScope) {
    self.scope = scope
  }

  /// Notes the finding and the event it names.
  mutating func take(_ event: inout ReplayEvent) {
    event.note.finding = judge(event)
  }

  private mutating func judge(
    _ event: ReplayEvent
  ) -> ReplayFinding? {
    let row = event.row
    let own = (key: row.owner, place: ReplayPlace(position: row.position, time: row.time))
    if kind != row.kind {
      kind = row.kind
      original = nil
      firstOfOtherKey = nil
    }
    guard let original else {
      self.original = own
      return nil
    }
    let other = original.key == row.owner ? firstOfOtherKey : original
    if firstOfOtherKey == nil, original.key != row.owner { firstOfOtherKey = own }
    if let same = event.note.same { return same }
    switch scope {
    case .exact: return nil
    case .key: return event.note.firstOfKey.map { ReplayFinding(.replayClientDataHash, $0) }
    case .global:
      if let other {
        return ReplayFinding(
          .replayCrossKey, other.place, otherKey: other.key.isDevice ? nil : other.key.digest)
      }
      return ReplayFinding(.replayClientDataHash, original.place)
    }
  }
}
