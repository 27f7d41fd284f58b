import AppAttest
import Basics
import LogDiscovery

/// The discovery as text: each field with its place, its certainty, and the number of lines.
struct FoundText {
  let discovery: Discovery
  let share: ReadShare

  /// The largest number of apps without a name that are listed one by one.
  private static let unnamedLimit = 3

  var text: String {
    var lines = [summary]
    lines += discovery.sample.damages.map { "  \(OneLine.escape($0))" }
    let fields = FieldText(pointers: discovery.sample.pointers)
    lines += rules(fields)
    let shared =
      table(discovery.schema.shared, fields)
      + discovery.schema.missing.map { "  not found       \($0)" }
    if !shared.isEmpty { lines += ["", "on all of them"] + shared }
    lines += [""] + apps
    lines.append(
      discovery.schema.isDefault
        ? "schema    default: everything stands where it looks for it"
          + (discovery.schema.hasPrefix ? ", behind what is in front of each line" : "")
        : "schema    its own; replayScope \(discovery.schema.replayScope): \(discovery.schema.replayReason)"
    )
    lines += shareLines
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the lines on the rules of each shape, and on the fields that all of these have in
  /// common.
  private func rules(_ fields: FieldText) -> [String] {
    var lines: [String] = []
    let rules = discovery.schema.rules
    for (index, rule) in rules.enumerated() {
      let count = rule.examples.count
      let shape = rule.name == rule.role.ruleName ? "" : " ('\(rule.name)')"
      let part = rule.role.hasToken ? ", \(percent(count)) of those with tokens" : ""
      lines += [
        "",
        "\(rule.role.plural)\(shape) on \(count) \(count == 1 ? "line" : "lines")\(part)",
      ]
      if !rule.conditions.isEmpty {
        let conditions = rule.conditions.map { OneLine.escape(fields.condition($0)) }
        lines.append("  when            " + conditions.joined(separator: ", "))
      }
      lines += table(rule.fields.filter { !rule.shapeFields.contains($0.name) }, fields)
      if !discovery.schema.isDefault {
        lines += rule.missing.map { "  not found       \(OneLine.escape($0))" }
      }
      let isLast = index + 1 == rules.count || rules[index + 1].shape != rule.shape
      if isLast, !rule.shapeFields.isEmpty {
        lines.append("on the lines of this shape")
        lines += table(rule.fields.filter { rule.shapeFields.contains($0.name) }, fields)
      }
    }
    return lines
  }

  private var summary: String {
    let sample = discovery.sample
    var parts = ["looked at \(sample.count) lines of \(sample.sources.count) inputs"]
    if sample.isPart { parts.append("the first of more") }
    if sample.unreadable > 0 { parts.append("\(sample.unreadable) unreadable") }
    if sample.overlong > 0 { parts.append("\(sample.overlong) longer than 1 MiB") }
    let malformed = discovery.malformed
    if malformed > 0 { parts.append("\(malformed) malformed tokens") }
    return parts.joined(separator: ", ")
  }

  private func table(_ found: [FoundField], _ fields: FieldText) -> [String] {
    let width = found.map { OneLine.escape(fields.place($0)).count }.max() ?? 0
    return found.map { field in
      let place = OneLine.escape(fields.place(field))
      let mark = field.isActive ? field.sureness.rawValue : "a guess, left out"
      return "  " + field.name.padded(to: 16) + place.padded(to: min(width, 48))
        + "  \(OneLine.escape(field.what)), \(field.lines) of \(field.of) lines (\(mark))"
    }
  }

  private var apps: [String] {
    var lines = discovery.apps.apps.map { app in
      let seen = AttestEnvironment.allCases.filter { app.verified[$0, default: 0] > 0 }
        .map { "\(app.verified[$0, default: 0]) \($0.name)" }
      let verified =
        seen.isEmpty
        ? "no attestation verified" : "attestations verified: " + seen.joined(separator: ", ")
      let doubt = discovery.apps.doubt(app)
      return
        "app       \(OneLine.escape(app.id))  \(doubt ?? discovery.apps.counts(app)); \(verified)"
        + (doubt == nil ? "" : " (left out)")
    }
    lines += discovery.apps.unnamed.prefix(Self.unnamedLimit).map { app in
      "app       unknown: \(discovery.apps.counts(app)): --app-id names it (left out)"
    }
    let rest = discovery.apps.unnamed.dropFirst(Self.unnamedLimit)
    if !rest.isEmpty {
      let tokens = rest.reduce(0) { $0 + $1.tokens }
      lines.append("app       unknown: \(rest.count) more, of \(tokens) tokens (left out)")
    }
    let tried = discovery.apps.verifications.tried
    if tried > 0, discovery.apps.verifications.valid == 0 {
      let why = discovery.apps.firstFailure.map { ": \(OneLine.escape($0))" } ?? ""
      lines.append("trust     none of \(tried) attestations verified\(why)")
    }
    return lines
  }

  /// The lines on the share of the lines that the schema reads.
  private var shareLines: [String] {
    let tokens = share.withToken
    var lines = [
      "reads     \(Self.share(share.all)) of all lines, \(Self.share(tokens)) of those that hold "
        + "tokens"
    ]
    if tokens.rejected > 0 {
      lines.append("          \(tokens.rejected) of these make no record: each is a finding")
    }
    if tokens.passed > 0 {
      lines.append("          \(tokens.passed) that hold tokens would be passed over")
    }
    if let example = share.firstUnread {
      let reason = example.reason ?? "no rule fits it"
      lines.append(
        OneLine.escape(
          "          such as line \(example.line) of \(example.source): \(reason): \(example.head)")
      )
    }
    return lines
  }

  /// Returns a share as `95.2 % (20 of 21)`. It is never rounded up to a hundred.
  private static func share(_ count: ReadShare.Count) -> String {
    guard count.lines > 0 else { return "none" }
    let looked = count.lines - count.passed
    let tenths = looked * 1000 / count.lines
    return "\(tenths / 10).\(tenths % 10) % (\(looked) of \(count.lines))"
  }

  /// Returns a part of the lines with tokens, in percent.
  private func percent(_ count: Int) -> String {
    let tenths = count * 1000 / max(1, share.withToken.lines)
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
