import AppAttest
import LogDiscovery

/// What was found, for people: each field with its place, how sure that is, and on how many lines.
struct FoundText {
  let search: SchemaSearch
  let share: ReadShare

  var text: String {
    var lines = [summary]
    lines += search.sample.damages.map { "  \(OneLine.escape($0))" }
    let fields = FieldText(pointers: search.sample.pointers)
    for rule in search.schema.rules {
      lines.append("")
      let count = rule.examples.count
      lines.append("\(rule.role.plural) on \(count) \(count == 1 ? "line" : "lines")")
      for condition in rule.conditions {
        lines.append("  when            \(OneLine.escape(fields.condition(condition)))")
      }
      lines += table(rule.fields, fields)
      if !search.schema.isDefault {
        lines += rule.missing.map { "  not found       \(OneLine.escape($0))" }
      }
    }
    lines += ["", "on all of them"]
    lines += table(search.schema.shared, fields)
    lines += search.schema.missing.map { "  not found       \($0)" }
    lines += [""] + apps
    lines.append(
      search.schema.isDefault
        ? "schema    default: everything stands where it looks for it"
        : "schema    its own; replayScope \(search.schema.replayScope): \(search.schema.replayReason)"
    )
    lines += shareLines
    return lines.joined(separator: "\n") + "\n"
  }

  private var summary: String {
    let sample = search.sample
    var parts = ["looked at \(sample.count) lines of \(sample.sources.count) inputs"]
    if sample.isPart { parts.append("the first of more") }
    if sample.unreadable > 0 { parts.append("\(sample.unreadable) unreadable") }
    if sample.overlong > 0 { parts.append("\(sample.overlong) longer than 1 MiB") }
    let malformed = search.found.malformed.values.reduce(0, +)
    if malformed > 0 { parts.append("\(malformed) malformed tokens") }
    return parts.joined(separator: ", ")
  }

  private func table(_ found: [FoundField], _ fields: FieldText) -> [String] {
    let width = found.map { OneLine.escape(fields.place($0)).count }.max() ?? 0
    return found.map { field in
      let place = OneLine.escape(fields.place(field))
      let mark = field.isActive ? field.sureness.rawValue : "a guess, left out"
      return "  " + Self.pad(field.name, 16) + Self.pad(place, min(width, 48))
        + "  \(OneLine.escape(field.what)), \(field.lines) of \(field.of) lines (\(mark))"
    }
  }

  private var apps: [String] {
    var lines = search.apps.apps.map { app in
      let seen = AttestEnvironment.allCases.filter { app.verified[$0, default: 0] > 0 }
        .map { "\(app.verified[$0, default: 0]) \($0.name)" }
      let verified =
        seen.isEmpty
        ? "no attestation verified" : "attestations verified: " + seen.joined(separator: ", ")
      let doubt = search.apps.doubt(app)
      return "app       \(OneLine.escape(app.id))  \(doubt ?? search.apps.counts(app)); \(verified)"
        + (doubt == nil ? "" : " (left out)")
    }
    if search.apps.nameless > 0 {
      lines.append("app       unknown on \(search.apps.nameless) tokens: --app-id names it")
    }
    let tried = search.apps.verifications.tried
    if tried > 0, search.apps.verifications.valid == 0 {
      let why = search.apps.firstFailure.map { ": \(OneLine.escape($0))" } ?? ""
      lines.append("trust     none of \(tried) attestations verified\(why)")
    }
    return lines
  }

  /// What the schema reads of the lines.
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
          "          such as line \(example.line) of \(example.source): \(reason): \(example.head)"))
    }
    return lines
  }

  /// `95.2 % (20 of 21)`; never rounded up to a hundred.
  private static func share(_ count: ReadShare.Count) -> String {
    guard count.lines > 0 else { return "none" }
    let looked = count.lines - count.passed
    let tenths = looked * 1000 / count.lines
    return "\(tenths / 10).\(tenths % 10) % (\(looked) of \(count.lines))"
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
