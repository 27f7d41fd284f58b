internal import AppAttest

/// The verdict and codes of an event that its row of the shuffle by key identifier does not have. A
/// row has the same key as the event's, followed by the verdict, 1 byte, the codes, 8, and whether
/// the event's authenticator data is signed, 1.
struct VerdictAmendment: CodedRow, Equatable {
  var verdict = Verdict.valid
  var codes = CodeSet()
  /// Whether the event's authenticator data is signed: values that nothing verifies are not shown
  /// as signed.
  var isSigned = true

  /// The amendment of an event about which nothing more is said.
  static let none = VerdictAmendment()

  init() {}

  /// Makes an amendment, or gives nil if none is needed.
  init?(_ verdict: Verdict, _ codes: CodeSet, isSigned: Bool) {
    self.verdict = verdict
    self.codes = codes
    self.isSigned = isSigned
    if self == .none { return nil }
  }

  /// Reads a row.
  init(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    var decoder = unsafe RowDecoder(row)
    try decoder.skip(EventRow.keyLength)
    try fields(&decoder)
  }

  /// Writes the row of the amendment of an event.
  func write(of event: EventRow, _ row: RowBuilder) {
    row.begin()
    unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: event.fixed[..<EventRow.keyLength]))
    row.put(self)
  }

  /// Writes the row of the amendment of an event of a known key.
  func write(of event: HashRow, _ row: RowBuilder) {
    row.begin()
    row.put(event.keyID)
    row.put(EventRow.Section.event.rawValue)
    row.bigTime(event.time)
    row.big(event.counter)
    row.big(event.position)
    row.put(self)
  }

  /// Codes what follows the key.
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.value(&verdict)
    try coder.codes(&codes)
    try coder.flag(&isSigned)
  }
}
