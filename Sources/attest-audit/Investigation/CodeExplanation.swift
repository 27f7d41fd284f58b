import AuditEngine
import AuditLog
import Basics

/// An entry of the catalogue of finding codes as text.
struct CodeExplanation {
  private static let indent = 14

  let entry: FindingEntry
  /// The likely causes of a report, those of other codes too.
  var causes: [LikelyCause] = []

  /// The text of the whole explanation, ending in a line break.
  var text: String {
    var lines = ["\(entry.name): \(entry.title)"]
    lines += [
      ("severity", severity), ("means", entry.meaning), ("abuse", entry.abuse),
      ("harmless", entry.harmless), ("what to do", entry.remedy),
    ].map(Self.row)
    for cause in causes where cause.codes.contains(where: { $0.name == entry.name }) {
      lines.append(Self.row("cause", cause.sentence))
    }
    lines.append(Self.row("page", entry.address))
    return lines.joined(separator: "\n") + "\n"
  }

  /// The list of all codes, one line each: name, severity, title.
  static var list: String {
    FindingCatalogue.entries.map { entry in
      entry.name.padded(to: 35, least: 1) + entry.severity.name.padded(to: 9, least: 1)
        + entry.title + "\n"
    }.joined()
  }

  /// The usual severity, and those that depend on the server's decision.
  var severity: String {
    let usual = entry.severity.name
    switch (entry.decision, entry.severity) {
    case (.none, _), (.follows, .info), (.follows, .low): return usual + "."
    case (.hides, _):
      return usual
        + "; high if the server accepted the request, or if the record has a token and the server "
        + "did not reject the request."
    case (.follows, .high):
      return usual + "; critical if the server accepted the request, low if it rejected it."
    case (.follows, _): return usual + "; low if the server rejected the request."
    }
  }

  /// The name by which `explain` prints blind spots.
  static let blindSpots = "blind-spots"

  /// Returns what logs with these blind spots cannot show, and what to do about each.
  static func text(of spots: [BlindSpot]) -> String {
    guard !spots.isEmpty else { return "no blind spots\n" }
    let introduction = TextWrap.lines(
      "A blind spot is something that the log cannot show. Each has an attack that leaves the log as it "
        + "is, the findings that therefore cannot appear, and what to log or configure.",
      hang: 0)
    let entries = spots.map { spot in
      var lines = [spot.spot.rawValue]
      for (heading, text) in [
        ("evidence", spot.evidence), ("hides", spot.hides),
        ("findings", hidden(spot.codes)), ("what to do", spot.action),
      ] where !text.isEmpty {
        lines.append(row(heading, text))
      }
      return lines.joined(separator: "\n") + "\n"
    }
    return introduction.joined(separator: "\n") + "\n\n" + entries.joined(separator: "\n")
  }

  /// Returns the words on codes that cannot appear.
  private static func hidden(_ codes: [FindingCode]) -> String {
    codes.isEmpty ? "" : codes.map(\.name).joined(separator: ", ") + " cannot appear."
  }

  /// Returns a text behind its heading.
  private static func row(_ heading: String, _ text: String) -> String {
    ("  " + heading).padded(to: indent, least: 2) + text
  }
}
