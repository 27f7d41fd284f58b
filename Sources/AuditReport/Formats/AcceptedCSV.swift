/// `accepted.csv`: the findings that the settings accept, in the columns of ``FindingsCSV``; only where
/// they accept any.
enum AcceptedCSV {
  static let name = "accepted.csv"
}

extension Optional where Wrapped == OutputFile {
  /// Calls `body` with the file; nothing is done where there is none.
  mutating func change(
    _ body: (inout OutputFile) throws(ReportError) -> Void
  ) throws(ReportError) {
    guard var file = take() else { return }
    do throws(ReportError) { try body(&file) } catch {
      self = consume file
      throw error
    }
    self = consume file
  }
}
