internal import AppAttest
internal import AuditLog

/// An event of a group, with what tells it apart there.
struct ReplayEvent {
  let row: HashRow
  /// Its position with the place of its source in the order of all sources.
  let place: Position
  /// The codes found for it so far.
  var codes: CodeSet
  var note = ReplayNote()
  /// The identity of its request, or nil if there is no identifier, and until it is asked
  /// for with `identify`.
  private(set) var request: RequestIdentity?
  /// The identity of its subject. It is nil if there is no subject, and until it is asked for with
  /// `identify`.
  private(set) var subject: UInt64?

  init(
    row: HashRow, codes: CodeSet, note: ReplayNote = ReplayNote(),
    _ order: SourceOrder = SourceOrder()
  ) {
    self.row = row
    place = order.place(of: row.position)
    self.codes = codes
    self.note = note
  }

  /// True where nothing but what an earlier run remembered is known of it.
  var isRemembered: Bool { row.rowClass == .remembered }
  /// True where it takes part.
  var isLookedAt: Bool { row.flags.contains(.lookedAt) }

  /// The rank of the event. Events that could not be verified come after all that were.
  var rank: UInt8 { row.flags.contains(.behind) ? 1 : 0 }

  /// The rank among several rows of one event. The least one says what the event is: that of its
  /// key's judges, or the last that was remembered.
  var precedence: UInt32 { isRemembered ? .max - row.number : 0 }

  /// Finds out what tells its request and its subject from others.
  mutating func identify() {
    let rest = row.rest
    request = RequestIdentity(rest.requestID)
    subject = rest.subjectDigest
  }
}

/// The results of the trackers about an event, one after the other.
struct ReplayNote {
  /// The first event that logs the same request.
  var twin: Position?
  /// The relation of the event to the same one before it, and the place of that event.
  var same: ReplayFinding?
  /// The earliest event of the group under the same key, if it is an earlier one.
  var firstOfKey: ReplayPlace?
  /// True where an earlier event of the group is a valid attestation of the same key.
  var isAttestedBefore = false
  /// The finding of the replay table.
  var finding: ReplayFinding?
}

/// The time and place of an event.
struct ReplayPlace: Equatable {
  var position: Position
  var time: Int64
}

/// A finding of the replay table, and the event that it names.
struct ReplayFinding: Equatable {
  var code: FindingCode
  var related: Position
  /// The time of that event.
  var time: Int64
  /// The key of that event, with `replay.cross_key`, or nil if only its device is known.
  var otherKey: Digest256?

  init(_ code: FindingCode, _ place: ReplayPlace, otherKey: Digest256? = nil) {
    self.code = code
    related = place.position
    time = place.time
    self.otherKey = otherKey
  }
}

/// The order in which the events of a group are wanted. But for the order `place`, where only equal
/// ones count, positions compare by the places of their sources.
enum ReplayOrder: UInt8, CaseIterable {
  /// position, precedence
  case place
  /// kind, key, identity, time, request identifier, rank, position
  case request
  /// kind, key, identity, rank, time, position
  case same
  /// kind, key, rank, time, position
  case key
  /// kind, rank, time, position
  case hash

  /// Returns whether `a` comes before `b`; for `request`, both have been identified.
  func precedes(_ a: ReplayEvent, _ b: ReplayEvent) -> Bool {
    if self == .place {
      return (a.row.position, a.precedence) < (b.row.position, b.precedence)
    }
    if a.row.kind != b.row.kind { return a.row.kind.rawValue < b.row.kind.rawValue }
    if self != .hash, a.row.owner != b.row.owner { return a.row.owner < b.row.owner }
    if self == .same || self == .request {
      let left = unsafe Digest128(a.row.identity)
      let right = unsafe Digest128(b.row.identity)
      if left != right { return left < right }
    }
    if self == .request {
      if a.row.time != b.row.time { return a.row.time < b.row.time }
      if a.request != b.request { return Self.precedes(a.request, b.request) }
    }
    if a.rank != b.rank { return a.rank < b.rank }
    if a.row.time != b.row.time { return a.row.time < b.row.time }
    return a.place < b.place
  }

  /// Returns whether a request comes before another one; those without an identifier come
  /// first.
  private static func precedes(_ a: RequestIdentity?, _ b: RequestIdentity?) -> Bool {
    guard let b else { return false }
    guard let a else { return true }
    return a < b
  }

  /// Bytes of the key that `write` writes.
  var keyLength: Int {
    let (kind, owner, identity, end) = (1, 32 + 1, Digest128.byteCount, 1 + 8 + 4 + 8)
    let request = 8 + 1 + 8 + 4
    return switch self {
    case .place: 4 + 8 + 4
    case .request: kind + owner + identity + request + end
    case .same: kind + owner + identity + end
    case .key: kind + owner + end
    case .hash: kind + end
    }
  }

  /// Writes a key that sorts as `precedes` says.
  func write(_ event: ReplayEvent, _ row: RowBuilder) {
    if self == .place {
      row.big(event.row.position)
      return row.big(event.precedence)
    }
    row.put(event.row.kind.rawValue)
    if self != .hash {
      row.put(event.row.keyID)
      row.put(event.row.owner.isDevice ? UInt8(1) : 0)
    }
    if self == .same || self == .request { unsafe row.put(copying: event.row.identity) }
    if self == .request {
      row.bigTime(event.row.time)
      row.put(event.request == nil ? UInt8(0) : 1)
      row.big(event.request?.digest ?? 0)
      row.big(event.request?.length ?? UInt32(0))
    }
    row.put(event.rank)
    row.bigTime(event.row.time)
    row.big(event.place)
  }
}
