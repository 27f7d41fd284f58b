import AuditLog
import Basics
import Foundation

/// A reader of the form of times: `format`, `unit` and `zone`.
enum TimeFormReader {
  /// The words for formats, and their units. A word with nil needs a `unit` beside it.
  static let words: [(String, TimeUnit?)] = [
    ("rfc3339", .rfc3339), ("clf", nil), ("epoch", nil), ("epoch s", .s), ("epoch ms", .ms),
    ("epoch us", .us), ("epoch µs", .us), ("epoch ns", .ns),
  ]

  static func read(_ members: [String: PipelineNode]) throws(CommandError) -> TimeForm {
    var form = TimeForm()
    if let unit = members["unit"] {
      let word = try "epoch " + unit.verbatim()
      form.unit = words.first { $0.0 == word }?.1
      if form.unit == nil { form.unit = try unit.value(.cases) }
    }
    if let format = members["format"] { try read(format, into: &form) }
    guard let zone = members["zone"] else {
      if let format = members["format"], let pattern = form.pattern, !pattern.hasZone {
        throw format.error(
          "times of this format carry no zone", hint: "add it beside the format: 'zone: UTC'")
      }
      return form
    }
    try zone.require(
      form.unit == nil || form.unit == .rfc3339, "a number counts from 1970 in UTC, and has no zone"
    )
    try zone.require(form.pattern?.hasZone != true, "times of this format carry their zone")
    form.zone = try rules(zone)
    return form
  }

  private static func read(_ node: PipelineNode, into form: inout TimeForm) throws(CommandError) {
    let text = try node.verbatim()
    let word = text.replacing("_", with: " ").replacing("-", with: " ")
    if word == "epoch" {
      try node.require(
        form.unit != nil && form.unit != .rfc3339, "an epoch needs a unit",
        hint: "add 'unit: ms', or write 'format: epoch ms'")
      return
    }
    try node.require(
      form.unit == nil, "'format' and 'unit' exclude each other",
      hint: "use 'unit' only with 'epoch'")
    if word == "clf" {
      form.pattern = .clf
    } else if let known = words.first(where: { $0.0 == word }) {
      form.unit = known.1
    } else if text.contains("%") {
      do throws(SchemaProblem) {
        form.pattern = try TimePattern(parsing: text)
      } catch {
        throw node.error("the pattern '\(text)' \(error.text)")
      }
    } else {
      throw node.error(
        "'\(text)' is not a format of times",
        hint: "use rfc3339, clf, epoch with a unit, or a pattern such as '%Y-%m-%d %H:%M:%S%f'")
    }
  }

  // MARK: Zones

  /// The years for which the clock changes of zones are known. Tokens are not older than 2015.
  private static let years = 1_420_070_400..<4_102_444_800
  private static let week = 7 * 86_400

  private static func rules(_ node: PipelineNode) throws(CommandError) -> ZoneRules {
    let text = try node.verbatim()
    if let fixed = ZoneRules(offset: text) { return fixed }
    guard text.contains(where: \.isLetter), let zone = TimeZone(identifier: text) else {
      throw node.error(
        "'\(text)' is not a time zone",
        hint: "write a name such as Europe/Vienna, or an offset: '+01:00'")
    }
    func offset(_ seconds: Int) -> Int {
      zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    }
    func shift(_ seconds: Int) -> ZoneRules.Shift {
      .init(from: Int64(seconds) * 1000, offset: Int64(offset(seconds)) * 1000)
    }
    var shifts = [shift(years.lowerBound)]
    // No place changes its clocks and changes them back within a week.
    for start in stride(from: years.lowerBound, to: years.upperBound, by: week)
    where offset(start) != offset(start + week) {
      shifts.append(shift((start..<start + week).searched { offset($0) == offset(start) }))
    }
    return ZoneRules(name: text, shifts: shifts)
  }
}
