internal import AuditEngine

/// The findings that the page shows as rows: the first of each code, then the most severe.
struct PageRows {
  struct Row {
    var order: UInt64
    /// The finding, its texts as the page shows them.
    private(set) var finding: ReportedFinding
    /// The reason why it is not among the findings of the report, or nil if it is.
    var aside: String?

    init(order: UInt64, _ finding: ReportedFinding, aside: String? = nil) {
      self.order = order
      self.finding = finding
      self.aside = aside
      for text in FindingColumns.plain.texts + FindingColumns.plain.paths {
        self.finding[keyPath: text] = PageText.cut(finding[keyPath: text])
      }
    }
  }

  /// The number of first findings of each code that stay whatever their severity.
  static let firstOfCode: UInt64 = 100
  /// The approximate number of bytes that the rows may have together on the page.
  private let budget: Int
  private var used = 0
  private(set) var total: UInt64 = 0
  private var byCode = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  private var first: [Row] = []
  private var others = [[Row]](repeating: [], count: Severity.allCases.count)

  init(budget: Int = 3_500_000) { self.budget = budget }

  mutating func add(_ reported: ReportedFinding) {
    let row = Row(order: total, reported)
    let finding = reported.finding
    total += 1
    byCode[Int(finding.code.rawValue)] += 1
    let severity = Int(finding.severity.rawValue)
    let bytes = row.bytes
    if byCode[Int(finding.code.rawValue)] <= Self.firstOfCode {
      first.append(row)
    } else {
      guard used + bytes <= budget || others[..<severity].contains(where: { !$0.isEmpty }) else {
        return
      }
      others[severity].append(row)
    }
    used += bytes
    while used > budget, let least = others.firstIndex(where: { !$0.isEmpty }) {
      used -= others[least].removeLast().bytes
    }
  }

  var kept: [Row] { (first + others.joined()).sorted { $0.order < $1.order } }
}

extension PageRows.Row {
  private static let fixedBytes = 240

  fileprivate var bytes: Int {
    Self.fixedBytes + finding.finding.clientDataHash.count * 2
      + FindingColumns.plain.textBytes(finding)
  }
}

/// The accepted and the withdrawn findings, in the texts of tables.
struct PageAside {
  /// The largest number of rows of each kind. All are counted.
  static let limit = 500

  var accepted = Group(state: "accepted")
  var withdrawn = Group(state: "withdrawn")

  struct Group {
    let state: String
    private(set) var count: UInt64 = 0
    private(set) var rows: [PageRows.Row] = []

    mutating func add(_ finding: ReportedFinding) {
      count += 1
      guard rows.count < PageAside.limit else { return }
      var finding = finding
      FindingColumns.plain.takeTextOfTable(&finding)
      rows.append(PageRows.Row(order: count, finding, aside: state))
    }
  }

}
