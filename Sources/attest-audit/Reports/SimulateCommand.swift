import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Logging

struct SimulateCommand: StatusCommand {
  static let configuration = CommandConfiguration.named(
    "simulate", "Try a policy on archived logs: list the requests on which it decides otherwise.",
    """
    The first argument is always the candidate: a pipeline file with the policy to try. Further \
    arguments are inputs. Without arguments, the candidate is the current pipeline file with the \
    changes of --set; name the inputs in the file or with --files-from.

    The candidate gives apps, trust, keys, detect, severity and refuse. The current pipeline file, \
    which --pipeline names, gives inputs, schema, limits and state. Without --pipeline the \
    candidate is also the current one. A state is only read.

    Examples:
      \(Tool.name) simulate candidate.yaml --pipeline nightly.yaml --out simulation
      \(Tool.name) simulate --pipeline nightly.yaml --set detect.challengeTTL=1m

    Exit status: 0 all inputs were read; 1 more requests would have been refused than \
    --fail-above allows; 2 an input could not be read completely, or too many of its lines could \
    not be read, and this wins over 1; 64 bad usage, 65 a file of settings is not valid, 73 the \
    report cannot be written, 75 another run has locked the state, 70 any other error.
    """)

  @Argument(help: .of("candidate", "Try the policies of this pipeline file."), completion: .file())
  var candidate: String?

  @Argument(help: "Read these files, folders and globs, or - for standard input.")
  var inputs: [String] = []

  @Option(
    name: .customLong("set"),
    help: .of(
      "key=value",
      "Change a setting of the candidate, for example detect.retryTolerance=5s; repeatable."))
  var changes: [String] = []

  @Option(help: .of("folder", "Write the report to this folder."), completion: .directory)
  var out: String?

  @Flag(help: "Replace an earlier report in the folder.")
  var overwrite = false

  @Option(
    help: .of(
      "share",
      "Exit with 1 if more than this share of the accepted requests would have been refused, for example 0.1%."
    ))
  var failAbove: String?

  @OptionGroup private var flags: SettingFlags<NoTopic>

  func status() throws -> ExitStatus {
    let share = try SettingFormat<Double>.percent.value(failAbove, of: "--fail-above")
    var policies: RunSettings?
    return try RunControl.carryOut {
      let settings = try settings()
      policies = settings.candidate
      return settings.current
    } _: { current, control in
      try simulate(current, policies ?? current, failAbove: share, control)
    }
  }

  private func settings() throws(CommandError) -> (current: RunSettings, candidate: RunSettings) {
    var typed = flags.typed(inputs)
    try CommandError.require(
      candidate != nil || !changes.isEmpty, "no candidate is given",
      hint: "name a pipeline file, or use --set key=value")
    let policies = try typed.candidate(candidate, changes: changes)
    if typed.texts["--pipeline"] == nil, let candidate { typed.texts["--pipeline"] = [candidate] }
    var current = try typed.settings()
    current.report.keepNothing()
    try SettingsResolver.requireComplete(current)
    return (current, policies)
  }

  private func simulate(
    _ current: RunSettings, _ policies: RunSettings, failAbove share: Double?, _ control: RunControl
  ) throws -> ExitStatus {
    let started = (wall: Clock.now, steady: Clock.steady)
    let logger = TerminalLog.logger(current.report.logLevel)
    for notice in current.notices { logger.notice("\(notice)") }
    if let out { try ReportDirectory.check(path: out, overwrite: overwrite) }
    var configuration = current.configuration
    // The state of earlier nights is read, and not changed.
    let session = try StateSession.reading(current, id: "simulate")
    session?.configure(&configuration)
    let other = try session?.beginReading()
    defer { withExtendedLifetime(other) {} }
    var candidate = policies.configuration
    candidate.history = other?.history
    let progress = AuditProgress()
    let line = ProgressLine.start(progress)
    defer { line?.stop() }
    let audit = try Audit(configuration: configuration, progress: progress) {
      logger.notice("\($0)")
    }
    control.attach(audit)
    let simulation = try audit.simulate(
      Audit(configuration: candidate, progress: progress, notice: { _ in }))
    let directory = try out.map { path throws(AuditError) in
      try ReportDirectory(path: path, overwrite: overwrite, mode: current.report.mode)
    }
    if let directory { control.attach(directory) }
    let (groups, notices) = try ReportDirectory.write(simulation, to: directory) {
      SimulationFacts(
        differences: Self.differences(current, policies), startedAt: started.wall,
        finishedAt: Clock.now, elapsed: Clock.steady - started.steady)
    }
    line?.stop()
    for notice in notices { logger.warning("\(notice)") }
    Console.print(Self.text(simulation, groups))
    if simulation.current.isPartial(above: configuration.limits.rejectRate) {
      Console.note("warning: an input could not be read whole: run audit on the same inputs")
      return .partial
    }
    return share.map(simulation.counts.isAbove) == true ? .findings : .clean
  }

  private static func differences(
    _ current: RunSettings, _ candidate: RunSettings
  ) -> [SimulationFacts.Difference] {
    SettingTable.all.filter { $0.path != nil && $0.isOfPolicy }.compactMap { setting in
      let (now, then) = (setting.shown(in: current), setting.shown(in: candidate))
      guard now != then else { return nil }
      /// Returns the lines that the other policy has not.
      func text(_ lines: [String], _ others: [String]) -> String {
        let own = lines.filter { !others.contains($0) }
        return lines.isEmpty
          ? setting.row.standard : own.isEmpty ? "none" : own.joined(separator: "; ")
      }
      return (setting.name, text(now, then), text(then, now))
    }
  }

  private static func text(_ simulation: Simulation, _ groups: SimulationGroups) -> String {
    let number = { (value: UInt64, noun: String) in SummaryNumber.counted(value, noun) }
    let counts = simulation.counts
    var lines = SimulatedRequest.Change.allCases.map { change in
      let total = groups.total(change)
      return "newly \(change.word): \(number(total.requests, "request")), "
        + "\(number(total.keys, "key")), \(number(total.subjects, "subject"))"
    }
    lines[0] += ": \(counts.shareText) of \(number(counts.accepted, "accepted request"))"
    lines.append("honest requests newly refused: \(SummaryNumber.grouped(counts.honestRefused))")
    for (name, group) in groups.largestCrowds {
      lines.append(
        "  \(number(group.keys, "key")), \(number(group.requests, "request")): "
          + PrintableText.line(name, limit: 200))
    }
    let (found, stopped) = (counts.found.reduce(0, +), counts.stopped.reduce(0, +))
    lines.append(
      "findings about accepted requests: \(found), of which \(stopped) are about requests that the "
        + "candidate refuses")
    lines += SimulationFacts.limit.map { "limit: " + $0 }
    return lines.joined(separator: "\n") + "\n"
  }
}
