import AppAttest
import ArgumentParser
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Basics
import LogDiscovery

struct InitCommand: StatusCommand {
  static let configuration = CommandConfiguration.named(
    "init", "Find the fields of an unknown log, and write a pipeline file for it.",
    """
    init recognises attestations and assertions by their CBOR, keys by their hash, and client data \
    by the nonce or signature that it makes valid. It prints what it found to standard output, or \
    to standard error if the file goes to standard output. Exit status: 0 an audit with the file \
    reads at least 99 % of the lines that contain tokens, 1 it reads fewer, or a warning says what \
    to correct first, 64 bad usage, 65 nothing was found, 73 the file cannot be written.
    """)

  private static let lineLimit = 1_000_000

  @Argument(help: "Examine these files, folders and globs, or - for standard input.")
  var samples: [String] = []

  @Option(help: .of("file", "Write the pipeline file here. (default: standard output)"))
  var out: String?

  @Flag(help: "Replace the file that --out names.")
  var overwrite = false

  @Option(help: .of("number", "Examine at most this many lines."))
  var lines = 20_000

  @Option(
    name: .customLong("trust-anchor"),
    help: .of(
      "pem", "Trust these root certificates of attestations instead of Apple's; repeatable."))
  var trustAnchors: [String] = []

  @Option(
    name: .customLong("receipt-anchor"),
    help: .of("pem", "Write these root certificates of receipts into the file; repeatable."))
  var receiptAnchors: [String] = []

  @Option(name: .customLong("app-id"), help: .of("id", "Expect tokens of this App ID; repeatable."))
  var appIDs: [String] = []

  @Option(help: .of("file", "Read a list of known keys. Their signatures prove client data."))
  var keys: String?

  /// The file to write, or nil for standard output.
  private var file: String? { StandardOutput.file(out) }

  func status() throws -> ExitStatus {
    try checkOptions()
    let anchors = try SettingsResolver.certificates(
      trustAnchors.map { NamedPath(path: $0, origin: "--trust-anchor") })
    _ = try SettingsResolver.certificates(
      receiptAnchors.map { NamedPath(path: $0, origin: "--receipt-anchor") })
    let target = try file.map { try PipelineTarget(path: $0, overwrite: overwrite) }
    let sample = SampleReader.read(samples, limit: lines)
    guard sample.count > 0 || !sample.foreign.isEmpty else {
      for damage in sample.damages.dropLast() { Console.note(damage) }
      throw CommandError(
        .invalidFile, sample.damages.last ?? "the log is empty",
        hint: "name a log, or a part of one")
    }
    guard !sample.lines.isEmpty else {
      for damage in sample.damages { Console.note(damage) }
      if let first = sample.foreign.first { throw Self.foreign(first.source, first.content) }
      Self.noteCauses(sample)
      throw CommandError(
        .invalidFile, "none of \(sample.count) lines is a JSON object",
        hint: LineParts.command(sample).map(Self.command)
          ?? "convert the log to JSON Lines: one JSON object on each line")
    }
    if let odd = sample.oddJSON { Console.note("notice: \(odd)") }
    for (source, content) in sample.foreign {
      Console.note(
        "notice: \(source) is \(content.name), and left out; convert it: "
          + Self.command(content.command))
    }
    if let array = sample.recordArray, sample.records.isEmpty {
      throw CommandError(
        .invalidFile,
        "a line of \(array.source) contains several records, in the array \(array.pointer)",
        hint: Self.command(array.command))
    }
    let known = try keys.map { path throws(CommandError) in
      try KnownKeysFile.read(NamedPath(path: path, origin: "--keys")).keys
    }
    let discovery = Discovery(
      sample, anchors: anchors ?? [AppleTrust.appAttestationRootCA],
      keys: Dictionary((known ?? []).map { ($0.keyID, $0.publicKey) }, uniquingKeysWith: { $1 }),
      appIDs: appIDs, isAppID: { SettingFormat<String>.appID.parse($0) != nil })
    guard !discovery.draft.rules.isEmpty else {
      Self.noteCauses(sample)
      throw Self.nothingFound(sample)
    }
    return try write(discovery, to: target)
  }

  private func write(_ discovery: Discovery, to target: PipelineTarget?) throws -> ExitStatus {
    let folder = PipelineFolder(of: file)
    var text = PipelineText(
      discovery: discovery, inputs: samples.map(folder.relative),
      anchors: trustAnchors.map(folder.relative),
      receiptAnchors: receiptAnchors.map(folder.relative), keys: keys.map(folder.relative)
    ).text
    var schema: CompiledSchema?
    var settings: SettingsLayer?
    if discovery.draft.schema(of: discovery.sample) != nil {
      // The schema is read from the file as an audit reads it.
      let path = NamedPath(path: file ?? "the file", origin: file ?? "the file")
      let root = try YAMLFile.read(text, context: PipelineNode.Context(file: path.path))
      settings = try PipelineFile.read(root, path)
      schema = (settings?.schema ?? .standard).compiled
    }
    let roles = discovery.draft.rules.map(\.role)
    // Nothing tells the keys if there is no attestation, not even one that was cut.
    let isUntold =
      keys == nil && !roles.contains(.attestation) && roles.contains(.assertion)
      && !discovery.sample.hasHiddenTokens(besides: discovery.tokenLines)
    let facts = SampleFacts(
      schema, discovery.sample, tokenLines: discovery.tokenLines,
      unregistered: isUntold ? discovery.tokenLines.count : 0)
    if let schema {
      let tests = TestsSection(
        discovery: discovery, schema: schema,
        unread: facts.isWhole ? nil : facts.firstUnread?.line
      ).lines
      if !tests.isEmpty { text += "\n" + tests.map { $0 + "\n" }.joined() }
    }
    let apps = discovery.apps.apps.count { discovery.apps.doubt($0) == nil }
    let report = FoundText(
      discovery: discovery, facts: facts,
      blindSpots: BlindSpot.all(
        facts.counts, BlindSpot.Policy(apps: apps), hasCategory: discovery.hasCategory)
    ).text
    if let target {
      try target.write(text)
      Console.print(report + "file      \(OneLine.escape(target.path))\n")
    } else {
      Console.printError(report)
      Console.print(rows: text)
    }
    for app in discovery.apps.doubted {
      Console.note(
        "warning: \(OneLine.escape(app)), which the file leaves out, so that an audit refuses them; if the "
          + "app is yours, name it with --app-id")
    }
    if let command = discovery.prefixTime {
      Console.note(
        "notice: the time is only in the text before the JSON, which no schema reads; move it into the JSON: "
          + Self.command(command))
    }
    if let settings, apps > 0 { noteFindings(discovery.sample, by: settings) }
    let faults = Self.faults(discovery, facts, hasSchema: schema != nil, apps: apps)
    for fault in faults { Console.note("warning: " + fault) }
    return faults.isEmpty ? .clean : .findings
  }

  /// Returns sentences about all that an audit by the file would not read, or would read wrongly.
  private static func faults(
    _ discovery: Discovery, _ facts: SampleFacts, hasSchema: Bool, apps: Int
  ) -> [String] {
    let (sample, draft, tokens) = (discovery.sample, discovery.draft, facts.withToken)
    var faults: [String] = []
    if let bytes = sample.unreadBytes {
      faults.append(
        words(bytes) + "; "
          + (bytes.command.map { "convert them: " + command($0) } ?? "log them in base64"))
    }
    if let packed = sample.packed {
      faults.append(OneLine.escape(packed.words) + "; unpack it: " + command(packed.command))
    }
    if hasSchema, apps == 0 {
      return faults
        + ["no audit can use the file yet: it names no app; name yours with --app-id"]
    }
    // The default schema reads all forms of client data.
    let unproven = draft.isDefault ? 0 : draft.rules.reduce(0) { $0 + $1.unproven }
    if unproven > 0 {
      faults.append(
        "the client data of \(unproven) lines are in another form than the rules read, so that each is a "
          + "finding; write a rule for these lines with a condition under 'when'")
    }
    if let (lines, condition) = draft.repetition {
      faults.append(
        "each request has \(lines) lines, and an audit takes all but the first for replays; read one of them "
          + "by a condition under 'when': \(OneLine.escape(SchemaWriter.text(condition)))")
    }
    guard !facts.isWhole else { return faults }
    if draft.lacksKind {
      faults.append(
        "no condition was found that distinguishes lines with attestations from lines with assertions; "
          + "write it under 'when', or "
          + (discovery.addedKind.map { "add the kind to each line: " + command($0) }
            ?? "log the kind"))
    }
    faults.append(
      !hasSchema
        ? "no audit can use the file yet: complete the rules that it contains as comments"
        : "an audit by this file would \(tokens.partial > 0 ? "read all tokens" : "make records") of "
          + "\(tokens.read) of \(tokens.lines) lines that contain tokens")
    return faults
  }

  /// Reports what an audit by the file says of many of the sample's records.
  private func noteFindings(_ sample: LogSample, by settings: SettingsLayer) {
    do {
      let warnings = try SampleFindings(sample, by: settings).warnings
      for warning in warnings {
        Console.note("warning: an audit of these lines by this file finds \(warning)")
      }
      if !warnings.isEmpty {
        Console.note("hint: if these requests are honest, correct the file before you audit by it")
      }
    } catch {
      let reason = (error as? AuditError)?.context ?? "\(error)"
      Console.note("notice: these lines were not audited by the file: \(reason)")
    }
  }

  /// Reports what explains that nothing can be read (`reports.R66`).
  private static func noteCauses(_ sample: LogSample) {
    for cause in SampleFacts(nil, sample).likelyCauses {
      Console.note("notice: likely cause: \(cause.evidence) \(cause.action)")
    }
  }

  private static func words(_ bytes: UnreadBytes) -> String {
    "\(bytes.lines) lines contain tokens \(OneLine.escape(bytes.words)), which no audit reads"
  }

  private static func nothingFound(_ sample: LogSample) -> CommandError {
    if let bytes = sample.unreadBytes {
      return CommandError(
        .invalidFile, words(bytes), hint: bytes.command.map(command) ?? "log them in base64")
    }
    for (lines, words, hint) in [
      (
        sample.lines, ", but no pointer leads to one",
        "log each token as a separate value: a schema reads whole values"
      ),
      (
        sample.unread, " and are not JSON objects",
        "convert the log to JSON Lines: one JSON object on each line"
      ),
    ] {
      let hidden = lines.filter(\.holdsToken)
      guard let line = hidden.first else { continue }
      return CommandError(
        .invalidFile,
        "\(hidden.count) lines contain App Attest tokens\(words): such as line \(line.number) of "
          + sample.sources[line.source], hint: hint)
    }
    return CommandError(
      .invalidFile,
      "no attestation and no assertion in \(sample.lines.count) lines, at any pointer",
      hint: "name the log of the requests that carry them, or read more lines with --lines N")
  }

  private static func foreign(_ source: String, _ content: ForeignContent) -> CommandError {
    CommandError(
      .invalidFile,
      "\(source) is \(content.name): logs are JSON Lines, plain or packed with gzip or zstd",
      hint: Self.command(content.command))
  }

  /// Returns the command by which `init` reads what another command writes.
  private static func command(_ text: String) -> String {
    ShellText.command("\(text) | attest-audit init -")
  }

  private func checkOptions() throws(CommandError) {
    try CommandError.require(
      !samples.isEmpty, "no sample is given", hint: "name a log, or a part of one")
    try CommandError.require(samples.allSatisfy({ !$0.isEmpty }), "an input's name is empty")
    try CommandError.require(
      (1...Self.lineLimit).contains(lines),
      "--lines: '\(lines)' is not a number from 1 to \(Self.lineLimit)")
    for id in appIDs { _ = try SettingFormat<String>.appID.value(id, of: "--app-id") as String }
    if overwrite, file == nil {
      throw CommandError(.usage, "--overwrite without --out", hint: "name the file with --out FILE")
    }
  }
}

extension LogSample {
  /// A sentence about the lines that are not strict JSON, or nil if all are.
  fileprivate var oddJSON: String? {
    let odd = logLines.filter(\.isOdd)
    guard let first = odd.first else { return nil }
    let (count, pronoun) = odd.count == 1 ? ("1 line is", "it") : ("\(odd.count) lines are", "them")
    let isOfNginx = odd.count { $0.bytes.firstRange(of: Array("\\x".utf8)) != nil } * 2 > odd.count
    return "\(count) not strict JSON, such as line \(first.number) of \(sources[first.source]): "
      + (isOfNginx
        ? "nginx wrote \\x without escape=json, which log_format needs" : "inspect shows why")
      + "; an audit reads \(pronoun) as record.odd_json"
  }
}
