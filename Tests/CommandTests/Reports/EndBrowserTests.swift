import Foundation
import TestSupport
import Testing

/// `report.html` of the forged day, examined and used in Chromium.
@Suite(.enabled(if: Browser.path != nil, "chromium is not installed"))
struct EndBrowserTests {
  private let scratch = ForgedReport.shared.scratch
  private var page: String { scratch.path + "/report/report.html" }

  private func look(
    _ fragment: String, _ expressions: [String], _ manner: Browser.Manner = .init()
  ) throws -> [String] {
    let look = try Browser.look(at: page, fragment: fragment, expressions, manner)
    #expect(look.console == [] && look.requests == [])
    return look.values
  }

  private static let rows = "document.querySelectorAll('#rows > tr').length"
  private static let open =
    "(document.querySelectorAll('details').forEach((d) => { d.open = true; }), '')"
  private static let status = "document.getElementById('status').textContent"

  @Test func `it shows every finding, asks for nothing, and says nothing on the console`() throws {
    let count = try scratch.report().findingRows.count
    let values = try look("", [Self.rows, Self.status, "document.title"])
    #expect(values[0] == "\(min(100, count))")
    #expect(values[1] == "\(count) of \(count) findings")
  }

  @Test func `a fragment is a filter, and a fingerprint leads to its finding`() throws {
    let table = try scratch.report().findingRows
    let critical = table.count { $0["severity"] == "critical" && $0["decision"] == "accepted" }
    #expect(
      try look("#severity=critical&decision=accepted", [Self.rows]) == ["\(critical)"])
    let row = try #require(table.first { $0["code"] == "replay.assertion" })
    let fingerprint = row["fingerprint"] ?? ""
    let values = try look(
      "#fingerprint=\(fingerprint)",
      [
        Self.rows, "document.activeElement.closest('tr').className",
        "document.querySelector('#rows details').open",
        "document.querySelector('#rows dl').textContent + document.querySelectorAll('#rows dl')[1]"
          + ".textContent",
      ])
    #expect(values[0...2] == ["1", "target", "true"])
    for part in [
      "source\(row["source"] ?? "")line\(row["line"] ?? "")",
      "related source\(row["related_source"] ?? "")related line\(row["related_line"] ?? "")",
      "attest-audit explain \(fingerprint) --report \(scratch.path)/report",
      "attest-audit evidence \(fingerprint) --report",
    ] {
      #expect(values[3].contains(part), "\(values[3])")
    }
  }

  @Test func `filters, sorting and links work as a person uses them`() throws {
    let table = try scratch.report().findingRows
    let key = try #require(table.first { $0["code"] == "replay.cross_key" }?["key_id"])
    func fill(_ name: String, _ value: String) -> String {
      """
      (() => { const field = document.forms[0].elements['\(name)']; field.value = '\(value)';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
      return location.hash + ' ' + \(Self.rows); })()
      """
    }
    func count(_ column: String, _ value: String) -> Int {
      table.count { $0[column] == value }
    }
    let app = table.first { !($0["app_id"] ?? "").isEmpty }?["app_id"] ?? ""
    let request = table.first { !($0["request_id"] ?? "").isEmpty }?["request_id"] ?? ""
    let clear =
      "(document.querySelector('button[type=reset]').click(), "
      + "location.hash + ' ' + \(Self.rows))"
    let filters = [
      ("severity", "high", count("severity", "high")),
      ("code", "key.unknown", count("code", "key.unknown")),
      ("decision", "rejected", count("decision", "rejected")),
      ("decision", "unknown", count("decision", "")),
      ("key", String(key.prefix(12)), count("key_id", key)),
      ("app", app, count("app_id", app)), ("request", request, count("request_id", request)),
    ]
    let filtered = try look("", filters.flatMap { [fill($0.0, $0.1), clear] })
    for (index, (name, value, expected)) in filters.enumerated() {
      #expect(
        filtered[2 * index...2 * index + 1]
          == ["#\(name)=\(value) \(expected)", " \(min(100, table.count))"], "\(name)")
    }
    let values = try look(
      "",
      [
        "(document.querySelector('th[data-sort=place] button').click(), location.hash)",
        "document.querySelector('th[data-sort=place]').getAttribute('aria-sort')",
        "[...document.querySelectorAll('#rows td[data-name=Place]')].map((c) => c.textContent)"
          + ".every((t, i, all) => !i || all[i - 1].split(':')[0] <= t.split(':')[0])",
        "(document.querySelector('a[href=\"#code=key.unknown\"]').click(), "
          + "new Promise((done) => setTimeout(() => done(\(Self.rows)), 50)))",
        // The way back is a link's.
        "(history.back(), new Promise((done) => setTimeout(() => done(location.hash), 300)))",
        // A cell of the strip leads to its findings.
        """
        (() => { const cell = document.querySelector('table.strip td a'); cell.click();
        const count = cell.getAttribute('aria-label').split(' ')[0].replace('one', '1');
        return new Promise((done) => setTimeout(() => done(count === String(\(Self.rows))), 50)); })()
        """,
        // The arrow keys go from cell to cell, of which one is a stop for the tabulator.
        """
        (() => { const cells = document.querySelectorAll('table.strip td a'); cells[0].focus();
        const right = new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true });
        cells[0].dispatchEvent(right);
        return document.activeElement === cells[1] && cells[0].tabIndex === -1; })()
        """,
      ])
    #expect(values[0...2] == ["#sort=place", "ascending", "true"])
    #expect(values[3] == "\(count("code", "key.unknown"))")
    #expect(values[4...6] == ["#sort=place", "true", "true"])
  }

  @Test func `a build leads to the findings of its keys`() throws {
    let table = try scratch.report().findingRows
    let builds = try #require(
      try JSONSerialization.jsonObject(with: Data(scratch.report().text("summary.json").utf8))
        as? [String: Any])["builds"]
    let uses = try #require((builds as? [String: Any])?["byHour"] as? [[String: Any]])
    let number = try #require(uses.firstIndex { $0["outside"] as? Int ?? 0 > 0 })
    let keys = try #require(uses[number]["keyPrefixes"] as? [String])
    let expected = table.count { row in keys.contains { row["key_id"]?.hasPrefix($0) == true } }
    let values = try look(
      "",
      [
        "(document.querySelector('table.builds a[href=\"#build=\(number)\"]').click(), "
          + "new Promise((done) => setTimeout(() => done(\(Self.rows) + ' ' + \(Self.status)), 50)))"
      ])
    #expect(expected > 0 && values[0].hasPrefix("\(expected) \(expected) of "))
    #expect(values[0].contains(" findings of the build "))
  }

  @Test func `tabs show what is new, known, withdrawn and accepted`() throws {
    let scratch = try Scratch()
    let state = scratch.path + "/state"
    let text = try String(
      contentsOfFile: Repository.root + "/testdata/pipeline.yaml", encoding: .utf8)
    let folder = Repository.root + "/testdata"
    try scratch.write(
      "p.yaml",
      text.replacing("logs/", with: folder + "/logs/")
        .replacing("anchors/", with: folder + "/anchors/")
        .replacing("known-keys.csv", with: folder + "/known-keys.csv")
        + "accept: [{code: challenge.weak, severity: critical, reason: known, expires: 2099-01-01}]\n"
    )
    let logs = try FileManager.default.contentsOfDirectory(atPath: folder + "/logs")
      .filter { $0.hasPrefix("edge-a") }.map { folder + "/logs/" + $0 }
    for (name, inputs) in [("one", logs), ("two", [])] {
      let outcome = try Program.run(
        ["audit"] + inputs + [
          "--pipeline", "p.yaml", "--state", state, "--settle", "0s", "--out", name, "--quiet",
        ], in: scratch.path)
      #expect(outcome.status < 3, "\(outcome.errors)")
    }
    let report = scratch.report("two")
    let (new, withdrawn, accepted) = (
      try report.count("findings.csv"), try report.count("withdrawn.csv"),
      try report.count("accepted.csv")
    )
    #expect(new > 0 && withdrawn > 0 && accepted > 0)
    let look = try Browser.look(
      at: scratch.path + "/two/report.html",
      ["All", "New", "Known", "Withdrawn", "Accepted"].map { tab in
        """
        (() => { const tabs = [...document.querySelectorAll('.tabs a')];
        const tab = tabs.find((a) => a.textContent.startsWith('\(tab)'));
        tab.click(); return new Promise((done) => setTimeout(() => done(
          \(Self.status) + '|' + tab.getAttribute('aria-current')), 50)); })()
        """
      })
    #expect(look.console == [] && look.requests == [])
    #expect(look.values.allSatisfy { $0.hasSuffix("|page") }, "\(look.values)")
    #expect(look.values[0].hasPrefix("\(new) of \(new) findings"))
    #expect(look.values[3].hasPrefix("\(min(500, withdrawn)) of "))
    #expect(look.values[4].hasPrefix("\(accepted) of \(accepted) accepted findings"))
  }

  @Test(arguments: ["light", "dark"])
  func `it keeps the rules of accessibility, in the light and in the dark`(
    _ scheme: String
  ) throws {
    var manner = Browser.Manner()
    manner.scheme = scheme
    // All is opened first, so that nothing hides.
    let rules = TextCase.read("page-rules")
    let values = try look("", [Self.open] + rules.map(\.text), manner).dropFirst()
    for (rule, value) in zip(rules, values) { #expect(value == "[]", "\(rule)") }
  }

  @Test(arguments: [320, 640, 1280]) func `nothing goes beyond the side`(_ width: Int) throws {
    var manner = Browser.Manner()
    manner.width = width
    let wide = """
      (() => { const wide = document.documentElement.scrollWidth - innerWidth;
      return wide <= 0 ? [] : [...document.querySelectorAll('body *')]
        .filter((e) => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => e.outerHTML.slice(0, 80)); })()
      """
    #expect(try look("", [wide, Self.open, wide], manner) == ["[]", "", "[]"])
  }

  @Test func `on paper there are no controls, and heads of tables come again`() throws {
    var manner = Browser.Manner()
    (manner.media, manner.scheme, manner.width) = ("print", "dark", 794)
    let values = try look(
      "",
      [
        "[...document.querySelectorAll('nav, form, .tabs, #more')]"
          + ".filter((e) => e.getClientRects().length).length",
        "getComputedStyle(document.querySelector('thead')).display",
        "getComputedStyle(document.body).backgroundColor", "getComputedStyle(document.body).color",
      ], manner)
    #expect(values == ["0", "table-header-group", "rgb(255, 255, 255)", "rgb(0, 0, 0)"])
  }

  @Test func `a key's replay is joined to its original, and all of its requests are drawn`() throws
  {
    let table = try scratch.report().findingRows
    let key = try #require(
      table.first { $0["code"] == "replay.assertion" && $0["decision"] == "accepted" }?["key_id"])
    let plot =
      "[...document.querySelectorAll('.plot')].find((p) => p.querySelector('a').title === '\(key)')"
    let values = try look(
      "",
      [
        "\(plot).querySelectorAll('path.arc').length", "\(plot).querySelectorAll('.ring').length",
        "\(plot).querySelectorAll('.dot').length > 0", "\(plot).textContent",
      ])
    let count = table.count { $0["code"] == "replay.assertion" && $0["key_id"] == key }
    #expect(values[0...2] == ["\(count)", "\(count)", "true"])
    #expect(values[3].contains("\(count) replays joined to the original"))
  }
}

extension ReportFolder {
  /// Returns the number of rows of a CSV file.
  fileprivate func count(_ name: String) throws -> Int { try CSVTable.rows(bytes(name)).count }
}
