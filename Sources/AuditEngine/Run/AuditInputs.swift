internal import AppAttest
internal import AuditLog
internal import Basics
internal import Files
internal import Synchronization

/// The inputs of a run: found, and compared with what earlier runs accounted for.
struct AuditInputs {
  private(set) var sources: [LogSource]
  /// The facts to remember of them, or nil if the run accounts for nothing.
  private(set) var accounted: ReadInputs?
  private(set) var history: RunMemory?
  /// The copies of what can be read only once.
  private(set) var copies: [OpenFile] = []

  /// A decoder may need a window of this size: with less memory for each thread there are fewer.
  private static let threadMemory = 64 << 20

  /// Finds them, and compares their lines with those that were read before. `takesKinds` is true if
  /// the run tells later as what it read the lines. Throws the ledger's errors, and `.cancelled`.
  init(
    _ configuration: AuditConfiguration, run: Cancellation<AuditError>, progress: AuditProgress,
    takesKinds: Bool = false, notice: (String) -> Void
  ) throws(AuditError) {
    history = configuration.history
    sources = InputPlan.sources(
      configuration.inputs, standardInputName: configuration.standardInputName,
      follows: configuration.followsLinks, notice: notice)
    // The inputs are not at fault where the process has no descriptor left.
    if let source = sources.first(where: \.lacksDescriptors) {
      throw AuditError(source: source)
    }
    if configuration.accounting.map({ _ in history?.mode == .reference }) ?? (sources.count > 1) {
      try copyPipes(to: configuration.limits.tempDirectory, run)
    }
    progress.bytesTotal.store(2 * bytes, ordering: .relaxed)
    do { try compare(configuration, run, progress, takesKinds: takesKinds, notice) } catch {
      throw error as? AuditError ?? AuditError(.inconsistent, "\(error)")
    }
    try run.check()
    if let source = sources.first(where: \.lacksDescriptors) {
      throw AuditError(source: source)
    }
    // Entries of `expect:` have numbers after those of the sources.
    let entries = configuration.expected.map(\.entry)
    if let history {
      self.history?.order = try history.orderSources(
        sources.map(\.name) + entries, history.origins)
    }
    history?.sourceCount = UInt32(clamping: sources.count + entries.count)
    for source in sources {
      guard case .duplicate(let first) = source.origin else { continue }
      notice("\(source.name) is the same file as \(sources[first].name) and is left out")
    }
    progress.bytesTotal.store(
      progress.bytesRead.load(ordering: .relaxed) + bytes, ordering: .relaxed)
  }

  /// Copies standard input, and pipes that were named themselves, into files: inputs are compared before they are read
  /// (`records.R97`). What a folder or glob brought is never waited for.
  private mutating func copyPipes(
    to folder: String, _ run: Cancellation<AuditError>
  ) throws(AuditError) {
    for index in sources.indices {
      let pipe: OpenFile
      switch sources[index].origin {
      case .standardInput: pipe = .standardInput
      case .file(let path) where sources[index].found == nil && FileStamp(path: path) == nil:
        guard let opened = try? OpenFile(reading: path) else { continue }
        pipe = opened
      default: continue
      }
      let copy = try Folder(path: folder).createNameless()
      while true {
        let bytes = try pipe.readNext(limit: 1 << 20)
        try run.check()
        if bytes.isEmpty { break }
        try copy.append(bytes.span)
      }
      copies.append(copy)
      sources[index].origin = .file(path: copy.reopenedPath)
      sources[index].size = UInt64(try copy.size())
    }
  }

  /// Decides which lines of the sources are read.
  private mutating func compare(
    _ configuration: AuditConfiguration, _ run: Cancellation<AuditError>, _ progress: AuditProgress,
    takesKinds: Bool, _ notice: (String) -> Void
  ) throws {
    let (limits, accounting) = (configuration.limits, configuration.accounting)
    var scan = LineScan(
      key: accounting?.ledger.key ?? LineKey(),
      jobs: max(1, min(limits.jobs, limits.memory / Self.threadMemory)),
      lineLimit: limits.lineBytes, windowLimit: limits.zstdWindowBytes,
      reader: { [schema = configuration.schema] in
        RecordReader(schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
      },
      progress: { progress.bytesRead.add($0, ordering: .relaxed) }, mustStop: { run.mustStop })
    let isReference = history?.mode == .reference
    if let accounting, !isReference {
      (scan.settle, scan.now) = (accounting.settle, accounting.now)
    }
    var comparison = InputComparison(scan, rejectRate: limits.rejectRate)
    comparison.ledger = accounting?.ledger
    (comparison.readsAgain, comparison.takesKinds) = (isReference, takesKinds)
    var found = try comparison.decide(&sources)
    for line in found.notices { notice(line) }
    found.number(from: history?.firstSource ?? 0)
    history?.rereads = found.rereads
    guard accounting != nil, !isReference else { return }
    history?.take(found)
    accounted = found
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
