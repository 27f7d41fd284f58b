internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The builds of the apps over time: a row of ``BuildTotals/uses`` each.
struct PageBuilds {
  let totals: BuildTotals

  /// A build that at most so many keys have is marked, if another build of the app on the platform has
  /// this many times as many.
  private static let few: UInt64 = 5
  private static let manyTimes: UInt64 = 20

  /// Writes the section.
  func write(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"builds\" tabindex=\"-1\">Builds</h2>\n")
    let all = TimeBins(sumOf: totals.uses.map(\.hours), kinds: 3, limit: BuildUse.binLimit)
    guard let strip = all.strip(PageHours.columns) else {
      return out.append(ascii: "<p>No request has a valid signature.</p>\n")
    }
    let table = PageStrip(strip: strip)
    out.append(ascii: "<p class=\"note\">")
    out.append(
      html:
        "Requests with a valid signature by build, each column \(table.width): the stronger the "
        + "colour, the more. A line below a cell: the server rejected some of them. ")
    out.append(
      html: totals.withCategory > 0
        ? "A build is what Apple's system signed: category, version and code hash. "
        : "No token has a category: devices send it since iOS 27 and macOS 27. ")
    out.append(
      html:
        "A build leads to the findings of its keys; if more than \(BuildUse.keyLimit) keys have "
        + "it, to those of its app while it was in use.")
    out.append(ascii: "</p>\n")
    table.begin("build", style: "strip builds", to: &out)
    var app: String?
    for (number, use) in totals.uses.enumerated() {
      if use.build.appID != app {
        app = use.build.appID
        table.group(
          use.build.appID.isEmpty ? "App not known" : PageText.cut(use.build.appID), to: &out)
      }
      write(use, number, table, to: &out)
    }
    table.end(to: &out)
    writeRest(strip.outside, to: &out)
  }

  private func write(
    _ use: BuildUse, _ number: Int, _ table: PageStrip, to out: inout RowBuffer
  ) {
    let columns = use.hours.columns(of: table.strip)
    let counts = columns.map { $0.reduce(0, &+) }
    let most = max(9, counts.max() ?? 0)
    let cells = counts.enumerated().map { column, count -> PageStrip.Cell? in
      guard count > 0 else { return nil }
      let rejected = columns[column][Int(Decision.rejected.rawValue)]
      return PageStrip.Cell(
        style: "h1 \(PageStrip.strength(count, of: most))" + (rejected > 0 ? " rejects" : ""),
        filter: "build=\(number)&amp;\(table.filter(column))",
        words: "\(Plural.text(count, "request")) from \(PageTime.minute(table.start(column)))"
          + (rejected > 0 ? ", \(SummaryNumber.grouped(rejected)) rejected" : ""),
        number: Self.short(count))
    }
    table.row(cells, sum: use.requests, filter: "build=\(number)", to: &out) { out in
      out.append("<a href=\"#build=\(number)\"><bdi>")
      out.append(html: PageText.cut(use.name))
      out.append(ascii: "</bdi></a>")
      let marks = marks(use)
      guard !marks.isEmpty else { return }
      out.append(ascii: " <span class=\"sev s3\">▲ ")
      out.append(html: marks.joined(separator: ", "))
      out.append(ascii: "</span>")
    }
  }

  /// Returns what is notable of a build.
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

  private func writeRest(_ outside: UInt64, to out: inout RowBuffer) {
    var parts: [String] = []
    if totals.furtherUses > 0 {
      parts.append("\(Plural.text(totals.furtherUses, "further build")): see builds.csv")
    }
    if outside > 0 { parts.append("\(Plural.text(outside, "request")) at other times") }
    guard !parts.isEmpty else { return }
    out.append(ascii: "<p class=\"note\">")
    out.append(html: "Not drawn: \(parts.joined(separator: "; ")).")
    out.append(ascii: "</p>\n")
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

  /// Writes the data by which the page filters findings by build.
  func writeData(to out: inout RowBuffer) {
    PageData.list(totals.uses, to: &out) { use, out in
      let bins = use.hours.bins
      let width = use.hours.width * 3_600_000
      out.append(ascii: "{\"name\":")
      out.append(scriptJSON: PageText.cut(use.name))
      out.append(ascii: ",\"app\":")
      out.append(scriptJSON: PageText.cut(use.build.appID))
      out.append(ascii: ",\"hash\":")
      out.append(scriptJSON: Hex.text(use.build.codeHash))
      out.append(ascii: ",\"from\":")
      out.append(signed: (bins.first?.index ?? 0) * width)
      out.append(ascii: ",\"to\":")
      out.append(signed: ((bins.last?.index ?? 0) + 1) * width)
      out.append(ascii: ",\"keys\":[")
      PageData.list(use.keyPrefixes, to: &out) { $1.append(scriptJSON: $0) }
      out.append(ascii: "]}")
    }
  }
}

extension BuildUse {
  /// The name on the page: platform, version, category and the beginning of the code hash. A category that
  /// is marked is not in it.
  var name: String {
    let parts = [
      build.platform?.name ?? "", build.bundleVersion,
      isInternal ? "" : build.category?.name ?? "", String(Hex.text(build.codeHash).prefix(8)),
    ]
    return parts.allSatisfy(\.isEmpty)
      ? "not known" : parts.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
