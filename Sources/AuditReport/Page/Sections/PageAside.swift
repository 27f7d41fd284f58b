/// Findings that are not among those of the report: those that the settings accept, and those that
/// a run with a state withdraws. Texts are in the form of the tables, from which the page is
/// rendered again.
struct PageAside {
  /// The largest number of rows of each kind. All are counted.
  static let limit = 500

  private(set) var accepted = Group(state: "accepted")
  private(set) var withdrawn = Group(state: "withdrawn")

  /// The findings of one kind.
  struct Group {
    /// The word by which the page filters.
    let state: String
    private(set) var count: UInt64 = 0
    private(set) var rows: [PageRows.Row] = []

    /// Takes the next finding.
    mutating func add(_ finding: ReportedFinding) {
      count += 1
      guard rows.count < PageAside.limit else { return }
      var finding = finding
      finding.takeTextOfTable()
      rows.append(PageRows.Row(order: count, finding, aside: state))
    }
  }

  /// Takes a finding that the settings accept.
  mutating func add(accepted finding: ReportedFinding) { accepted.add(finding) }

  /// Takes a finding that is withdrawn.
  mutating func add(withdrawn finding: ReportedFinding) { withdrawn.add(finding) }
}
