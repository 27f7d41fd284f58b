internal import AuditEngine

/// The findings that the page shows as rows: the first of each code, then the most severe, as many
/// as fit.
struct PageRows {
  /// One finding with its sighting in a state.
  struct Row {
    /// The number of the row among all findings.
    var order: UInt64
    /// The finding, its texts as the page shows them.
    private(set) var finding: ReportedFinding
    /// The reason why it is not among the findings of the report, or nil if it is.
    var aside: String?

    init(order: UInt64, _ finding: ReportedFinding, aside: String? = nil) {
      self.order = order
      self.finding = finding
      self.aside = aside
      for text in ReportedFinding.texts + ReportedFinding.paths {
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
  /// The other rows, by severity.
  private var others = [[Row]](repeating: [], count: Severity.allCases.count)

  init(budget: Int = 3_500_000) {
    self.budget = budget
  }

  /// Takes the next finding.
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

  /// The rows that stay, in the order of the report.
  var kept: [Row] {
    (first + others.joined()).sorted { $0.order < $1.order }
  }
}

extension PageRows.Row {
  /// The approximate number of bytes of numbers, key and source.
  private static let fixedBytes = 240

  /// The approximate number of bytes of the row on the page.
  fileprivate var bytes: Int {
    ReportedFinding.texts.reduce(Self.fixedBytes + finding.finding.clientDataHash.count * 2) {
      $0 + finding[keyPath: $1].utf8.count
    }
  }
}

/// The text of a log on the page.
enum PageText {
  /// The largest number of characters that are shown.
  static let limit = 300

  /// Returns the text. A long one is truncated, and its length is added.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    let head = text.unicodeScalars.prefix(limit)
    guard head.endIndex < text.unicodeScalars.endIndex else { return text }
    var result = String(String.UnicodeScalarView(head))
    result += "… (\(text.utf8.count) bytes)"
    return result
  }
}
