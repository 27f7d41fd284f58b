internal import AppAttest
internal import AuditEngine
internal import Basics

/// The file `report.html`. It loads nothing, runs no text of a log, and holds a bounded number of rows.
struct ReportPage {
  static let name = "report.html"

  /// The codes whose severity the settings fix.
  let fixed: Set<FindingCode>
  private(set) var hours = PageHours()
  private(set) var rows = PageRows()
  private(set) var keys = PageKeys()
  private(set) var codes = PageCodes()
  /// The findings about unknown keys and challenges, by hour. A missing log would explain them.
  private var absences = Top<Int64, UInt64>(limit: 8_192)
  /// The requests of the worst keys, or nil if the report has no index.
  var history: PageHistory?
  var aside = PageAside()

  init(fixed: Set<FindingCode> = []) { self.fixed = fixed }

  mutating func add(_ reported: ReportedFinding) {
    let finding = reported.finding.counted(fixed)
    hours.add(finding)
    rows.add(reported)
    keys.add(finding)
    codes.add(finding, isNew: reported.isNew == true)
    if finding.code == .keyUnknown || finding.code == .challengeNotIssued, let time = finding.time {
      absences.update(TimeBins.hour(of: time), from: 0) { $0 += 1 }
    }
  }

  func absences(in silence: InputSilence) -> UInt64 {
    let (from, to) = (TimeBins.hour(of: silence.from), TimeBins.hour(of: silence.to))
    return absences.values.reduce(0) { $1.key >= from && $1.key < to ? $0 + $1.value : $0 }
  }

  mutating func add(_ row: KeyRow) { keys.add(row) }

  func write(_ facts: RunSummary, to out: inout RowBuffer) {
    PageFrame.write(title: facts.title, script: PageResource.script, to: &out) { out in
      PageBody(page: self, facts: facts).write(to: &out)
      out.element("script", ["type": "application/json", "id": "data"]) { out in
        PageData(page: self, builds: facts.builds).tree.write(toScript: &out)
      }
    }
  }
}

/// The frame of a page that loads nothing, and whose only script and style are its own.
enum PageFrame {
  /// Writes a document. `script` runs after the body.
  static func write(
    title: String, script: String? = nil, to out: inout RowBuffer,
    _ body: (inout RowBuffer) -> Void
  ) {
    var policy = "default-src 'none'; "
    for (name, text) in [("script", script), ("style", PageResource.style)] {
      guard let text else { continue }
      let digest = Digest256.sha256(Array(text.utf8).span)
      policy += "\(name)-src 'sha256-\(Base64Text.text(digest.bytes))'; "
    }
    policy += "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    out.append(
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">

      """)
    out.element("title", title)
    out.element("style") { $0.append(PageResource.style) }
    out.append(ascii: "</head>\n<body>\n")
    body(&out)
    if let script { out.element("script") { $0.append(script) } }
    out.append(ascii: "</body>\n</html>\n")
  }
}

/// The style and the script of the page, as in their files.
enum PageResource {
  /// The style of the pictures of counters, and all colours.
  static let plotStyle = String(decoding: PackageResources.plot_css, as: UTF8.self)
  static let style = plotStyle + String(decoding: PackageResources.page_css, as: UTF8.self)
  static let script = String(decoding: PackageResources.page_js, as: UTF8.self)
}
