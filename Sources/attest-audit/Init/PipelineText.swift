import AppAttest
import AuditEngine
import AuditLog
import AuditSettings
import Basics
import Files
import LogDiscovery

struct PipelineText {
  /// The largest number of apps without a name that are written one by one.
  private static let unnamedLimit = 10

  let discovery: Discovery
  /// The paths in the form that the file has to name.
  let inputs, anchors, receiptAnchors: [String]
  let keys: String?
  private var apps: AppSearch { discovery.apps }
  private var draft: SchemaDraft { discovery.draft }
  private var sample: LogSample { discovery.sample }

  var text: String {
    let lines =
      [
        "# Written by attest-audit init from \(discovery.sample.count) lines of the log. Read it before "
          + "you rely on it:",
        "# decide about lines with 'perhaps', 'left out' or 'not found'.", "version: 1", "",
      ] + inputLines + [""] + appLines + [""] + trustLines + [""]
      + keyLines + schemaLines
    return lines.map { $0 + "\n" }.joined()
  }

  private var inputLines: [String] {
    let written = inputs.filter { $0 != "-" && YAMLText.isPlainLine($0) }
    guard !written.isEmpty else {
      return ["# inputs: none here; name them on the command line"]
    }
    return ["inputs: [\(written.map(YAMLText.scalar).joined(separator: ", "))]"]
  }

  private var keyLines: [String] { keys.map { ["keys: \(YAMLText.scalar($0))", ""] } ?? [] }

  private var trustLines: [String] {
    let sections = [("anchors", anchors), ("receiptAnchors", receiptAnchors)]
      .filter { !$0.1.isEmpty }
    guard !sections.isEmpty else {
      return ["# trust: Apple's root certificates, because no others were named"]
    }
    return ["trust:"]
      + sections.map { name, files in
        "  \(name): [\(files.map(YAMLText.scalar).joined(separator: ", "))]"
      }
  }

  // MARK: Apps

  /// The `apps:` section: apps that half of the records need, others as comments (`records.R96`).
  private var appLines: [String] {
    guard !apps.apps.isEmpty else {
      return [
        "# not found: apps: no token names its app; add them",
        "# apps:", "#   - id: ABCDE12345.com.example.bank",
      ] + unnamedApps
    }
    let needed = apps.apps.filter { apps.doubt($0) == nil }
    var lines: [String] = []
    if apps.verifications.valid == 0 {
      lines.append("# No attestation verified: the environments are not known.")
    }
    lines.append(needed.isEmpty ? "# apps:" : "apps:")
    lines += needed.flatMap(appText)
    for app in apps.apps {
      guard let doubt = apps.doubt(app) else { continue }
      lines.append("  # left out: \(doubt). Only if the app is yours, add it:")
      lines += appText(app).map { "  #" + $0.dropFirst(1) }
    }
    return lines + unnamedApps
  }

  private var unnamedApps: [String] {
    var lines = apps.unnamed.prefix(Self.unnamedLimit).map { app in
      "  # left out: no line names the app of \(apps.counts(app.tokens)). Only if it is yours, add its "
        + "App ID, of the SHA-256 \(Hex.text(app.rpIDHash.bytes))"
    }
    let rest = apps.unnamed.dropFirst(Self.unnamedLimit)
    if !rest.isEmpty {
      lines.append(
        "  # left out: \(rest.count) more apps that no line names, of "
          + apps.counts(rest.reduce(0) { $0 + $1.tokens }))
    }
    return lines
  }

  private func appText(_ app: FoundApp) -> [String] {
    var lines = ["  - id: \(YAMLText.scalar(app.id))"]
    let total = app.attestations
    let seen = AttestEnvironment.allCases.filter { app.verified[$0, default: 0] > 0 }
    guard total > 0 else {
      let note =
        app.tokens == 0
        ? "named on the command line; no token is of this app"
        : "\(apps.counts(app.tokens)), but no attestation verified"
      return lines + ["    # \(note)", "    environments: [production]"]
    }
    let words = seen.map { "\(app.verified[$0, default: 0]) \($0.name)" }.joined(separator: ", ")
    lines.append("    # attestations that verified: \(words); \(apps.counts(app.tokens))")
    for environment in seen where !app.needs(environment) {
      lines.append(
        "    # left out: \(app.verified[environment, default: 0]) of \(total) \(environment.name)")
    }
    let names = seen.filter(app.needs).map(\.name)
    lines.append("    environments: [\(names.joined(separator: ", "))]")
    return lines
  }

  // MARK: The schema

  /// The `schema:` section, with the evidence for each field as comments.
  private var schemaLines: [String] {
    if draft.isDefault { return defaultLines }
    guard draft.completeRules.isEmpty else { return mappedLines }
    // Nothing of the log can be read, and no other schema is tried instead.
    return ["# Not enough was found to read the log by. Complete this start:", "schema: {}"]
      + mappedLines.dropFirst(2).map { "#" + $0 }
  }

  private var defaultLines: [String] {
    let comment = "# Every field is where the default schema expects it."
    guard let schema = draft.schema(of: sample), schema.skipsPrefix else {
      return [comment, "schema: default"]
    }
    return [comment, "schema:"] + SchemaWriter(schema, replayScope: nil).lines.map { "  " + $0 }
  }

  private var mappedLines: [String] {
    let complete = draft.completeRules
    let rules = complete.isEmpty ? draft.rules : complete
    var writer = writer(rules)
    // Rules that are not complete follow as comments.
    let others = draft.rules.filter { rule in !rules.contains { $0.name == rule.name } }
    writer.comments[.rules] = others.flatMap { rule -> [String] in
      let lines = self.writer([rule]).lines
      return ["\(rule.role.plural) lack something that a rule needs:"]
        + lines.drop { $0 != "rules:" }.dropFirst().map { String($0.dropFirst(2)) }
    }
    return [
      "# How a line of the log becomes a record. A pointer can go through strings that contain JSON.",
      "schema:",
    ] + writer.lines.map { "  " + $0 }
  }

  private func writer(_ rules: [RuleDraft]) -> SchemaWriter {
    let replays = draft.replays
    var writer = SchemaWriter(
      draft.schema(rules, of: sample), replayScope: replays.isExact ? .exact : .global,
      shared: Set(draft.shared.map(\.field)))
    writer.comments = [
      .replayScope: [replays.reason]
        + (replays.isDoubtful ? ["left out: replayScope: exact, which fewer than half need"] : []),
      .hash: ["client data are the clientDataHash itself"],
      .prefix: ["text precedes the JSON of each line"],
      .records: ["each element is a record"], .each: ["a line can contain tokens of both kinds"],
      .headers: ["header names are compared without case"],
      .unwrap: ["strings that encode others"],
    ]
    for note in draft.shared { add(note, rule: nil, to: &writer) }
    writer.comments[.fields(rule: nil), default: []] += draft.missing.map { "not found: \($0)" }
    for (index, rule) in rules.enumerated() {
      for note in rule.notes { add(note, rule: index, to: &writer) }
      writer.comments[.fields(rule: index), default: []] += rule.missing.map { "not found: \($0)" }
    }
    return writer
  }

  private func add(_ note: FieldNote, rule: Int?, to writer: inout SchemaWriter) {
    if note.isActive {
      writer.comments[.field(note.field, rule: rule), default: []].append(note.evidence)
    } else {
      writer.comments[.fields(rule: rule), default: []] += [
        note.evidence, "perhaps: " + SchemaWriter.text(note.field, note.mapping),
      ]
    }
  }
}

/// The folder of a pipeline file, from which the paths in it start.
struct PipelineFolder {
  /// The path from the folder to the working directory, or nil if only an absolute one leads there.
  private let back: String?

  /// Makes the folder of the file at `path`, or the working directory for nil.
  init(of path: String?) {
    guard let path, let slash = path.lastIndex(of: "/") else {
      back = ""
      return
    }
    let names = path[..<slash].split(separator: "/").filter { $0 != "." }
    back =
      path.hasPrefix("/") || names.contains("..")
      ? nil : String(repeating: "../", count: names.count)
  }

  /// Returns a path of the working directory in the form that the file has to use.
  func relative(_ path: String) -> String {
    if path.hasPrefix("/") || path == "-" { return path }
    guard let back else { return PathText.join(PathText.resolved(".") ?? ".", path) }
    return back + path
  }
}

/// The file that is written. It replaces another one only if that is asked for.
struct PipelineTarget {
  let path: String
  private let overwrite: Bool

  /// Throws a ``CommandError`` of status 73 if the file exists and is not to be replaced.
  init(path: String, overwrite: Bool) throws(CommandError) {
    self.path = path
    self.overwrite = overwrite
    guard !path.isEmpty else { throw CommandError(.usage, "--out: '' is not a path") }
    let status = FileStatus(path: path)
    if let status, status.kind != .file {
      throw CommandError(
        .cannotWrite, "\(path) is not a file that can be replaced",
        hint: "leave out --out to write the file to standard output")
    }
    if status != nil, !overwrite { throw Self.exists(path) }
  }

  private static func exists(_ path: String) -> CommandError {
    CommandError(.cannotWrite, "\(path) exists already", hint: "use --overwrite to replace it")
  }

  /// Writes the text as a whole or not at all: beside the file, then renamed into place.
  func write(_ text: String) throws(CommandError) {
    do throws(AuditError) {
      let file = try ReplacingFile(path: path, mode: 0o666)
      try file.append(Array(text.utf8).span)
      try file.putInPlace(taken: overwrite ? .replaced : .refused)
    } catch {
      if error.isTaken, !overwrite { throw Self.exists(path) }
      throw CommandError(.cannotWrite, error.told("cannot write", path).context)
    }
  }
}
