internal import AppAttest
internal import AuditLog

/// An event as the replay table examines it, without all that is only told of it.
struct ReplayEvent {
  var kind = RecordKind.assertion
  var owner = KeyOwner()
  /// 16 bytes, equal for the same assertion or attestation of one key.
  var identity = Digest128()
  var time: Int64 = 0
  var position = Position(source: 0, line: 0)
  /// Its position with the place of its source in the order of all sources.
  var place = Position(source: 0, line: 0)
  /// ``SourceOrder/input(of:)``.
  var input: UInt32 = 0
  /// ``HashRow/rank``.
  var rank: UInt8 = 0
  var decision = Decision.unknown
  var isValidAttestation = false
  /// Whether an earlier run judged its counter, and its key's judges do not have it any more.
  var isCounted = false
  /// The identity of its request, or nil if there is no identifier.
  var request: RequestIdentity?
  /// The identities of its subject and of its route, or nil if there is none.
  var subject: UInt64?
  var route: UInt64?
  /// A number that is equal for records of one time that agree in every mapped field.
  var recordDigest: UInt64 = 0
  var note = ReplayNote()

  var here: EventPlace { EventPlace(position: position, time: time) }

  /// The first of the copies of its request, which can be the event itself.
  var origin: Position { note.origin ?? position }

  init() {}

  /// Takes from a row what the replay table asks for. `isAtHand` is true if the judges of its key have the event in this
  /// run, too.
  init(_ row: HashRow, _ order: SourceOrder = SourceOrder(), isAtHand: Bool = false) {
    kind = row.kind
    owner = row.owner
    identity = unsafe Digest128(row.identity)
    time = row.time
    position = row.position
    place = order.place(of: position)
    input = order.input(of: position.source)
    rank = row.rank
    decision = row.decision
    note.copies = decision
    recordDigest = row.recordDigest
    isValidAttestation = row.flags.contains(.validAttestation)
    isCounted = row.isRemembered && rank == 0 && !isAtHand
    let rest = row.rest
    request = RequestIdentity(rest.requestID)
    subject = rest.subject.digest(of: .subject)
    route = rest.texts[.route].digest(of: .route)
  }
}

/// The results of the trackers about an event, one after the other.
struct ReplayNote: CodedRow {
  /// The earliest event that logs the same request.
  var twin: EventPlace?
  /// The relation of the event to the same one before it, and the place of that event.
  var same: ReplayFinding?
  /// The first of the copies of the request, if nothing is found of this event but that it is a further one.
  var origin: Position?
  /// The most severe decision about the copies of the request, this event among them.
  var copies = Decision.rejected
  /// The earliest same event, if an earlier run counted this one. Of a later copy it is that one.
  var settles: Position?
  /// The most severe decision about those whose counter an earlier run judged, or nil if this run does.
  var counted: Decision?
  /// The earliest event of the group under the same key, if it is an earlier one.
  var firstOfKey: EventPlace?
  /// Whether an earlier event of the group is a valid attestation of the same key.
  var isAttestedBefore = false
  /// The finding of the replay table.
  var finding: ReplayFinding?

  /// Whether the event is the same as one whose counter is judged instead (`detection.R13`).
  var isExactReplay: Bool { same != nil || counted != nil }

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.optional(&twin)
    try coder.optional(&same)
    try coder.optional(&origin)
    try coder.value(&copies)
    try coder.optional(&settles)
    try coder.value(&counted)
    try coder.optional(&firstOfKey)
    try coder.flag(&isAttestedBefore)
    try coder.optional(&finding)
  }

  /// Returns what an event with this note and a decision says of the same event that it settles.
  func told(_ decision: Decision) -> ReplayNote {
    ReplayNote(counted: counted == nil ? decision : .rejected)
  }

  mutating func join(_ other: ReplayNote) {
    same = same ?? other.same
    finding = finding ?? other.finding
    isAttestedBefore = isAttestedBefore || other.isAttestedBefore
    copies = copies.moreSevere(other.copies)
    if let told = other.counted { counted = (counted ?? .rejected).moreSevere(told) }
  }
}

/// A finding of the replay table, and the event that it names.
struct ReplayFinding: CodedRow, Equatable {
  var code = FindingCode.recordDuplicate
  var related = EventPlace()
  /// The key of that event, with `replay.cross_key`, or nil if only its device is known.
  var otherKey: Digest256?
  /// Whether both records agree in every mapped field (`detection.R65`).
  var isIdentical = false

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.value(&code)
    try related.fields(&coder)
    try coder.optional(&otherKey)
    try coder.flag(&isIdentical)
  }

  /// Whether it says no more than that the event is a copy of another one.
  var isCopy: Bool { code == .recordDuplicate || code == .replayRetry }
}

/// The orders of a group's events, one after the other. Positions compare by the places of their sources.
enum ReplayOrder: UInt8, CaseIterable {
  /// kind, key, identity, request identifier, rank, time, position
  case request
  /// kind, key, identity, rank, time, position
  case same
  /// kind, first of the copies of the request, decision (the most severe first)
  case copies
  /// kind, key, rank, time, position
  case key
  /// kind, rank, time, position
  case hash

  func precedes(_ a: ReplayEvent, _ b: ReplayEvent) -> Bool {
    if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
    if hasOwner, a.owner != b.owner { return a.owner < b.owner }
    if hasIdentity, a.identity != b.identity { return a.identity < b.identity }
    if self == .request, a.request != b.request { return Self.precedes(a.request, b.request) }
    if self == .copies, a.origin != b.origin { return a.origin < b.origin }
    if self == .copies, a.decision != b.decision { return a.decision.rank < b.decision.rank }
    if a.rank != b.rank { return a.rank < b.rank }
    if a.time != b.time { return a.time < b.time }
    return a.place < b.place
  }

  /// Returns whether a request comes before another one, those without an identifier first.
  private static func precedes(_ a: RequestIdentity?, _ b: RequestIdentity?) -> Bool {
    guard let b else { return false }
    guard let a else { return true }
    return a < b
  }

  var hasOwner: Bool { self != .hash && self != .copies }

  var hasIdentity: Bool { self == .request || self == .same }
}

/// The identity of a request identifier. Nobody gains by making two that share it.
package struct RequestIdentity: Hashable, Comparable, Sendable {
  /// ``LineKey/known``'s digest of the identifier; of a long one, the first 8 bytes of its SHA-256, big-endian.
  package var digest: UInt64
  /// Bytes of UTF-8; the highest number stands for more.
  package var length: UInt32

  package static func < (left: RequestIdentity, right: RequestIdentity) -> Bool {
    (left.digest, left.length) < (right.digest, right.length)
  }
}

extension RequestIdentity {
  /// Makes the identity of a row's text, or gives nil if the text is absent.
  init?(_ text: RowText) {
    guard !text.isAbsent else { return nil }
    if !text.isCut, let bytes = unsafe text.inline {
      self.init(digest: unsafe LineKey.known.digest(bytes), length: UInt32(bytes.count))
    } else {
      let (digest, count) = text.digest
      self.init(digest: digest.prefix, length: UInt32(clamping: count))
    }
  }
}
