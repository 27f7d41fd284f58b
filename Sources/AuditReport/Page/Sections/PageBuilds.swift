internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The builds of the apps over time: a row of ``BuildTotals/uses`` each.
struct PageBuilds {
  let totals: BuildTotals

  /// A build that at most so many keys have is marked, if another one has this many times as many.
  private static let few: UInt64 = 5
  private static let manyTimes: UInt64 = 20

  func write(to out: inout RowBuffer) {
    out.heading("h2", "builds", "Builds")
    let all = TimeBins(sumOf: totals.uses.map(\.hours), kinds: 3, limit: BuildUse.binLimit)
    guard let strip = all.strip(PageStrip.columns) else {
      return out.element("p", "No request has a valid signature.")
    }
    let table = PageStrip(strip: strip)
    out.note(
      "Requests with a valid signature by build, each column \(table.width): the stronger the "
        + "colour, the more. A line below a cell: the server rejected some of them. "
        + (totals.withCategory > 0
          ? "A build is what Apple's system signed: category, version and code hash. "
          : "No token has a category: devices send it since iOS 27 and macOS 27. ")
        + "A build leads to the findings of its keys; if more than \(BuildUse.keyLimit) keys have "
        + "it, to those of its app while it was in use.")
    table.write("build", style: "strip builds", to: &out) { out in
      var app: String?
      for (number, use) in totals.uses.enumerated() {
        if use.build.appID != app {
          app = use.build.appID
          table.group(use.build.appID.isEmpty ? "App not known" : use.build.appID, to: &out)
        }
        write(use, "build=\(number)", table, to: &out)
      }
    }
    let rest = [
      (totals.furtherUses, "further build", ": see builds.csv"),
      (strip.outside, "request", " at other times"),
    ].filter { $0.0 > 0 }.map { Plural.text($0, $1) + $2 }
    if !rest.isEmpty { out.note("Not drawn: \(rest.joined(separator: "; ")).") }
  }

  private func write(
    _ use: BuildUse, _ filter: String, _ table: PageStrip, to out: inout RowBuffer
  ) {
    let columns = use.hours.columns(of: table.strip)
    let row = PageStrip.Row(
      noun: "request", counts: columns.map { $0.reduce(0, &+) }, severity: .low, filter: filter,
      rejected: columns.map { $0[Int(Decision.rejected.rawValue)] }, number: Self.short)
    table.write(row, to: &out) { out in
      out.element("a", ["href": "#\(filter)"]) { $0.bdi(use.name) }
      let marks = marks(use)
      guard !marks.isEmpty else { return }
      out.append(ascii: " ")
      out.element("span", ["class": "sev s3"], "▲ " + marks.joined(separator: ", "))
    }
  }

  private func marks(_ use: BuildUse) -> [String] {
    var marks: [String] = []
    if use.outside > 0 { marks.append("outside the policy") }
    if use.isInternal, let category = use.build.category { marks.append(category.name) }
    let most = totals.uses.filter {
      $0.build.appID == use.build.appID && $0.build.platform == use.build.platform
    }.map(\.keys).max()
    if use.keys <= Self.few, let most, use.keys &* Self.manyTimes <= most {
      marks.append(Plural.text(use.keys, "key"))
    }
    return marks
  }

  /// Returns a number of at most four characters.
  private static func short(_ count: UInt64) -> String {
    switch count {
    case ..<1_000: "\(count)"
    case ..<10_000: "\(count / 1_000).\(count / 100 % 10)k"
    case ..<1_000_000: "\(count / 1_000)k"
    case ..<1_000_000_000: "\(count / 1_000_000)M"
    default: "\(count / 1_000_000_000)G"
    }
  }
}

extension BuildUse {
  /// The name on the page, without a category that is marked.
  var name: String {
    let parts = [
      build.platform?.name ?? "", build.bundleVersion,
      isInternal ? "" : build.category?.name ?? "", String(Hex.text(build.codeHash).prefix(8)),
    ]
    return parts.allSatisfy(\.isEmpty)
      ? "not known" : parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
