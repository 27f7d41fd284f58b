/// The file `accepted.csv`: the findings that the settings accept, in the columns of
/// ``FindingsCSV``. It is written only if the settings accept any.
enum AcceptedCSV {
  static let name = "accepted.csv"
}
