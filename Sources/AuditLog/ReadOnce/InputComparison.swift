/// The memory of inputs that a run with a state has.
package struct InputAccounting: Sendable {
  package var ledger: any InputLedger
  /// A file changed less than these milliseconds ago is read to its last whole line (`pipeline.R8`).
  package var settle: Int64
  /// Milliseconds since 1970.
  package var now: Int64

  package init(ledger: any InputLedger, settle: Int64, now: Int64) {
    self.ledger = ledger
    self.settle = settle
    self.now = now
  }
}

/// The comparison of a run's inputs with one another and with those of earlier runs, before they are read.
package struct InputComparison: Sendable {
  package var scan: LineScan
  /// The inputs of earlier runs, or nil for a run without a state.
  package var ledger: (any InputLedger)?
  /// Whether the run reads inputs again that earlier runs read (a run that only refers to a state).
  package var readsAgain = false
  /// Whether the run tells the kinds of the lines that it reads (``ReadInputs/take(_:of:)``).
  package var takesKinds = false
  /// The largest share of unreadable lines of an input that is accounted for (`pipeline.R15`).
  package var rejectRate: Double

  package init(_ scan: LineScan, rejectRate: Double) {
    self.scan = scan
    self.rejectRate = rejectRate
  }

  private var isRemembering: Bool { ledger != nil && !readsAgain }

  /// Decides what is read of the sources.
  ///
  /// - Throws: The ledger's errors.
  package func decide(_ sources: inout [LogSource]) throws -> ReadInputs {
    var result = ReadInputs(key: scan.key)
    let files = sources.indices.filter {
      if case .file = sources[$0].origin { true } else { false }
    }
    if isRemembering {
      for index in sources.indices where sources[index].origin == .standardInput {
        sources[index].origin = .unreadable("standard input cannot be accounted for")
      }
    }
    guard ledger != nil || files.count > 1 else { return result }
    let known = try ledger?.inputs() ?? []
    let (scanned, areAlike) = try scanned(sources, known)
    if scan.mustStop() { return result }
    var found: [ComparedInputs.New] = []
    for index in files {
      switch scanned[index] {
      case .file(let file): found.append(.init(index: index, name: sources[index].name, file: file))
      case .changed where isRemembering: sources[index].origin = .waiting
      case .unreadable(let why) where isRemembering: sources[index].origin = .unreadable(why)
      case nil where isRemembering:
        sources[index].origin =
          FileStamp(path: sources[index].name) == nil
          ? .unreadable("it is not a regular file, and cannot be accounted for") : .known
      case .changed, .unreadable, nil: continue
      }
    }
    if areAlike {
      try ComparedInputs(found, known, ledger, readsAgain: readsAgain).decide(
        rejectRate: isRemembering ? rejectRate : nil, &sources, &result)
    } else if isRemembering {
      // Most nights have no line that was read before.
      for new in found { sources[new.index].part = new.file.part }
      result.entries = found.map(ReadInputs.Entry.init)
    }
    result.notices += InputNotices.lines(sources)
    return result
  }

  /// The most lines of earlier inputs that are compared with all of this run's lines, and the most for each of these.
  /// With more, those of other times are left out, for which this run's lines have to be read.
  private static let mostCompared: UInt64 = 1 << 25
  private static let mostForEach: UInt64 = 64

  /// Scans the files, and returns whether some might have rows in common with others. Lines are read
  /// for their kinds only in these, if the run tells the kinds of all other lines later.
  private func scanned(
    _ sources: [LogSource], _ known: [KnownInput]
  ) throws -> (outcomes: [Int: LineScan.Outcome], areAlike: Bool) {
    let (ledger, isRemembering) = (ledger, isRemembering)
    let isKnown = { @Sendable (stamp: FileStamp) throws -> Bool in
      try isRemembering && ledger?.isKnown(stamp) == true
    }
    var scan = scan
    for input in known where input.hasTable && input.damage.openBytes > 0 {
      scan.openLines[input.lines, default: []].insert(input.damage.openBytes)
    }
    var quick = scan
    quick.readsKinds = isRemembering && !takesKinds
    // Nothing is left out of files that no other one is like, and nothing of them is remembered.
    quick.sums = isRemembering
    let scanned = try quick.scan(sources) { _, stamp in try isKnown(stamp) }
    if quick.readsKinds || scan.mustStop() { return (scanned, true) }
    let earlier = known.filter(\.hasTable).reduce(0) { $0 + $1.lines }
    let lines = scanned.values.reduce(0) { $0 + $1.lines }
    guard earlier <= max(Self.mostCompared, Self.mostForEach * lines) else {
      return (try scan.scan(sources) { _, stamp in try isKnown(stamp) }, true)
    }
    let found = scanned.sorted { $0.key < $1.key }.compactMap { index, outcome in
      if case .file(let file) = outcome {
        ComparedInputs.New(index: index, name: sources[index].name, file: file)
      } else {
        nil
      }
    }
    let least = scan.reader().readsSeveral ? 1 : InputPair.leastTimes
    let alike = try ComparedInputs(
      found, known, ledger, readsAgain: readsAgain, least: least
    ).alike
    if alike.isEmpty { return (scanned, false) }
    let read = try scan.scan(sources) { index, _ in !alike.contains(index) }
    return (scanned.merging(read) { $1 }, true)
  }
}
