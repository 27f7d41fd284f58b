internal import Basics

/// The decisions of a run about its inputs, and what later runs are to know of them.
package struct ReadInputs: Sendable {
  /// An input that the run reads.
  package struct Entry: Sendable, Equatable {
    /// Its source is counted from the run's first source.
    package var input: KnownInput
    package var digests: [LineDigest]
    /// The facts by which a later run sees that the file has not changed, or nil if a part of it is left to a later run.
    package var stamp: FileStamp?
    /// The run's sources that have lines which are not read here, numbered as the input's own.
    package var copies: [UInt64] = []
    /// The source of an earlier run that is this input, or that has grown to it (`records.R99`).
    package var grownFrom: UInt32?

    package init(input: KnownInput, digests: [LineDigest], stamp: FileStamp?) {
      self.input = input
      self.digests = digests
      self.stamp = stamp
    }
  }

  /// An input of an earlier run of which this run's inputs explain something.
  package struct Explained: Sendable, Equatable {
    /// Its number among all sources of all runs.
    package var source: UInt32
    /// The lines, counted from 1, that this run's lines replace.
    package var superseded: [UInt64]
    /// The damaged places that this run's inputs repair.
    package var repaired: [LineDamage.Place]

    package init(source: UInt32, superseded: [UInt64], repaired: [LineDamage.Place]) {
      self.source = source
      self.superseded = superseded
      self.repaired = repaired
    }
  }

  /// The key of all digests.
  package internal(set) var key: LineKey
  /// The inputs that are remembered.
  package internal(set) var entries: [Entry] = []
  package internal(set) var explained: [Explained] = []
  /// Lines for people about inputs that are not read as they are.
  package internal(set) var notices: [String] = []
  /// The lines of earlier runs that this run reads again (a run that only refers to a state).
  package internal(set) var rereads = RereadLines()

  package init(key: LineKey, entries: [Entry] = [], explained: [Explained] = []) {
    self.key = key
    self.entries = entries
    self.explained = explained
  }

  /// Numbers the sources of this run from `first` on.
  package mutating func number(from first: UInt32) {
    for index in entries.indices {
      entries[index].input.source &+= first
      entries[index].copies = entries[index].copies.map { $0 + UInt64(first) }
    }
  }

  /// Returns some sources of this run that are not to be accounted for (`pipeline.R15`), and those that are not read
  /// whole because of them.
  package func setAside(_ sources: [UInt32]) -> Set<UInt32> {
    var result = Set(sources)
    var isComplete = result.isEmpty
    while !isComplete {
      let found = entries.filter { entry in
        !result.contains(entry.input.source)
          && entry.copies.contains { result.contains(UInt32(clamping: $0)) }
      }
      result.formUnion(found.map(\.input.source))
      isComplete = found.isEmpty
    }
    return result
  }
}

/// The lines of earlier runs' inputs that a run reads again. Lines are counted from 1.
package struct RereadLines: Sendable, Equatable {
  /// Lines that two inputs have.
  struct Part: Sendable, Equatable {
    /// The number of the earlier run's source, and its first line.
    var source: UInt32
    var line: UInt64
    /// The index of this run's source, and its first line.
    var index: Int
    var here: UInt64
    var count: UInt64
  }

  private var bySource: [UInt32: [Part]] = [:]
  private var byIndex: [Int: [Part]] = [:]

  package init() {}

  mutating func add(_ part: Part) {
    bySource[part.source, default: []].append(part)
    byIndex[part.index, default: []].append(part)
  }

  package var isEmpty: Bool { bySource.isEmpty }

  /// Returns whether a line of an earlier run's source is read again.
  package func contains(source: UInt32, line: UInt64) -> Bool {
    bySource[source]?.contains { line >= $0.line && line - $0.line < $0.count } ?? false
  }

  /// Returns the earliest source in which an earlier run read a line of this run's source, or nil if the line is new.
  package func source(ofIndex index: Int, line: UInt64) -> UInt32? {
    byIndex[index]?.lazy.filter { line >= $0.here && line - $0.here < $0.count }.map(\.source).min()
  }
}

/// The memory of inputs that a run with a state has.
package struct InputAccounting: Sendable {
  package var ledger: any InputLedger
  /// A file that was changed less than this ago, in milliseconds, may still be written to: it is read to its last whole
  /// line (`pipeline.R8`).
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

  package init(
    scan: LineScan, ledger: (any InputLedger)? = nil, readsAgain: Bool = false,
    takesKinds: Bool = false
  ) {
    self.scan = scan
    self.ledger = ledger
    self.readsAgain = readsAgain
    self.takesKinds = takesKinds
  }

  /// Whether the run's inputs are remembered.
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
    var found: [(index: Int, file: LineScan.File)] = []
    for index in files {
      switch scanned[index] {
      case .file(let file): found.append((index, file))
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
      try compare(found, known, &sources, &result)
    } else if isRemembering {
      // Most nights have no line that was read before.
      for (index, file) in found {
        sources[index].part = file.part
        result.remember(file, sources[index].name, index)
      }
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
    var quick = scan
    quick.readsKinds = isRemembering && !takesKinds
    // Nothing is left out of files that no other one is like, and nothing of them is remembered.
    quick.hashes = isRemembering
    let scanned = try quick.scan(sources) { _, stamp in try isKnown(stamp) }
    if quick.readsKinds || scan.mustStop() { return (scanned, true) }
    let earlier = known.filter(\.hasTable).reduce(0) { $0 + $1.lines }
    let lines = scanned.values.reduce(0) { $0 + $1.lines }
    guard earlier <= max(Self.mostCompared, Self.mostForEach * lines) else {
      return (try scan.scan(sources) { _, stamp in try isKnown(stamp) }, true)
    }
    let alike = try alike(scanned, known)
    if alike.isEmpty { return (scanned, false) }
    let read = try scan.scan(sources) { index, _ in !alike.contains(index) }
    return (scanned.merging(read) { $1 }, true)
  }

  /// Returns the indices of the files that have so many lines in common with another file, or with
  /// an input of an earlier run, that some might be copies.
  private func alike(
    _ scanned: [Int: LineScan.Outcome], _ known: [KnownInput]
  ) throws -> Set<Int> {
    let files = scanned.compactMapValues { outcome in
      if case .file(let file) = outcome { file.table } else { nil }
    }.sorted { $0.key < $1.key }
    let earlier = try earlierInputs(known.filter(\.hasTable), of: files.map(\.value))
    let inputs =
      earlier.map { ComparedInput($0.table, name: "", isEarlier: true) }
      + files.map { ComparedInput($0.value, name: "", isEarlier: false) }
    let least = scan.reader().readsSeveral ? 1 : InputPair.leastTimes
    let pairs = CommonRequests(inputs, firstNew: earlier.count, least: least).pairs
    let wholes = wholeCopies(files.map(\.value), of: known.withoutTables)
    let places = pairs.flatMap { [$0.first, $0.second] }.map { $0 - earlier.count } + wholes.keys
    return Set(places.filter { $0 >= 0 }.map { files[$0].key })
  }

  /// Compares the files that were scanned.
  private func compare(
    _ found: [(index: Int, file: LineScan.File)], _ known: [KnownInput],
    _ sources: inout [LogSource], _ result: inout ReadInputs
  ) throws {
    let earlier = try earlierInputs(known.filter(\.hasTable), of: found.map(\.file.table))
    let inputs =
      earlier.map { known in
        ComparedInput(
          known.table, name: PathName.last(known.input.name), isEarlier: true,
          superseded: known.input.superseded)
      }
      + found.map { index, file in
        ComparedInput(file.table, name: PathName.last(sources[index].name), isEarlier: false)
      }
    let candidates = CommonRequests(inputs, firstNew: earlier.count).pairs
    let decision = ReadOnce(
      inputs, candidates: candidates.filter { !readsAgain || !inputs[$0.first].isEarlier })
    let wholes = wholeCopies(found.map(\.file.table), of: known.withoutTables)
    if readsAgain {
      result.rereads = rereads(inputs, candidates, earlier.map(\.input), found.map(\.index), wholes)
    }
    func name(_ place: Int) -> String {
      place < earlier.count
        ? earlier[place].input.name : sources[found[place - earlier.count].index].name
    }
    for (place, (index, file)) in found.enumerated() {
      var unread = decision.unread(earlier.count + place)
      var others = Set(decision.copies(earlier.count + place).map { name($0.other) })
      if let whole = wholes[place]?.last, !readsAgain {
        unread.formUnion(LineRanges([0..<Int(clamping: whole.lines)]))
        others.insert(whole.name)
      }
      let repaired = decision.repaired(earlier.count + place)
      var part = file.part
      part.passed = unread.ranges.map { UInt64($0.lowerBound) + 1..<UInt64($0.upperBound) + 1 }
      part.repaired = repaired.map(\.byteOffset)
      if isRemembering || !unread.isEmpty || !repaired.isEmpty { sources[index].part = part }
      let count = inputs[earlier.count + place].count
      if let notice = InputNotices.line(
        sources[index].name, readBefore: min(unread.count, count), of: count, in: others.sorted())
      {
        result.notices.append(notice)
      }
      guard isRemembering else { continue }
      result.remember(file, sources[index].name, index)
      let input = inputs[earlier.count + place]
      let last = result.entries.count - 1
      result.entries[last].input.superseded = input.own(input.superseded)
      result.entries[last].grownFrom =
        decision.origin(earlier.count + place).map { earlier[$0].input.source }
        ?? wholes[place]?.last?.source
      guard !unread.isEmpty else { continue }
      result.entries[last].copies = decision.partners(earlier.count + place)
        .filter { $0 >= earlier.count }.map { UInt64(found[$0 - earlier.count].index) }
    }
    guard isRemembering else { return }
    for (place, known) in earlier.enumerated() {
      let before = known.input.superseded
      let lines = inputs[place].own(inputs[place].superseded).ranges.joined()
        .filter { !before.contains($0) }
      let repaired = decision.repaired(place)
      guard !lines.isEmpty || !repaired.isEmpty else { continue }
      result.explained.append(
        ReadInputs.Explained(
          source: known.input.source, superseded: lines.map { UInt64($0) + 1 }, repaired: repaired))
    }
  }

  // MARK: Inputs of earlier runs

  private struct Earlier {
    var input: KnownInput
    var table: LineTable
  }

  /// Returns the inputs of earlier runs that might have rows in common with some tables.
  private func earlierInputs(
    _ known: [KnownInput], of tables: [LineTable]
  ) throws -> [Earlier] {
    guard let ledger, !known.isEmpty else { return [] }
    let requests = RequestFilter(tables)
    var found: [Earlier] = []
    for input in known {
      var isMeant = tables.contains(where: input.mayBegin)
      if !isMeant, let span = input.span, requests.mayBe(in: span) {
        try ledger.forEachPiece(of: input.source) { digests in
          isMeant = isMeant || digests.contains { $0.isRequest && requests.contains($0) }
        }
      }
      guard isMeant else { continue }
      let digests = try ledger.digests(of: input.source)
      guard UInt64(digests.count) == input.lines else { continue }
      found.append(Earlier(input: input, table: LineTable(digests: digests, damage: input.damage)))
    }
    return found
  }

  /// Returns, for each table, the inputs of earlier runs that the table begins with and whose lines are no longer kept one
  /// by one, the longest last.
  private func wholeCopies(_ tables: [LineTable], of known: [KnownInput]) -> [Int: [KnownInput]] {
    var result: [Int: [KnownInput]] = [:]
    for (place, table) in tables.enumerated() {
      let inputs = known.filter { $0.mayBegin(table) }.sorted { $0.lines < $1.lines }
      guard !inputs.isEmpty else { continue }
      var digest = ContentDigest()
      var next = inputs[...]
      for (line, bits) in table.digests.enumerated() {
        digest.add(bits)
        while let input = next.first, input.lines == UInt64(line) + 1 {
          if input.content == digest.bytes { result[place, default: []].append(input) }
          next.removeFirst()
        }
        if next.isEmpty { break }
      }
    }
    return result
  }

  /// Returns the lines of earlier runs that this run reads again: those of rows that count.
  private func rereads(
    _ inputs: [ComparedInput], _ candidates: [(first: Int, second: Int)], _ earlier: [KnownInput],
    _ indices: [Int], _ wholes: [Int: [KnownInput]]
  ) -> RereadLines {
    var result = RereadLines()
    for (first, second) in candidates where inputs[first].isEarlier {
      let rows = InputPair(inputs[first], inputs[second]).counting
      for row in rows.flatMap({ inputs[first].own($0, with: inputs[second]) }) {
        result.add(
          RereadLines.Part(
            source: earlier[first].source, line: UInt64(row.first) + 1,
            index: indices[second - earlier.count], here: UInt64(row.second) + 1,
            count: UInt64(row.count)))
      }
    }
    for (place, input) in wholes.flatMap({ place, inputs in inputs.map { (place, $0) } }) {
      result.add(
        RereadLines.Part(
          source: input.source, line: 1, index: indices[place], here: 1, count: input.lines))
    }
    return result
  }
}

extension ReadInputs {
  /// Remembers a file, which is the source of that index.
  fileprivate mutating func remember(_ file: LineScan.File, _ name: String, _ index: Int) {
    let input = KnownInput(source: UInt32(clamping: index), name: name, file.table)
    entries.append(Entry(input: input, digests: file.table.digests, stamp: file.stamp))
  }
}

extension [KnownInput] {
  /// The undamaged inputs whose lines are no longer kept one by one.
  fileprivate var withoutTables: [KnownInput] { filter { !$0.hasTable && !$0.damage.isDamaged } }
}

/// The name of a file without its folder.
private enum PathName {
  static func last(_ path: String) -> String {
    String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
  }
}
