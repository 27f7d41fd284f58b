import Foundation
import TestSupport
import Testing

/// `report.html` of the forged day, looked at and used in Chromium.
@Suite(.enabled(if: Browser.path != nil, "chromium is not installed"))
struct EndBrowserTests {
  /// The report of the forged day in `testdata/`, made once; with an index, so that plots are whole.
  private static let day = Result {
    let scratch = try Scratch()
    let outcome = try Program.run(
      [
        "audit", "--pipeline", "testdata/pipeline.yaml", "--index", "--quiet", "--out",
        scratch.path + "/report",
      ], in: Repository.root)
    #expect(outcome.status == 2)
    return scratch
  }

  private let scratch: Scratch
  private var page: String { scratch.path + "/report/report.html" }

  init() throws { scratch = try Self.day.get() }

  private func look(
    _ fragment: String, _ expressions: [String], _ manner: Browser.Manner = .init()
  ) throws -> [String] {
    let look = try Browser.look(at: page, fragment: fragment, expressions, manner)
    #expect(look.console == [] && look.requests == [])
    return look.values
  }

  private static let rows = "document.querySelectorAll('#rows > tr').length"
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
      "Place\(row["source"] ?? ""):\(row["line"] ?? "")",
      "Earlier place\(row["related_source"] ?? ""):\(row["related_line"] ?? "")",
      "attest-audit explain \(fingerprint) --report \(scratch.path)/report",
      "attest-audit evidence \(fingerprint) --report",
    ] {
      #expect(values[3].contains(part), "\(values[3])")
    }
  }

  @Test func `filters, sorting and links work as a person uses them`() throws {
    let table = try scratch.report().findingRows
    let key = try #require(table.first { $0["code"] == "replay.cross_key" }?["key_id"])
    let hash = try #require(table.first { $0["code"] == "replay.cross_key" })["client_data_hash"]
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
    let clear = "(document.querySelector('button[type=reset]').click(), location.hash + ' ' + \(Self.rows))"
    for (name, value, expected) in [
      ("severity", "high", count("severity", "high")),
      ("code", "key.unknown", count("code", "key.unknown")),
      ("decision", "rejected", count("decision", "rejected")),
      ("decision", "unknown", count("decision", "")),
      ("key", String(key.prefix(12)), count("key_id", key)),
      ("app", app, count("app_id", app)), ("request", request, count("request_id", request)),
    ] {
      let values = try look("", [fill(name, value), clear])
      let fragment = "#\(name)=\(value)"
      #expect(values == ["\(fragment) \(expected)", " \(min(100, table.count))"], "\(name)")
    }
    let values = try look(
      "",
      [
        "(document.querySelector('th[data-sort=place] button').click(), location.hash)",
        "document.querySelector('th[data-sort=place]').getAttribute('aria-sort')",
        "[...document.querySelectorAll('#rows td[data-name=Place]')].map((c) => c.textContent)"
          + ".every((t, i, all) => !i || all[i - 1].split(':')[0] <= t.split(':')[0])",
        "(document.querySelector('a[href=\"#hash=\(hash ?? "")\"]').click(), "
          + "new Promise((done) => setTimeout(() => done(\(Self.rows)), 50)))",
        // The way back is a link's.
        "(history.back(), new Promise((done) => setTimeout(() => done(location.hash), 300)))",
        // A cell of the strip leads to its findings.
        """
        (() => { const cell = document.querySelector('table.strip td a'); cell.click();
        return new Promise((done) => setTimeout(() => done(
          cell.getAttribute('aria-label').split(' ')[0].replace('one', '1') === String(\(Self.rows))), 50)); })()
        """,
        // The arrow keys go from cell to cell, of which one is a stop for the tabulator.
        """
        (() => { const cells = [...document.querySelectorAll('table.strip td:not(.sum) a')]; cells[0].focus();
        cells[0].dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
        return document.activeElement === document.querySelectorAll('table.strip td a')[1]; })()
        """,
      ])
    #expect(values[0...2] == ["#sort=place", "ascending", "true"])
    #expect(values[3] == "\(count("client_data_hash", hash ?? ""))")
    #expect(values[4...6] == ["#sort=place", "true", "true"])
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
    let report = try scratch.report("two")
    let (new, withdrawn, accepted) = (
      try report.count("findings.csv"), try report.count("withdrawn.csv"),
      try report.count("accepted.csv")
    )
    #expect(new > 0 && withdrawn > 0 && accepted > 0)
    let look = try Browser.look(
      at: scratch.path + "/two/report.html",
      ["All", "New", "Known", "Withdrawn", "Accepted"].map { tab in
        """
        (() => { const tab = [...document.querySelectorAll('.tabs a')].find((a) => a.textContent.startsWith('\(tab)'));
        tab.click(); return new Promise((done) => setTimeout(() => done(
          document.getElementById('status').textContent + '|' + tab.getAttribute('aria-current')), 50)); })()
        """
      })
    #expect(look.console == [] && look.requests == [])
    #expect(look.values.allSatisfy { $0.hasSuffix("|page") }, "\(look.values)")
    #expect(look.values[0].hasPrefix("\(new) of \(new) findings"))
    #expect(look.values[3].hasPrefix("\(min(500, withdrawn)) of "))
    #expect(look.values[4].hasPrefix("\(accepted) of \(accepted) accepted findings"))
  }

  /// What a checker of accessibility looks at: each expression lists what breaks a rule.
  private static let rules = [
    "one h1": "document.querySelectorAll('h1').length === 1 ? [] : ['h1']",
    "a language, a title, a main part, a way past the head": """
      [document.documentElement.lang === 'en', document.title, document.querySelector('main'),
       document.querySelector('a.skip')].map((is, i) => is ? null : i).filter((x) => x !== null)
      """,
    "headings without a step left out": """
      [...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.localName[1]))
      .filter((level, i, all) => i && level > all[i - 1] + 1)
      """,
    "every identifier once": """
      [...document.querySelectorAll('[id]')].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)
      """,
    "every field has a label": """
      [...document.querySelectorAll('input, select')].filter((f) => !f.labels.length).map((f) => f.name)
      """,
    "every link and button has a name": """
      [...document.querySelectorAll('a, button')].filter((e) => !(e.textContent.trim()
        || e.getAttribute('aria-label') || e.querySelector('title'))).map((e) => e.outerHTML)
      """,
    "every link leads somewhere": """
      [...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))
      .filter((h) => !h.includes('=') && !document.getElementById(h.slice(1)))
      """,
    "heads of tables have a scope": """
      [...document.querySelectorAll('th')].filter((h) => h.textContent && !h.scope).map((h) => h.outerHTML)
      """,
    "pictures have a name": """
      [...document.querySelectorAll('svg')].filter((s) => !s.getAttribute('aria-label')).length ? ['svg'] : []
      """,
    "no order of its own for the tabulator": """
      [...document.querySelectorAll('[tabindex]')].filter((e) => e.tabIndex > 0).map((e) => e.outerHTML)
      """,
    "lists hold nothing but their parts": """
      [...document.querySelectorAll('dl > :not(dt):not(dd), ol > :not(li), ul > :not(li)')].map((e) => e.outerHTML)
      """,
    "text stands out 4.5 to 1": """
      (() => { const parse = (c) => { const n = c.match(/[\\d.]+/g).map(Number); return n.length > 3 && n[3] === 0 ? null : n; };
      const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b; };
      const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c) return c; } return [255, 255, 255]; };
      const bad = new Set();
      for (const e of document.querySelectorAll('body *')) {
        if (!['script', 'option'].includes(e.localName) && !e.closest('svg, table.strip') && e.getClientRects().length
          && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) {
          const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
          const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
          if (ratio < 4.5) bad.add(e.localName + '.' + e.className + ' ' + ratio.toFixed(2));
        }
      } return [...bad]; })()
      """,
    "numbers in the strip stand out from their cells": """
      (() => { const hex = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim().match(/\\w\\w/g).map((p) => parseInt(p, 16));
      const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b; };
      const bad = [], ink = light(hex('--ink')), well = hex('--well');
      for (const td of document.querySelectorAll('table.strip td[class]:not(.sum)')) {
        const before = getComputedStyle(td, '::before'), fill = before.backgroundColor.match(/[\\d.]+/g).map(Number), part = Number(before.opacity);
        const mixed = light(well.map((v, i) => v * (1 - part) + fill[i] * part));
        const ratio = (Math.max(ink, mixed) + .05) / (Math.min(ink, mixed) + .05);
        if (ratio < 4.5) bad.push(td.className + ' ' + ratio.toFixed(2));
      } return [...new Set(bad)]; })()
      """,
  ].sorted { $0.key < $1.key }

  @Test(arguments: ["light", "dark"])
  func `it keeps the rules of accessibility, in the light and in the dark`(
    _ scheme: String
  ) throws {
    var manner = Browser.Manner()
    manner.scheme = scheme
    // All is opened first, so that nothing hides.
    let open = "(document.querySelectorAll('details').forEach((d) => { d.open = true; }), '')"
    let values = try look("", [open] + Self.rules.map(\.value), manner).dropFirst()
    for (rule, value) in zip(Self.rules, values) { #expect(value == "[]", "\(rule.key)") }
  }

  @Test(arguments: [320, 640, 1280]) func `nothing goes beyond the side`(_ width: Int) throws {
    var manner = Browser.Manner()
    manner.width = width
    let wide = """
      (() => { const wide = document.documentElement.scrollWidth - innerWidth;
      return wide > 0 ? [...document.querySelectorAll('body *')].filter((e) => !e.closest('.scroll')
        && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)) : []; })()
      """
    let open = "(document.querySelectorAll('details').forEach((d) => { d.open = true; }), '')"
    #expect(try look("", [wide, open, wide], manner) == ["[]", "", "[]"])
  }

  @Test func `on paper there are no controls, and heads of tables come again`() throws {
    var manner = Browser.Manner()
    (manner.media, manner.scheme, manner.width) = ("print", "dark", 794)
    let values = try look(
      "",
      [
        "[...document.querySelectorAll('nav, form, .tabs, #more')].filter((e) => e.getClientRects().length).length",
        "getComputedStyle(document.querySelector('thead')).display",
        "getComputedStyle(document.body).backgroundColor", "getComputedStyle(document.body).color",
      ], manner)
    #expect(values == ["0", "table-header-group", "rgb(255, 255, 255)", "rgb(0, 0, 0)"])
  }

  @Test func `a key's replay is joined to its original, and all of its requests are drawn`() throws {
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
    #expect(values[0...2] == ["1", "1", "true"])
    #expect(values[3].contains("1 replay joined to the original"))
  }
}

extension ReportFolder {
  /// Returns the number of rows of a CSV file.
  fileprivate func count(_ name: String) throws -> Int { try CSVTable.rows(bytes(name)).count }
}
