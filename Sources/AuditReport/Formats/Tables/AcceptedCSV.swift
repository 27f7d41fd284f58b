/// `accepted.csv`: the findings that the settings accept, in the columns of ``FindingsCSV``; only where
/// they accept any.
enum AcceptedCSV {
  static let name = "accepted.csv"
}
