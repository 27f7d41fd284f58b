internal import AppAttest

/// An event of a group, with what tells it apart there.
struct ReplayEvent {
  let row: HashRow
  /// The codes found for it so far.
  var codes: CodeSet
  var note = ReplayNote()

  /// Events that could not be verified stand behind all that were.
  var rank: UInt8 { row.flags.contains(.behind) ? 1 : 0 }
}

/// What the trackers find out about an event, one after the other.
struct ReplayNote {
  /// How the event relates to the same one before it, and which that is.
  var same: (code: FindingCode, related: Position)?
  /// The earliest event of the group under the same key, if it is an earlier one.
  var firstOfKey: Position?
  /// Whether an earlier event of the group is a valid attestation of the same key.
  var isAttestedBefore = false
}

/// Finds the same assertion or attestation again. Takes events in the order of (kind, key,
/// identity, rank, time, position).
struct SameTracker {
  /// How many request identifiers of one instant are remembered.
  private static let requestLimit = 65_536

  private let retryTolerance: Int64
  private var current: (kind: RecordKind, key: KeyOwner, identity: Digest128)?
  private var first: (time: Int64, position: Position)?
  private var allRejected = true
  private var time: Int64 = 0
  private var requests: [[UInt8]: Position] = [:]

  init(retryTolerance: Int64) {
    self.retryTolerance = retryTolerance
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
      requests.removeAll(keepingCapacity: true)
    }
    if row.time != time { requests.removeAll(keepingCapacity: true) }
    time = row.time
    let requestID = row.rest.requestID
    let request = requestID.isAbsent ? nil : unsafe Array(requestID.identity)
    if let first {
      event.note.same = judge(row, first, request)
    } else {
      first = (row.time, row.position)
    }
    if row.decision != .rejected { allRejected = false }
    if let request, requests.count < Self.requestLimit, requests[request] == nil {
      requests[request] = row.position
    }
  }

  private func judge(
    _ row: HashRow, _ first: (time: Int64, position: Position), _ request: [UInt8]?
  ) -> (FindingCode, Position) {
    if let request, let twin = requests[request] { return (.recordDuplicate, twin) }
    let isWithinTolerance = retryTolerance > 0 && abs(row.time - first.time) <= retryTolerance
    if allRejected || isWithinTolerance { return (.replayRetry, first.position) }
    return (row.kind == .attestation ? .replayAttestation : .replayAssertion, first.position)
  }
}

/// Finds what came before under the same key. Takes events in the order of (kind, key, rank, time,
/// position).
struct KeyTracker {
  private var current: (kind: RecordKind, key: KeyOwner)?
  private var first: Position?
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
    if first == nil { first = row.position }
    if row.flags.contains(.validAttestation) { isAttested = true }
  }
}

/// Finds the first row of the replay table that fits. Takes events in the order of (kind, rank,
/// time, position).
struct HashTracker {
  private let scope: ReplayScope
  private var kind: RecordKind?
  private var original: (key: KeyOwner, position: Position)?
  /// The earliest event under another key than the original's.
  private var firstOfOtherKey: Position?

  init(scope: ReplayScope) {
    self.scope = scope
  }

  /// The finding and the event it names.
  mutating func take(_ event: ReplayEvent) -> (code: FindingCode, related: Position)? {
    let row = event.row
    if kind != row.kind {
      kind = row.kind
      original = nil
      firstOfOtherKey = nil
    }
    guard let original else {
      self.original = (row.owner, row.position)
      return nil
    }
    let otherKey = original.key == row.owner ? firstOfOtherKey : original.position
    if firstOfOtherKey == nil, original.key != row.owner { firstOfOtherKey = row.position }
    if let same = event.note.same { return same }
    switch scope {
    case .exact: return nil
    case .key: return event.note.firstOfKey.map { (.replayClientDataHash, $0) }
    case .global:
      if let otherKey { return (.replayCrossKey, otherKey) }
      return (.replayClientDataHash, original.position)
    }
  }
}

/// Sixteen bytes, compared as bytes.
struct Digest128: Hashable, Comparable {
  private let high: UInt64
  private let low: UInt64

  init(_ bytes: UnsafeRawBufferPointer) {
    high = unsafe bytes.loadUnaligned(as: UInt64.self).bigEndian
    low = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
  }

  static func < (left: Digest128, right: Digest128) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
