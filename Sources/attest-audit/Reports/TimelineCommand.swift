import AppAttest
import ArgumentParser
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import AuditState
import Basics
import Files
import Logging

struct TimelineCommand: StatusCommand {
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case text, csv, jsonl, timesketch
  }

  static let configuration = CommandConfiguration.named(
    "timeline", "Print the events of a key, hash, user, request or device in order of time.",
    """
    timeline reads logs, with the flags of audit. Or it reads a report that was made with --index, \
    and no logs. For a key it plots counter against time. Two rising sequences that interleave are \
    called a fork.

    Examples:
      The key of a finding, from the report of a night:
        \(Tool.name) timeline --key KEY --report reports/2026-11-20
      The same from the logs of a week, with a picture:
        \(Tool.name) timeline logs/ --pipeline nightly.yaml --key KEY --svg key.svg
    """)

  @OptionGroup(title: "Selection") var selection: TimelineFlags

  @Argument(help: "Read these files, folders and globs, or - for standard input.")
  var inputs: [String] = []

  @OptionGroup private var flags: SettingFlags<NoTopic>

  private var typed: TypedFlags { flags.typed(inputs) }

  func status() throws -> ExitStatus {
    let query = try selection.query(keys)
    let (timeline, isPartial) = try self.timeline(query)
    if timeline.omitted > 0 {
      Console.note(
        "warning: \(SummaryNumber.grouped(timeline.omitted)) events beyond the first "
          + "\(SummaryNumber.grouped(UInt64(Timeline.limit))) are left out")
    }
    if let path = selection.svg { try draw(timeline, query, to: path) }
    write(timeline)
    guard isPartial else { return .clean }
    Console.note("warning: an input was not read to its end, or not at all: audit names it")
    return .partial
  }

  private func timeline(_ query: TimelineQuery) throws -> (timeline: Timeline, isPartial: Bool) {
    if let path = selection.report {
      try CommandError.require(
        typed.inputs.isEmpty && typed.texts.isEmpty, "a report and logs are both named",
        hint: "leave out one of them")
      return (try Timeline(try StoredReport(path: path), query), false)
    }
    let settings = try settings { Console.note($0) }
    let logger = TerminalLog.logger(settings.report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    var configuration = settings.configuration
    configuration.index = true
    configuration.eventKeys = query.eventKeys
    return try Self.audit(
      settings, configuration, notice: { logger.notice("\($0)") },
      then: { result in
        (
          try Timeline(result, query, reorderTolerance: configuration.detection.reorderTolerance),
          result.isPartial(above: configuration.limits.rejectRate)
        )
      })
  }

  /// Audits logs without report or change of state. A signal may end it anywhere.
  private static func audit<Value>(
    _ settings: RunSettings, _ configuration: AuditConfiguration,
    notice: @escaping @Sendable (String) -> Void, then body: (any AuditResult) throws -> Value
  ) throws -> Value {
    var configuration = configuration
    configuration.verdicts = false
    // A timeline is of what there is.
    configuration.expected = []
    // The state of earlier nights is read, and not changed.
    let session = try StateSession.reading(settings, id: "timeline")
    session?.configure(&configuration)
    let progress = AuditProgress()
    let line = ProgressLine.start(progress)
    defer { line?.stop() }
    return try body(
      try Audit(configuration: configuration, progress: progress, notice: notice).run())
  }

  private func settings(notice: (String) -> Void) throws -> RunSettings {
    try CommandError.require(
      !inputs.isEmpty || flags.nameInputs, "neither a report nor logs are named",
      hint: "use --report DIR for a report that was made with --index, or name files, folders or "
        + "globs, - for standard input, or a --pipeline with inputs")
    var settings = try typed.settings()
    settings.report.keepNothing()
    try SettingsResolver.requireComplete(settings)
    if !settings.configuration.followsLinks {
      try Self.leaveLinks(&settings.configuration.inputs, notice: notice)
    }
    return settings
  }

  /// Returns the keys of the report or of the logs that a name can stand for.
  private func keys(_ name: KeyName) throws -> [Digest256] {
    if let report = selection.report {
      return try StoredReport(path: report).keys(hex: name.digits).map(\.keyID)
    }
    let settings = try settings { _ in }
    var keys: [Digest256] = []
    try Self.audit(
      settings, settings.configuration, notice: { _ in },
      then: { result in
        try result.forEachKey { if name.range.contains($0.keyID) { keys.append($0.keyID) } }
      })
    return keys
  }

  /// Replaces folders and globs by what is in them if that includes symbolic links, without these
  /// (reports.R88). Throws if an input itself is a link, or neither a file nor a folder.
  private static func leaveLinks(
    _ inputs: inout [String], notice: (String) -> Void
  ) throws(CommandError) {
    for path in inputs
    where path != "-" && FileStatus(path: path, followsLinks: false)?.kind != .folder {
      try InspectSource.requireFile(path, false)
    }
    func isLink(_ path: String) -> Bool {
      FileStatus(path: path, followsLinks: false)?.kind == .link
    }
    let found = InputPlan.sources(inputs, standardInputName: "-").map(\.name)
    guard found.contains(where: isLink) else { return }
    inputs = found.filter { path in
      guard isLink(path) else { return true }
      notice("notice: \(path) is a symbolic link, and not read; --follow follows it")
      return false
    }
  }

  private func draw(_ timeline: Timeline, _ query: TimelineQuery, to path: String) throws {
    guard let key = query.keys.first ?? timeline.keys.first,
      let plot = CounterPlot(timeline, key: key)
    else {
      throw CommandError(
        .failure, "there is nothing to draw: fewer than two events have a counter and a time")
    }
    try CounterPicture(plot, timeline, key: key).write(to: path)
  }

  private func write(_ timeline: Timeline) {
    switch selection.format {
    case .text:
      Console.print(TimelineText(timeline: timeline, width: min(80, Console.columns)).text)
    case .csv: write(timeline, from: EventColumns.all.headerRow, EventColumns.all.csv)
    case .jsonl: write(timeline, EventColumns.all.json)
    case .timesketch: write(timeline, \.timesketch)
    }
  }

  private func write(
    _ timeline: Timeline, from start: String = "", _ row: (TimelineEvent) -> String
  ) {
    var rows = start
    for event in timeline.events {
      rows += row(event)
      guard rows.utf8.count > 1 << 16 else { continue }
      Console.print(rows: rows)
      rows = ""
    }
    Console.print(rows: rows)
  }
}

struct TimelineFlags: ParsableArguments {
  @Option(
    help: .of(
      "id", "Select a key: hex, base64 or base64url, or its first 8 hex digits or more; repeatable."
    ))
  var key: [String] = []

  @Option(help: .of("hex", "Select a clientDataHash in hex; repeatable."))
  var hash: [String] = []

  @Option(help: .of("subject", "Select an account or user; repeatable."))
  var subject: [String] = []

  @Option(help: .of("id", "Select a request identifier; repeatable."))
  var request: [String] = []

  @Option(help: .of("id", "Select all keys of a device that the logs name; repeatable."))
  var device: [String] = []

  @Option(help: .of("time", "Print only events from this day or time on."))
  var from: String?

  @Option(help: .of("time", "Print only events before this time, or until the end of this day."))
  var to: String?

  @Option(help: .of("id", "Print only events of this App ID."))
  var app: String?

  @Option(
    help: .of("code", "Print only events with a finding of this code or family."),
    completion: CodeNames.completion)
  var code: String?

  @Option(
    help: .of("decision", "Print only events with this decision: accepted, rejected or unknown."),
    completion: .list(TimelineFlags.decisions))
  var decision: String?

  @Option(
    help: .of("folder", "Read a report that was made with --index, and no logs."),
    completion: .directory)
  var report: String?

  @Option(help: "Print as text, csv, jsonl or timesketch.")
  var format = TimelineCommand.Form.text

  @Option(help: .of("file", "Write the plot of the first key as a picture."), completion: .file())
  var svg: String?

  static let decisions = ["accepted", "rejected", "unknown"]

  /// Returns the query of the flags. `keys` returns the keys that a name can stand for.
  func query(_ keys: (KeyName) throws -> [Digest256]) throws -> TimelineQuery {
    var query = TimelineQuery()
    for text in key {
      let name = try KeyName(text, origin: "--key: ")
      query.keys.append(try name.key(in: report ?? "the logs", keys))
    }
    for text in hash {
      let bytes = (32...510).contains(text.utf8.count) ? KeyTexts.hex(text) : nil
      query.hashes.append(try bytes.orThrow("--hash: '\(text)' is not hex of 16 to 255 bytes"))
    }
    query.subjects = subject
    query.requests = request
    query.devices = device
    if let code { _ = try CodeNames.codes(code, origin: "--code") }
    query.code = code
    try CommandError.require(
      !query.isEmpty, "nothing is named to look for",
      hint: "use --key, --hash, --subject, --request, --device or --code")
    query.from = try from.map { try Self.time("--from", $0, end: false) }
    query.to = try to.map { try Self.time("--to", $0, end: true) }
    query.appID = app
    let decisions = SettingFormat.word(Self.decisions.map { ($0, $0) })
    query.decision = try decisions.value(decision, of: "--decision") ?? query.decision
    return query
  }

  /// Returns the moment of an RFC 3339 time, or of a day its beginning, with `end` the next one's.
  private static func time(
    _ flag: String, _ text: String, end: Bool
  ) throws(CommandError) -> Int64 {
    if let day = RFC3339.milliseconds(Array("\(text)T00:00:00Z".utf8).span) {
      return end ? day + 86_400_000 : day
    }
    return try RFC3339.milliseconds(Array(text.utf8).span).orThrow(
      "\(flag): '\(text)' is not a day or a time, such as 2026-11-20 or 2026-11-20T03:00:00Z")
  }
}
