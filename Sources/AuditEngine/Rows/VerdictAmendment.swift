internal import AppAttest

/// The verdict and codes of an event that its row of the shuffle by key identifier does not have. A
/// row has the same key as the event's, followed by the verdict, 1 byte, the codes, 8, and whether the
/// event's authenticator data is signed, 1.
struct VerdictAmendment: Equatable {
  var verdict = Verdict.valid
  var codes = CodeSet()
  /// Whether the event's authenticator data is signed: values that nothing verifies are not shown as signed.
  var isSigned = true

  /// The amendment of an event about which nothing more is said.
  static let none = VerdictAmendment()

  private init() {}

  /// Makes an amendment, or gives nil if none is needed.
  init?(_ verdict: Verdict, _ codes: CodeSet, isSigned: Bool) {
    self.verdict = verdict
    self.codes = codes
    self.isSigned = isSigned
    if self == .none { return nil }
  }

  /// Reads a row.
  init(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    var cursor = unsafe RowCursor(row)
    cursor.skip(EventRow.keyLength)
    guard let verdict = Verdict(rawValue: cursor.number()) else {
      throw AuditError(.inconsistent, "an event's verdict is none")
    }
    self.verdict = verdict
    codes = CodeSet(bits: cursor.number())
    isSigned = cursor.number(UInt8.self) != 0
  }

  /// Writes the row of the amendment of an event.
  func write(of event: EventRow, _ row: RowBuilder) {
    row.begin()
    unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: event.fixed[..<EventRow.keyLength]))
    put(row)
  }

  /// Writes the row of the amendment of an event of a known key.
  func write(of event: HashRow, _ row: RowBuilder) {
    row.begin()
    row.put(event.keyID)
    row.put(EventRow.Section.event.rawValue)
    row.bigTime(event.time)
    row.big(event.counter)
    row.big(event.position)
    put(row)
  }

  private func put(_ row: RowBuilder) {
    row.put(verdict.rawValue)
    row.put(codes.bits)
    row.put(isSigned ? UInt8(1) : 0)
  }
}
