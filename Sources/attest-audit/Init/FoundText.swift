import AppAttest
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Basics
import LogDiscovery

/// The discovery as text: each field with its place, its certainty, and the number of lines.
struct FoundText {
  let discovery: Discovery
  let facts: SampleFacts
  /// The blind spots of the log (`reports.R77`).
  let blindSpots: [BlindSpot]

  var text: String {
    var lines = [summary]
    lines += discovery.sample.damages.map { "  \(OneLine.escape($0))" }
    lines += rules
    let draft = discovery.draft
    let shared =
      table(draft.shared) + draft.missing.map { "  not found       \(OneLine.escape($0))" }
    if !shared.isEmpty { lines += ["", "on all of them"] + shared }
    lines += [""] + apps
    lines.append(
      draft.isDefault
        ? "schema    default: every field is where it expects it"
          + (draft.hasPrefix ? ", after the text that precedes each line's JSON" : "")
        : draft.completeRules.isEmpty
          ? "schema    none: "
            + (draft.lacksKind
              ? "nothing distinguishes attestations from assertions"
              : "not enough was found to read the log by")
          : "schema    its own; replayScope \(draft.replays.isExact ? "exact" : "global"): "
            + draft.replays.reason)
    lines += shareLines
    lines += facts.likelyCauses.map { "cause     \(OneLine.escape($0.sentence))" }
    lines += blindSpots.map { "blind     \($0.spot.rawValue): \($0.evidence)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The lines on the rules of each shape, and on the fields that all of these have in common.
  private var rules: [String] {
    var lines: [String] = []
    let (rules, sample) = (discovery.draft.rules, discovery.sample)
    // In a log with several records in a line, each record is a line of the sample.
    let whole =
      sample.records.isEmpty ? facts.withToken.lines : sample.lines.count(where: \.holdsToken)
    for (index, rule) in rules.enumerated() {
      let count = rule.examples.count
      let shape = rule.name == rule.role.ruleName ? "" : " ('\(rule.name)')"
      let part =
        rule.role.hasToken ? ", \(Self.percent(count, of: whole)) of those with tokens" : ""
      lines += [
        "", "\(rule.role.plural)\(shape) on \(count) \(count == 1 ? "line" : "lines")\(part)",
      ]
      if !rule.conditions.isEmpty {
        let conditions = rule.conditions.map { OneLine.escape(SchemaWriter.text($0)) }
        lines.append("  when            " + conditions.joined(separator: ", "))
      }
      lines += table(rule.notes.filter { !rule.shapeFields.contains($0.field) })
      if !discovery.draft.isDefault {
        lines += rule.missing.map { "  not found       \(OneLine.escape($0))" }
      }
      let isLast = index + 1 == rules.count || rules[index + 1].shape != rule.shape
      if isLast, !rule.shapeFields.isEmpty {
        lines.append("on the lines of this shape")
        lines += table(rule.notes.filter { rule.shapeFields.contains($0.field) })
      }
    }
    return lines
  }

  private var summary: String {
    let sample = discovery.sample
    var parts = [
      "read \(SummaryNumber.counted(sample.count, "line")) of "
        + SummaryNumber.counted(sample.sources.count, "input")
    ]
    if sample.isPart { parts.append("the first of more") }
    if sample.unreadable > 0 { parts.append("\(sample.unreadable) unreadable") }
    if sample.overlong > 0 { parts.append("\(sample.overlong) longer than 1 MiB") }
    let malformed = discovery.malformed
    if malformed > 0 { parts.append(SummaryNumber.counted(malformed, "malformed token")) }
    return parts.joined(separator: ", ")
  }

  private func table(_ notes: [FieldNote]) -> [String] {
    let places = notes.map { OneLine.escape(SchemaWriter.place($0.mapping)) }
    let width = places.map(\.count).max() ?? 0
    return zip(notes, places).map { note, place in
      let mark = note.isActive ? note.sureness.rawValue : "a guess, left out"
      return "  " + note.field.name.padded(to: 16) + place.padded(to: min(width, 48))
        + "  \(OneLine.escape(note.evidence)) (\(mark))"
    }
  }

  private var apps: [String] {
    var lines = discovery.apps.apps.map { app in
      let doubt = discovery.apps.doubt(app)
      let seen = AttestEnvironment.allCases.filter { app.verified[$0, default: 0] > 0 }.map {
        "\(app.verified[$0, default: 0]) \($0.name)"
          + (app.needs($0) || doubt != nil ? "" : " (left out)")
      }
      let verified =
        seen.isEmpty
        ? "no attestation verified" : "attestations verified: " + seen.joined(separator: ", ")
      return "app       \(OneLine.escape(app.id))  \(doubt ?? discovery.apps.counts(app.tokens)); "
        + verified + (doubt == nil ? "" : " (left out)")
    }
    let unnamed = discovery.apps.unnamed
    if !unnamed.isEmpty {
      let tokens = discovery.apps.counts(unnamed.reduce(0) { $0 + $1.tokens })
      lines.append(
        "app       unknown: \(tokens), of \(SummaryNumber.counted(unnamed.count, "app")) that no line names: "
          + "use --app-id (left out)")
    }
    let tried = discovery.apps.verifications.tried
    if tried > 0, discovery.apps.verifications.valid == 0 {
      let why = discovery.apps.firstFailure.map { ": \(OneLine.escape($0))" } ?? "."
      lines.append(
        "trust     none of \(tried) attestations verified\(why) If another root than Apple's signed them, as in a test "
          + "system, name it with --trust-anchor.")
    }
    return lines
  }

  private var shareLines: [String] {
    let tokens = facts.withToken
    var lines = [
      "reads     \(Self.share(facts.all)) of all lines, \(Self.share(tokens)) of those that contain "
        + "tokens"
    ]
    if tokens.rejected > 0 {
      lines.append("          \(tokens.rejected) of these cannot be read: each is a finding")
    }
    if tokens.partial > 0 {
      lines.append("          \(tokens.partial) contain more tokens than the rules read")
    }
    if tokens.skipped > 0 {
      lines.append("          \(tokens.skipped) that contain tokens would be skipped")
    }
    if let (line, text) = facts.firstUnread {
      let reason = text.hasSuffix(".") ? text.dropLast() : text[...]
      lines.append(
        OneLine.escape(
          "          such as line \(line.number) of \(discovery.sample.sources[line.source]): \(reason): \(line.head)"
        )
      )
    }
    return lines
  }

  /// Returns a share as `95.2 % (20 of 21)`. It is never rounded up to a hundred.
  private static func share(_ count: SampleFacts.Count) -> String {
    count.lines == 0
      ? "none" : "\(percent(count.read, of: count.lines)) (\(count.read) of \(count.lines))"
  }

  private static func percent(_ part: Int, of whole: Int) -> String {
    let tenths = part * 1000 / max(1, whole)
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
