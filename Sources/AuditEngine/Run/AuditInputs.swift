internal import AppAttest
internal import AuditLog
internal import Basics
internal import Synchronization

/// The inputs of a run: found, and compared with what earlier runs accounted for.
struct AuditInputs {
  /// The sources in the order of the run.
  private(set) var sources: [LogSource]
  /// The facts to remember of them, or nil if the run accounts for nothing.
  private(set) var accounted: AccountedSources?
  /// The memory of earlier runs.
  private(set) var history: RunMemory?

  /// A decoder may need a window of this size: with less memory for each thread there are fewer.
  private static let threadMemory = 64 << 20

  /// Finds them, and looks through them where there is a ledger.
  ///
  /// - Throws: The ledger's errors, and `.cancelled`.
  init(
    _ configuration: AuditConfiguration, run: Cancellation<AuditError>, progress: AuditProgress,
    notice: (String) -> Void
  ) throws(AuditError) {
    history = configuration.history
    let accounts = configuration.accounting != nil && history?.mode != .reference
    sources = InputPlan.sources(
      configuration.inputs, standardInputName: configuration.standardInputName,
      comparesBytes: !accounts, follows: configuration.followsLinks, notice: notice)
    // The inputs are not at fault where the process has no descriptor left.
    if let source = sources.first(where: \.lacksDescriptors) {
      throw AuditError(source: source)
    }
    if configuration.accounting != nil { progress.bytesTotal.store(2 * bytes, ordering: .relaxed) }
    let limits = configuration.limits
    let pass = InputAccounting.Pass(
      jobs: max(1, min(limits.jobs, limits.memory / Self.threadMemory)),
      windowLimit: limits.zstdWindowBytes, lineLimit: limits.lineBytes,
      reader: { [schema = configuration.schema] in
        RecordReader(schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
      },
      progress: { progress.bytesRead.add($0, ordering: .relaxed) }, mustStop: { run.mustStop })
    do {
      if !accounts { try ContentCopies.mark(&sources, pass) }
      if let accounting = configuration.accounting {
        if accounts {
          try account(accounting, pass, notice)
        } else {
          try recognise(accounting, pass, notice)
        }
      }
    } catch {
      throw error as? AuditError ?? AuditError(.inconsistent, "\(error)")
    }
    try run.check()
    if let source = sources.first(where: \.lacksDescriptors) {
      throw AuditError(source: source)
    }
    if let history { self.history?.order = try history.orderSources(sources.map(\.name)) }
    history?.sourceCount = UInt32(clamping: sources.count)
    for source in sources {
      guard case .duplicate(let first) = source.origin else { continue }
      notice("\(source.name) holds the same content as \(sources[first].name) and is left out")
    }
    progress.bytesTotal.store(
      progress.bytesRead.load(ordering: .relaxed) + bytes, ordering: .relaxed)
  }

  /// Lets go of the sources, which a run has taken: it keeps them no longer than it reads them.
  mutating func forgetSources() {
    sources = []
  }

  private mutating func account(
    _ accounting: InputAccounting, _ pass: InputAccounting.Pass, _ notice: (String) -> Void
  ) throws {
    // There is one list of them: it may be long.
    let found = sources
    sources = []
    var accounted = try accounting.account(consume found, pass)
    accounted.number(from: history?.firstSource ?? 0)
    for line in InputNotices.lines(accounted) { notice(line) }
    history?.take(accounted)
    sources = accounted.takeSources()
    self.accounted = accounted
  }

  private mutating func recognise(
    _ accounting: InputAccounting, _ pass: InputAccounting.Pass, _ notice: (String) -> Void
  ) throws {
    let found = try accounting.recognise(sources, pass)
    guard !found.numbers.isEmpty else { return }
    for line in InputNotices.lines(found) { notice(line) }
    let first = history?.firstSource ?? 0
    history?.rereads = RereadSources(found, firstSource: first)
  }

  /// The bytes of the inputs that are to be read, as far as the file system tells.
  private var bytes: Int {
    sources.reduce(0) { sum, source in
      switch source.origin {
      case .known, .waiting: sum
      case .file, .standardInput, .unreadable, .duplicate: sum + Int(clamping: source.size)
      }
    }
  }
}

extension AuditError {
  /// Makes the error of an input that could not be opened because too many files are open.
  init(source: LogSource) {
    self.init(.tooFewDescriptors, "cannot open \(source.name): too many open files")
  }
}
