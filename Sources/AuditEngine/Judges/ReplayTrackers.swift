internal import AppAttest
internal import AuditLog

/// A tracker of which rows of a group say what its events are, in the order of (position, precedence).
struct PlaceTracker {
  private var now: Position?
  private var before: Position?

  /// Returns whether a row says what its event is, and was. What damage had made was, and is not.
  mutating func take(_ row: HashRow) -> (isNow: Bool, isBefore: Bool) {
    let position = row.position
    let isNow = now != position && !row.isDamage
    now = position
    guard row.isRemembered, before != position else { return (isNow, false) }
    before = position
    return (isNow, true)
  }
}

/// A tracker of requests that were logged twice (`detection.R37`, `detection.R64`), in the order of
/// (kind, key, identity, request identifier, rank, time, position).
struct RequestTracker {
  /// The most events of one request that a later one is compared with. Honest requests have a few.
  private static let limit = 256

  private let tolerance: Int64
  private let identicalRecords: IdenticalRecords
  private var current: (RecordKind, KeyOwner, Digest128, RequestIdentity?)?
  private var earlier: [ReplayEvent] = []

  init(_ policy: DetectionPolicy) {
    tolerance = policy.reorderTolerance
    identicalRecords = policy.identicalRecords
  }

  mutating func take(_ event: inout ReplayEvent) {
    guard event.request != nil || identicalRecords == .duplicate else { return }
    let request = (event.kind, event.owner, event.identity, event.request)
    if current.map({ $0 != request }) ?? true {
      current = request
      earlier.removeAll(keepingCapacity: true)
    }
    let time = event.time
    if let twin = earlier.first(where: { isCopy(event, of: $0) }) {
      event.note.twin = twin.here
    }
    earlier.removeAll { abs(time - $0.time) > tolerance }
    // Of events that compare alike the first is enough.
    if earlier.contains(where: { isAlike(event, $0) }) { return }
    if earlier.count == Self.limit { earlier.removeFirst() }
    earlier.append(event)
  }

  private func isAlike(_ event: ReplayEvent, _ other: ReplayEvent) -> Bool {
    event.time == other.time && event.input == other.input
      && event.subject == other.subject && event.route == other.route
      && (event.request != nil || event.recordDigest == other.recordDigest)
  }

  private func isCopy(_ event: ReplayEvent, of other: ReplayEvent) -> Bool {
    let isSameTime = event.time == other.time
    guard event.request != nil else {
      return isSameTime && event.recordDigest == other.recordDigest
    }
    let isNear =
      event.input != other.input && abs(event.time - other.time) <= tolerance
    return (isSameTime || isNear) && Self.agree(event.subject, other.subject)
      && Self.agree(event.route, other.route)
  }

  /// Returns whether two values are equal, if both are there.
  static func agree(_ one: UInt64?, _ other: UInt64?) -> Bool {
    guard let one, let other else { return true }
    return one == other
  }
}

/// A tracker of the same token again, in the order of (kind, key, identity, rank, time, position).
struct SameTracker {
  private struct First {
    var time: Int64
    var position: Position
    var subject: UInt64?
    var recordDigest: UInt64
  }

  /// The most events of one identity that are kept as origins. Copies of later ones count as copies of the first.
  private static let limit = 65_536

  private let policy: DetectionPolicy
  private var current: (RecordKind, KeyOwner, Digest128)?
  private var first: First?
  /// Whether a request was not rejected, and of the others those of which no copy so far says that it was.
  private var isDecided = false
  private var undecided: Set<Position> = []
  /// The requests of which a copy says that it was rejected, unless all do.
  private var rejected: Set<Position> = []
  /// The first of them after the earliest that an earlier run counted.
  private var counted: Position?
  private var decision = Decision.rejected
  /// The first line of the request that a duplicate logs again: it can be a duplicate of a duplicate.
  private var requests: [Position: Position] = [:]
  /// Of the events that are not copies of the first one: whose copy each is, or itself.
  private var origins: [Position: Position] = [:]

  init(_ policy: DetectionPolicy) { self.policy = policy }

  mutating func take(_ event: inout ReplayEvent) {
    let identity = (event.kind, event.owner, event.identity)
    if current.map({ $0 != identity }) ?? true {
      self = SameTracker(policy)
      (current, decision) = (identity, event.decision)
    }
    var request = event.position
    if let first {
      let same = judge(event, first)
      event.note.same = same
      let related = same.related.position
      if same.code == .recordDuplicate {
        request = requests[related] ?? related
        if requests.count < Self.limit { requests[event.position] = request }
      }
      let origin = same.isCopy ? origins[related] ?? first.position : event.position
      if same.isCopy { event.note.origin = origin }
      if event.decision != .rejected, event.note.origin == first.position {
        event.note.settles = counted
        decision = decision.moreSevere(event.decision)
      }
      if event.isCounted, counted == nil {
        (event.note.settles, event.note.counted) = (first.position, decision)
        counted = event.position
      }
      if origin != first.position, origins.count < Self.limit { origins[event.position] = origin }
      if first.subject == nil { self.first?.subject = event.subject }
    } else {
      first = First(
        time: event.time, position: event.position, subject: event.subject,
        recordDigest: event.recordDigest)
    }
    note(event.decision, of: request)
  }

  /// Notes the decision of one of the copies of a request: of several, one that the log has counts.
  private mutating func note(_ decision: Decision, of request: Position) {
    switch decision {
    case .rejected:
      undecided.remove(request)
      if rejected.count < Self.limit { rejected.insert(request) }
    case .unknown where rejected.contains(request): break
    case .unknown where undecided.count < Self.limit: undecided.insert(request)
    case .unknown, .accepted: isDecided = true
    }
  }

  private func judge(_ event: ReplayEvent, _ first: First) -> ReplayFinding {
    if let twin = event.note.twin {
      return ReplayFinding(code: .recordDuplicate, related: twin)
    }
    let place = EventPlace(position: first.position, time: first.time)
    // Behind a verified event one that could not be verified may be the earlier one.
    let delay = abs(event.time - first.time)
    let isRetry =
      !isDecided && undecided.isEmpty && delay <= policy.rejectedRetry
      && RequestTracker.agree(first.subject, event.subject)
    let isWithinTolerance = policy.retryTolerance > 0 && delay <= policy.retryTolerance
    if isRetry || isWithinTolerance { return ReplayFinding(code: .replayRetry, related: place) }
    return ReplayFinding(
      code: event.kind == .attestation ? .replayAttestation : .replayAssertion, related: place,
      isIdentical: delay == 0 && event.recordDigest == first.recordDigest)
  }
}

/// A tracker of the most severe decision about the copies of a request, in the order of (origin, decision).
struct CopyTracker {
  private var origin: Position?
  private var decision = Decision.rejected

  mutating func take(_ event: inout ReplayEvent) {
    if event.origin != origin { (origin, decision) = (event.origin, event.decision) }
    event.note.copies = decision
  }
}

/// A tracker of earlier events of a key, in the order of (kind, key, rank, time, position).
struct KeyTracker {
  private var current: (RecordKind, KeyOwner)?
  private var first: EventPlace?
  private var isAttested = false

  mutating func take(_ event: inout ReplayEvent) {
    let key = (event.kind, event.owner)
    if current.map({ $0 != key }) ?? true {
      self = KeyTracker()
      current = key
    }
    event.note.firstOfKey = first
    event.note.isAttestedBefore = isAttested
    if first == nil { first = event.here }
    if event.isValidAttestation { isAttested = true }
  }
}

/// A tracker of the first row of the replay table, in the order of (kind, rank, time, position).
struct HashTracker {
  private let scope: ReplayScope
  private var kind: RecordKind?
  private var original: (key: KeyOwner, place: EventPlace)?
  /// The earliest event under another key than the original's.
  private var firstOfOtherKey: (key: KeyOwner, place: EventPlace)?

  init(scope: ReplayScope) {
    self.scope = scope
  }

  mutating func take(_ event: inout ReplayEvent) {
    event.note.finding = judge(event)
  }

  private mutating func judge(
    _ event: ReplayEvent
  ) -> ReplayFinding? {
    let own = (key: event.owner, place: event.here)
    if kind != event.kind {
      kind = event.kind
      original = nil
      firstOfOtherKey = nil
    }
    guard let original else {
      self.original = own
      return nil
    }
    let other = original.key == event.owner ? firstOfOtherKey : original
    if firstOfOtherKey == nil, original.key != event.owner { firstOfOtherKey = own }
    if let same = event.note.same { return same }
    // An attestation contains a challenge in every app.
    switch scope == .exact && event.kind == .attestation ? .global : scope {
    case .exact: return nil
    case .key:
      return event.note.firstOfKey.map { ReplayFinding(code: .replayClientDataHash, related: $0) }
    case .global:
      if let other {
        return ReplayFinding(
          code: .replayCrossKey, related: other.place,
          otherKey: other.key.isDevice ? nil : other.key.digest)
      }
      return ReplayFinding(code: .replayClientDataHash, related: original.place)
    }
  }
}

/// A judge of the events of one clientDataHash by the replay table (`detection.md`, "Replay"): a
/// value that knows nothing of nights, files, states or reports.
struct HashJudge {
  private var requests: RequestTracker
  private var same: SameTracker
  private var copies = CopyTracker()
  private var keys = KeyTracker()
  private var hash: HashTracker

  init(_ policy: DetectionPolicy) {
    requests = RequestTracker(policy)
    same = SameTracker(policy)
    hash = HashTracker(scope: policy.replayScope)
  }

  mutating func take(_ event: inout ReplayEvent, in order: ReplayOrder) {
    switch order {
    case .request: requests.take(&event)
    case .same: same.take(&event)
    case .copies: copies.take(&event)
    case .key: keys.take(&event)
    case .hash: hash.take(&event)
    }
  }

  /// Judges events in memory; they are left in the order `hash`.
  static func judge(_ events: inout [ReplayEvent], _ policy: DetectionPolicy) {
    var judge = HashJudge(policy)
    for order in ReplayOrder.allCases {
      if order == .copies, events.allSatisfy({ $0.note.origin == nil }) { continue }
      events.sort(by: order.precedes)
      for index in events.indices { judge.take(&events[index], in: order) }
    }
  }
}
