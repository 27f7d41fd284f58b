import Foundation
import TestSupport
import Testing

/// Hostile text in request identifiers, subjects, App IDs and paths does nothing, wherever it is shown.
struct EndHostileTextTests {
  private static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "=cmd|'/C calc'!A1", "@SUM(1)",
    "\t=1+1", "\u{1B}[2J\u{1B}]0;owned\u{7}", "\u{202E}gnp.exe\u{2066}", "\u{9B}31m", "-->]]>&lt;",
    "a\r\nb,\"c\"", "\u{0}x", "+1-1", "\u{2028}{{7*7}}",
  ]

  /// A name that would drive a terminal, a page and a spreadsheet.
  private static let name = #"$'=cmd|<img src=x onerror=alert(1)>\e[2J\xe2\x80\xae"\'.jsonl'"#

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let forged = try Program.forge(
      [
        "--out", "day", "--attacks", "replay,counter,challenge,record", "--seed", "9",
        "--keys", "6", "--assertions", "80", "--files", "1",
      ], in: scratch.path)
    #expect(forged.status == 0, "\(forged.errors)")
    var lines: [[UInt8]] = []
    for file in try scratch.contents("day/logs") {
      lines += try Packed.unpack(scratch.bytes("day/logs/" + file)).split(separator: 10)
        .map(Array.init)
    }
    var out: [UInt8] = []
    for (number, line) in lines.enumerated() {
      let text = Self.texts[number % Self.texts.count]
      guard
        var fields = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      else {
        out += line + [10]
        continue
      }
      fields["requestId"] = text + "\(number)"
      fields["subject"] = text + "\(number % 7)"
      if number % 5 == 0 { fields["appId"] = text }
      let bytes = try JSONSerialization.data(withJSONObject: fields)
      // What is not UTF-8 is shown as U+FFFD.
      out += Array(bytes) + [10]
    }
    try scratch.write("plain", out)
    try scratch.write("move.sh", "mkdir logs && mv plain logs/\(Self.name)\n")
    let moved = try Program.run([], in: scratch.path, shell: "exec bash move.sh")
    #expect(moved.status == 0, "\(moved.errors)")
  }

  /// Expects that nothing in a text drives a terminal or turns letters round. In a table nothing else
  /// than control characters is shown as an escape: letters may be joined by invisible ones.
  private func expectInert(_ text: String, _ what: String, isTable: Bool = false) {
    for scalar in text.unicodeScalars {
      let isLineEnd = scalar == "\n" || scalar == "\r" && isTable
      let drives: Set<Unicode.GeneralCategory> =
        isTable ? [.control] : [.control, .format, .lineSeparator]
      #expect(
        isLineEnd || !drives.contains(scalar.properties.generalCategory),
        "\(what): U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test func `in a terminal, in tables, in pictures and on the page`() throws {
    func run(_ arguments: [String], _ statuses: Set<Int32> = [0, 1]) throws -> String {
      let outcome = try Program.run(arguments, in: scratch.path)
      #expect(statuses.contains(outcome.status), "\(arguments): \(outcome.errors)")
      expectInert(
        outcome.output, arguments[0],
        isTable: arguments.contains("csv") || arguments.contains("jsonl"))
      expectInert(outcome.errors, arguments[0])
      return outcome.output
    }
    _ = try run(
      [
        "audit", "logs", "--pipeline", "day/pipeline.yaml", "--out", "r", "--index", "--verdicts",
        "--format", "ocsf,ecs,timesketch",
      ], [1, 2])
    let rows = try scratch.report("r").findingRows
    #expect(rows.count > 20)
    for name in ["findings.csv", "keys.csv"] {
      expectInert(try scratch.report("r").text(name), name, isTable: true)
    }
    for row in try rows + scratch.report("r").keyRows {
      for column in ["request_id", "app_id", "subject", "detail"] {
        #expect(!"=+-@\t\r".contains(row[column]?.first ?? " "), "\(row)")
      }
    }
    let fingerprints = rows.compactMap { $0["fingerprint"] }.prefix(30)
    _ = try run(["explain"] + fingerprints + ["--report", "r"])
    _ = try run(["evidence"] + fingerprints.prefix(5) + ["--report", "r", "--out", "case"])
    let key = try #require(rows.first { $0["code"] == "replay.assertion" }?["key_id"])
    for format in ["text", "csv"] {
      _ = try run(
        ["timeline", "--key", key, "--report", "r", "--format", format, "--svg", "k.svg"])
    }
    for subject in Self.texts.indices.prefix(7) {
      #expect(
        try !run(
          [
            "timeline", "--subject", Self.texts[subject] + "0", "--report", "r", "--format",
            "jsonl",
          ]
        ).contains("\u{1B}"))
    }
    _ = try run(["diff", "r", "r"])
    let picture = try String(decoding: scratch.bytes("k.svg"), as: UTF8.self)
    expectInert(picture, "svg")
    #expect(!picture.contains("<img") && !picture.contains("<script"))
    guard Browser.path != nil else { return }
    let look = try Browser.look(
      at: scratch.path + "/r/report.html",
      [
        "document.querySelectorAll('img, iframe, object, embed').length",
        "document.scripts.length",
        "(document.querySelectorAll('details').forEach((d) => { d.open = true; }), document.body.innerText)",
        "document.body.innerText.includes('onerror=alert(1)')",
      ])
    #expect(look.console == [] && look.requests == [])
    #expect(look.values[0] == "0" && look.values[1] == "2" && look.values[3] == "true")
    for scalar in look.values[2].unicodeScalars where !"\n\t".unicodeScalars.contains(scalar) {
      #expect(![.control, .format].contains(scalar.properties.generalCategory))
    }
  }
}
