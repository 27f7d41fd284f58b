/// The file `withdrawn.csv`: the findings of earlier runs that a run with a state withdraws, in the
/// columns of ``FindingsCSV``, with the reason in place of the sentence.
enum WithdrawnCSV {
  static let name = "withdrawn.csv"
}
