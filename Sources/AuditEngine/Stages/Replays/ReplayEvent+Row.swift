internal import AppAttest
internal import AuditLog

// Events of a group beyond memory as rows of a sorter, with what orders ask for.

extension ReplayOrder {
  var keyLength: Int {
    let (kind, owner, time, rank, place) = (1, Digest256.byteCount + 1, 8, 1, 4 + 8)
    let (request, copies) = (1 + 8 + 4, 4 + 8 + 1)
    return kind + (hasOwner ? owner : 0) + (hasIdentity ? Digest128.byteCount : 0)
      + (self == .request ? request : 0) + (self == .copies ? copies : 0) + rank + time + place
  }
}

extension ReplayEvent {
  /// Codes the row of an order, whose key sorts as ``ReplayOrder/precedes(_:_:)`` says.
  private mutating func fields<Coder: RowCoder>(
    _ coder: inout Coder, _ order: ReplayOrder
  ) throws(AuditError) {
    try coder.value(&kind)
    if order.hasOwner { try owner.fields(&coder) }
    if order.hasIdentity { try coder.digest(&identity) }
    if order == .request {
      var (isThere, value) = (request != nil, request ?? RequestIdentity(digest: 0, length: 0))
      try coder.flag(&isThere)
      try coder.key(&value.digest)
      try coder.key(&value.length)
      request = isThere ? value : nil
    }
    if order == .copies {
      var (origin, severity) = (origin, decision.rank)
      try coder.key(&origin)
      try coder.number(&severity)
    }
    try coder.number(&rank)
    try coder.key(time: &time)
    try coder.key(&place)
    try coder.number(&position.source)
    position.lineItem = place.lineItem
    try coder.value(&decision)
    try coder.flag(&isValidAttestation)
    if !order.hasOwner { try owner.fields(&coder) }
    if order.hasIdentity {
      try coder.flag(&isCounted)
      try coder.number(&input)
      try coder.number(&recordDigest)
      try coder.optional(&subject)
      try coder.optional(&route)
    }
    try note.fields(&coder)
  }

  consuming func write(_ order: ReplayOrder, _ row: RowBuilder) throws(AuditError) {
    row.begin()
    var encoder = RowEncoder(row)
    try fields(&encoder, order)
    encoder.finish()
  }

  /// Reads what ``write(_:_:)`` wrote.
  init(_ bytes: UnsafeRawBufferPointer, _ order: ReplayOrder) throws(AuditError) {
    self.init()
    var decoder = unsafe RowDecoder(bytes)
    try fields(&decoder, order)
  }
}

/// The note of a judge on the event at a position.
struct ReplayNoteRow: CodedRow {
  static let keyLength = 4 + 8

  var position = Position(source: 0, line: 0)
  var note = ReplayNote()

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.key(&position)
    try note.fields(&coder)
  }
}
