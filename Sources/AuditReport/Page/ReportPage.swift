internal import AppAttest
internal import AuditEngine

/// The file `report.html`: one file for people, which loads nothing and runs no text of a log.
///
/// It takes every finding and key once, in the order of the reports. A bounded number of them is
/// held, and all are counted. It is used by one thread.
struct ReportPage {
  static let name = "report.html"

  private(set) var hours = PageHours()
  private(set) var rows = PageRows()
  private(set) var keys = PageKeys()
  private(set) var codes = PageCodes()
  private(set) var apps = PageApps()
  private(set) var challenges = PageChallenges()
  private(set) var absences = PageAbsences()
  /// The requests of the worst keys, or nil if the report has no index.
  var history: PageHistory?
  var aside = PageAside()

  /// Takes a finding.
  mutating func add(_ reported: ReportedFinding) {
    let finding = reported.finding
    hours.add(finding)
    rows.add(reported)
    keys.add(finding)
    codes.add(finding, isNew: reported.isNew == true)
    challenges.add(finding)
    absences.add(finding)
  }

  /// Takes a row of `keys.csv`, after all findings.
  mutating func add(_ row: KeyRow) {
    var row = row
    row.takeTextOfTable()
    keys.add(row)
    apps.add(row)
  }

  /// Writes the whole page.
  func write(_ facts: PageFacts, to out: inout RowBuffer) {
    PageFrame.write(title: "App Attest audit", script: PageResource.script, to: &out) { out in
      PageBody(page: self, facts: facts).write(to: &out)
      out.append(ascii: "<script type=\"application/json\" id=\"data\">")
      PageData(page: self, builds: PageBuilds(totals: facts.builds)).write(to: &out)
      out.append(ascii: "</script>\n")
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
    out.append(ascii: "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    out.append(ascii: "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ")
    for (name, text) in [("script", script), ("style", PageResource.style)] {
      guard let text else { continue }
      out.append("\(name)-src 'sha256-")
      out.append(base64: Digest256.sha256(Array(text.utf8).span))
      out.append(ascii: "'; ")
    }
    out.append(ascii: "base-uri 'none'; form-action 'none'; ")
    out.append(ascii: "require-trusted-types-for 'script'\">\n")
    out.append(ascii: "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    out.append(ascii: "<meta name=\"referrer\" content=\"no-referrer\">\n")
    out.append("<title>\(title)</title>\n<style>")
    out.append(PageResource.style)
    out.append(ascii: "</style>\n</head>\n<body>\n")
    body(&out)
    if let script {
      out.append(ascii: "<script>")
      out.append(script)
      out.append(ascii: "</script>\n")
    }
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
