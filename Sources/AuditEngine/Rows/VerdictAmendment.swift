internal import AppAttest

/// What is to be said of an event besides what its row of the shuffle by key identifier has: its
/// verdict and codes. A row has the same key as the event's, behind it the verdict, 1 byte, and the
/// codes, 8.
struct VerdictAmendment: Equatable {
  var verdict = Verdict.valid
  var codes = CodeSet()

  /// What an event is of which nothing is said.
  static let none = VerdictAmendment()

  private init() {}

  /// Nil for what needs not be said.
  init?(_ verdict: Verdict, _ codes: CodeSet) {
    self.verdict = verdict
    self.codes = codes
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
  }

  /// Writes the row of what is said of an event.
  func write(of event: EventRow, _ row: RowBuilder) {
    row.begin()
    unsafe row.put(copying: UnsafeRawBufferPointer(rebasing: event.fixed[..<EventRow.keyLength]))
    put(row)
  }

  /// Writes the row of what is said of an event of a known key.
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
  }
}
