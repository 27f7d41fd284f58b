internal import AppAttest
internal import AuditLog

// Events of a group beyond memory as rows of a sorter: what an order and those behind it ask for, and no more.

extension ReplayOrder {
  /// Bytes of the key of its rows.
  var keyLength: Int {
    let (kind, owner, time, rank, place) = (1, Digest256.byteCount + 1, 8, 1, 4 + 8)
    let request = 1 + 8 + 4
    return kind + (hasOwner ? owner : 0) + (hasIdentity ? Digest128.byteCount : 0)
      + (self == .request ? request : 0) + rank + time + place
  }
}

extension ReplayEvent {
  /// Writes the row of an order. Its key sorts as ``ReplayOrder/precedes(_:_:)`` says.
  func write(_ order: ReplayOrder, _ row: RowBuilder) {
    row.begin()
    row.put(kind.rawValue)
    if order.hasOwner { write(owner, row) }
    if order.hasIdentity { row.put(identity) }
    if order == .request {
      row.put(request == nil ? UInt8(0) : 1)
      row.big(request?.digest ?? 0)
      row.big(request?.length ?? UInt32(0))
    }
    row.put(rank)
    row.bigTime(time)
    row.big(place)
    row.put(position.source)
    row.put(decision.rawValue)
    row.put(isValidAttestation ? UInt8(1) : 0)
    if !order.hasOwner { write(owner, row) }
    if order.hasIdentity {
      row.put(recordDigest)
      row.put(optional: subject)
      row.put(optional: route)
    }
    switch order {
    case .request: break
    case .same: row.put(note.twin)
    case .key:
      note.same.write(row)
      row.put(note.accepts)
    case .hash:
      note.same.write(row)
      row.put(note.accepts)
      row.put(note.firstOfKey)
      row.put(note.isAttestedBefore ? UInt8(1) : 0)
    }
  }

  private func write(_ owner: KeyOwner, _ row: RowBuilder) {
    row.put(owner.digest)
    row.put(owner.isDevice ? UInt8(1) : 0)
  }

  /// Reads what ``write(_:_:)`` wrote. What the order does not ask for is empty.
  init(_ bytes: UnsafeRawBufferPointer, _ order: ReplayOrder) throws(AuditError) {
    var cursor = unsafe RowCursor(bytes)
    guard let kind = RecordKind(rawValue: cursor.number()) else { throw Self.inconsistent }
    self.kind = kind
    var owner = order.hasOwner ? Self.owner(&cursor) : nil
    identity = order.hasIdentity ? cursor.digest128() : Digest128()
    if order == .request {
      let hasRequest = cursor.number(UInt8.self) != 0
      let identity = RequestIdentity(digest: cursor.big(), length: cursor.big())
      request = hasRequest ? identity : nil
    }
    rank = cursor.number()
    time = cursor.bigTime()
    place = cursor.position()
    position = Position(source: cursor.number(), lineItem: place.lineItem)
    guard let decision = Decision(rawValue: cursor.number()) else { throw Self.inconsistent }
    self.decision = decision
    isValidAttestation = cursor.number(UInt8.self) != 0
    if owner == nil { owner = Self.owner(&cursor) }
    guard let owner else { throw Self.inconsistent }
    self.owner = owner
    recordDigest = order.hasIdentity ? cursor.number() : 0
    subject = order.hasIdentity ? cursor.optional(UInt64.self) : nil
    route = order.hasIdentity ? cursor.optional(UInt64.self) : nil
    switch order {
    case .request: break
    case .same: note.twin = cursor.optionalPlace()
    case .key:
      note.same = try ReplayFinding?(&cursor)
      note.accepts = cursor.optionalPosition()
    case .hash:
      note.same = try ReplayFinding?(&cursor)
      note.accepts = cursor.optionalPosition()
      note.firstOfKey = cursor.optionalPlace()
      note.isAttestedBefore = cursor.number(UInt8.self) != 0
    }
  }

  private static func owner(_ cursor: inout RowCursor) -> KeyOwner {
    KeyOwner(digest: cursor.digest(), isDevice: cursor.number(UInt8.self) != 0)
  }

  fileprivate static var inconsistent: AuditError {
    AuditError(.inconsistent, "an event's row is not what was written")
  }
}

extension ReplayNote {
  /// Bytes of the key of ``write(at:_:)``: a position.
  static let keyLength = 4 + 8

  /// Writes what is told of the event at a position.
  func write(at position: Position, _ row: RowBuilder) {
    row.begin()
    row.big(position)
    same.write(row)
    row.put(isAttestedBefore ? UInt8(1) : 0)
    row.put(hasAcceptedCopy ? UInt8(1) : 0)
    finding.write(row)
  }

  /// Reads what ``write(at:_:)`` wrote.
  static func read(
    _ bytes: UnsafeRawBufferPointer
  ) throws(AuditError) -> (position: Position, note: ReplayNote) {
    var cursor = unsafe RowCursor(bytes)
    let position = cursor.position()
    var note = ReplayNote()
    note.same = try ReplayFinding?(&cursor)
    note.isAttestedBefore = cursor.number(UInt8.self) != 0
    note.hasAcceptedCopy = cursor.number(UInt8.self) != 0
    note.finding = try ReplayFinding?(&cursor)
    return (position, note)
  }
}

extension ReplayFinding? {
  /// The byte in place of a finding's code where there is none.
  private static let noCode = UInt8.max

  fileprivate func write(_ row: RowBuilder) {
    row.put(self?.code.rawValue ?? Self.noCode)
    guard let finding = self else { return }
    row.big(finding.related)
    row.put(finding.time)
    row.put(finding.isIdentical ? UInt8(1) : 0)
    row.put(finding.otherKey == nil ? UInt8(0) : 1)
    if let key = finding.otherKey { row.put(key) }
  }

  fileprivate init(_ cursor: inout RowCursor) throws(AuditError) {
    let value = cursor.number(UInt8.self)
    guard value != Self.noCode else {
      self = nil
      return
    }
    guard let code = FindingCode(rawValue: value) else { throw ReplayEvent.inconsistent }
    let place = ReplayPlace(position: cursor.position(), time: cursor.number())
    let isIdentical = cursor.number(UInt8.self) != 0
    let hasKey = cursor.number(UInt8.self) != 0
    self = ReplayFinding(
      code, place, otherKey: hasKey ? cursor.digest() : nil, isIdentical: isIdentical)
  }
}

extension RowBuilder {
  /// Adds a place after 1 byte that says whether there is one.
  fileprivate func put(_ place: ReplayPlace?) {
    put(place?.position)
    if let place { put(place.time) }
  }
}

extension RowCursor {
  fileprivate mutating func optionalPlace() -> ReplayPlace? {
    guard let position = optionalPosition() else { return nil }
    return ReplayPlace(position: position, time: number())
  }
}
