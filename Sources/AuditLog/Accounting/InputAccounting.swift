internal import Dispatch
internal import Synchronization

/// The accounting of inputs, which decides which inputs of a run are new. Every content is
/// accounted for exactly once, whatever the names of the files it is in, and however they are
/// compressed.
package struct InputAccounting: Sendable {
  /// The inputs that earlier runs accounted for.
  package var ledger: any InputLedger
  /// A file that was changed less than this ago, in milliseconds, may still be written to: it is read as
  /// far as it is whole. So is one that was changed less than this in the future.
  package var settle: Int64
  /// Milliseconds since 1970.
  package var now: Int64

  package init(ledger: any InputLedger, settle: Int64, now: Int64) {
    self.ledger = ledger
    self.settle = settle
    self.now = now
  }

  /// The settings with which the files are looked through.
  package struct Pass: Sendable {
    /// Threads, at least 1.
    package var jobs: Int
    /// The largest window, `limits.zstdWindowBytes`.
    package var windowLimit: Int
    /// The longest line, `limits.lineBytes`.
    package var lineLimit: Int
    /// A closure that makes a reader of lines, as the run reads them.
    package var reader: @Sendable () -> RecordReader
    /// A closure that is told how many bytes of the files were read, by any thread.
    package var progress: @Sendable (Int) -> Void
    /// A closure that returns whether to stop. The result is void then.
    package var mustStop: @Sendable () -> Bool

    package init(
      jobs: Int, windowLimit: Int, lineLimit: Int, reader: @escaping @Sendable () -> RecordReader,
      progress: @escaping @Sendable (Int) -> Void, mustStop: @escaping @Sendable () -> Bool
    ) {
      self.jobs = jobs
      self.windowLimit = windowLimit
      self.lineLimit = lineLimit
      self.reader = reader
      self.progress = progress
      self.mustStop = mustStop
    }
  }

  /// Looks through the sources of a run (``InputPlan``) and decides which of them are to be read,
  /// and from where on. A source that cannot be read is not accounted for, and nothing of it is
  /// read: neither is a file of which a frame cannot be decoded with the settings. Of a stream that
  /// is damaged what can be decoded is accounted for.
  ///
  /// - Throws: The ledger's errors.
  package func account(
    _ sources: consuming [LogSource], _ pass: Pass
  ) throws -> AccountedSources {
    var result = AccountedSources(sources)
    let damagedBefore = try ledger.damaged()
    var copies = ContentCopies(pass)
    var unfinished: [Int: (content: ScannedContent, stamp: FileStamp)] = [:]
    var damaged: [Int: DamagedFile] = [:]
    var claims = DamagedClaims()
    for start in stride(from: 0, to: result.sources.count, by: Self.batch) {
      let indices = Array(start..<min(start + Self.batch, result.sources.count))
      let looks = try claims.settled(at: indices) { indices, left in
        try pass.forEachFile(result.sources, at: indices) { scanner, path, index in
          try look(path, scanner, damagedBefore, leaving: left[index] ?? [])
        }
      } claims: { look in
        guard case .scanned(.content(let content, _)) = look else { return [:] }
        return content.isDamaged ? [:] : content.claims
      }
      for (index, look) in zip(indices, looks) {
        try take(index, look, &result)
        guard case .scanned(.content(let content, let stamp)) = look else { continue }
        let isFresh = result.hasFresh(index)
        if content.isDamaged, !content.isOpen, isFresh || content.isPartOfKnown {
          damaged[index] = DamagedFile(content: content, stamp: stamp)
        }
        guard isFresh else { continue }
        copies.add(index, content)
        if content.endsInside { unfinished[index] = (content, stamp) }
      }
    }
    for index in try copies.parts(result.sources) {
      guard let (content, stamp) = unfinished[index] else { continue }
      try result.takePart(index, content, stamp, since: ledger.waitingSince(stamp.path))
    }
    try passCopied(damaged, &result, pass)
    return result
  }

  /// The most files that are looked at before it is decided about them: a run may have very many.
  private static let batch = 1024

  /// Decides about one source by the first look at it.
  private func take(_ index: Int, _ look: Look?, _ result: inout AccountedSources) throws {
    switch (result.sources[index].origin, look) {
    case (.standardInput, _):
      result.sources[index].origin = .unreadable("standard input cannot be accounted for")
    case (_, .untouched):
      result.sources[index].origin = .known
    case (_, .scanned(.changed(let stamp))):
      result.wait(index, stamp, since: try ledger.waitingSince(stamp.path))
    case (_, .scanned(.unreadable(let why))):
      result.sources[index].origin = .unreadable(why)
    case (_, .scanned(.content(let content, let stamp))):
      if content.isPartOfKnown {
        return try result.takePart(
          index, content, stamp, since: ledger.waitingSince(stamp.path))
      }
      let known = try known(content)
      if known == nil, content.isNothingNew {
        result.wait(index, stamp, since: try ledger.waitingSince(stamp.path))
      } else {
        result.take(index, content, stamp, known: known)
      }
    case (_, .scanned(.grown)), (_, .scanned(.stopped)), (_, nil):
      break
    }
  }

  /// Returns the input of an earlier run that has the same content, or nil if there is something in it to
  /// be told: a line that damage had cut, though all its bytes had come, or damage.
  func known(_ content: ScannedContent) throws -> AccountedInput? {
    guard let known = try ledger.input(content: content.sha256) else { return nil }
    if content.bytes == 0, content.isDamaged || known.isDamaged { return nil }
    guard known.isDamaged != content.isDamaged else { return known }
    if content.isDamaged { return nil }
    // Without its lines it cannot be compared.
    return try known.endsInCutLine || !ledger.lines(of: known.source).isEmpty ? nil : known
  }

  /// Returns the sources of earlier runs whose content the inputs hold, whole or at their
  /// beginning. The files are looked through for it, and nothing is decided about them.
  ///
  /// - Throws: The ledger's errors.
  package func recognise(_ sources: [LogSource], _ pass: Pass) throws -> RecognisedSources {
    let indices = Array(sources.indices)
    let outcomes = try pass.forEachFile(sources, at: indices) { scanner, path, _ in
      try scanner.scan(path, beginnings: ledger.beginnings)
    }
    var result = RecognisedSources()
    for (index, outcome) in zip(indices, outcomes) {
      guard case .content(let content, _) = outcome else { continue }
      var found = content.recognised
      if let known = try ledger.input(content: content.sha256),
        !found.contains(where: { $0.source == known.source })
      {
        found.append(known)
      }
      guard !found.isEmpty else { continue }
      result.names.append(sources[index].name)
      result.parts[index] = found.map {
        RecognisedSources.Part(source: $0.source, lines: $0.lines)
      }
    }
    return result
  }

  /// The result of the first look at a file.
  private enum Look: Sendable {
    /// A file that has not been touched since an earlier run accounted for it.
    case untouched
    case scanned(ContentScanner.Outcome)
  }

  /// Looks through a file; `damagedBefore` is what the ledger gives (``InputLedger/damaged()``), and `leaving`
  /// are those of which other files are the whole copies.
  private func look(
    _ path: String, _ scanner: ContentScanner, _ damagedBefore: [AccountedInput],
    leaving: Set<UInt32>
  ) throws -> Look {
    var isOpen = false
    if let stamp = FileStamp(path: path) {
      if try ledger.input(untouched: stamp) != nil { return .untouched }
      isOpen = isRecent(stamp)
    }
    var outcome = try scanner.scan(
      path, isOpen: isOpen, marks: ledger.marks, beginnings: ledger.beginnings)
    if case .grown = outcome {
      isOpen = true
      outcome = try scanner.scan(
        path, isOpen: true, marks: ledger.marks, beginnings: ledger.beginnings)
    }
    guard case .content(var content, let stamp) = outcome else { return .scanned(outcome) }
    if content.isPartOfKnown {
      content.isOpen = content.isOpen || isOpen
      return .scanned(.content(content, stamp))
    }
    content.addCandidates(damagedBefore)
    content.leave(leaving)
    content.noteClaims()
    guard content.isDamaged || !content.damagedCandidates.isEmpty else {
      return .scanned(.content(content, stamp))
    }
    if content.isDamaged, try ledger.input(content: content.sha256)?.isDamaged == false {
      // Every byte of it was read from a whole input: it is passed over from the front on, where damage may be.
      content.grownFrom = nil
      content.pass([0..<content.bytes])
    }
    let known = try known(content)
    if let known {
      // What is known is not read, but damaged copies of it may have been read since.
      content.damagedCandidates.removeAll { $0.source == known.source }
      guard !content.isDamaged, !content.damagedCandidates.isEmpty else {
        return .scanned(.content(content, stamp))
      }
    }
    let before =
      known.map { (source: $0.source, bytes: content.bytes) }
      ?? content.grownFrom.map { (source: $0.source, bytes: $0.at) }
    try compareLines(path, &content, scanner, readBefore: before)
    return .scanned(.content(content, stamp))
  }

  /// Finds the lines of a content that were read before from a damaged copy; of a damaged one, notes
  /// what its own are.
  ///
  /// - Parameter readBefore: The bytes that the content begins with and that were read of a copy
  ///   that was whole so far, and the source of that copy. A damaged copy that was read after it
  ///   had the same lines a second time.
  private func compareLines(
    _ path: String, _ content: inout ScannedContent, _ scanner: ContentScanner,
    readBefore: (source: UInt32, bytes: UInt64)?
  ) throws {
    if !content.isDamaged, !content.isOpen { try replaceLineless(path, &content) }
    if !content.isDamaged { try replaceUnremembered(&content) }
    let isWholeFile = !content.isDamaged && !content.isOpen
    let candidates = content.damagedCandidates.filter {
      $0.lines > 0 && !(isWholeFile && $0.isReplaced)
    }.suffix(8)
    // Lines that one of them has were read again with a later one, unless they were passed over then.
    var read: [Range<UInt64>] = []
    for candidate in candidates.sorted(by: { $0.source < $1.source })
    where candidate.source != content.grownFrom?.source
      && !content.replaced.contains(where: { $0.source == candidate.source })
    {
      var twice = read
      if let readBefore, candidate.source > readBefore.source {
        twice = ScannedContent.union(twice + [0..<readBefore.bytes])
      }
      var compared = try ComparedLines(
        path, upTo: content.bytes, with: DamagedLines(kept: ledger.lines(of: candidate.source)),
        twice: twice, scanner)
      let lines = compared.lines
      let isHere = content.damagedHere.contains(candidate.source)
      guard lines.areOfOneInput(isHere: isHere, isPart: content.isDamaged) else { continue }
      // Of two damaged copies that nothing else tells, a few lines tell nothing.
      if content.isDamaged, !isHere, !content.hasHead(of: candidate), !lines.areManyOrNearlyAll {
        continue
      }
      // A shorter copy is not the whole of it: what it does not hold may be no damage, unless it has other
      // lines in its place. Damage may have made its lines longer.
      let isWhole =
        isWholeFile
        && (content.bytes >= candidate.bytes || compared.count >= candidate.lines
          || lines.haveOthersForAll)
      // Another input, of which many lines are the same.
      if isWhole, lines.missesProven { continue }
      content.pass(compared.passed)
      content.claims[candidate.source] = lines.found
      read = ScannedContent.union(read + compared.passed)
      guard isWhole else { continue }
      var replaced = ReplacedInput(
        source: candidate.source, lines: (lines.missing + compared.readTwice).sorted())
      compared.moves.finish()
      replaced.moves = compared.moves
      content.replaced.append(replaced)
    }
    if content.isDamaged { try noteLines(path, &content, scanner) }
  }

  /// Notes what the lines of a damaged content are.
  func noteLines(
    _ path: String, _ content: inout ScannedContent, _ scanner: ContentScanner
  ) throws {
    var lines = DamagedLines()
    var unproven = content.unproven[...]
    let resumeBytes = content.resumeBytes
    try scanner.lines(path, upTo: content.bytes) { digest, range, isCut in
      guard lines.digests.count <= LineDigests.limit else { return }
      while let first = unproven.first, first.upperBound <= range.lowerBound {
        unproven.removeFirst()
      }
      // A last line without an end may go on in the whole copy.
      let isDoubtful =
        isCut || unproven.first.map { $0.lowerBound < range.upperBound } ?? false
        || range.lowerBound >= resumeBytes
      lines.add(digest, isDoubtful: isDoubtful)
    }
    if content.lines == 0 { lines.front = FileFront(FileFront.bytes(of: path)) }
    if lines.digests.count <= LineDigests.limit { content.lineDigests = lines.kept }
  }

  /// Passes over what was read of damaged inputs that a content begins with, and whose lines were not
  /// remembered one by one.
  private func replaceUnremembered(_ content: inout ScannedContent) throws {
    for input in content.recognised
    where try input.isDamaged && !input.isReplaced && ledger.lines(of: input.source).isEmpty
      && !content.replaced.contains(where: { $0.source == input.source })
    {
      content.pass([0..<input.resumeBytes])
      content.replaced.append(ReplacedInput(source: input.source, lines: input.cutLines))
    }
  }

  /// Finds the damaged inputs of which no line was left, and whose whole copy a content is: nothing that was
  /// read is missed. An empty one makes up for nothing.
  private func replaceLineless(_ path: String, _ content: inout ScannedContent) throws {
    guard content.bytes > 0 else { return }
    var bytes: [UInt8]?
    for candidate in content.damagedCandidates
    where candidate.lines == 0 && !candidate.isReplaced
      && !content.replaced.contains(where: { $0.source == candidate.source })
    {
      let isHere = content.damagedHere.contains(candidate.source)
      let kept = DamagedLines(kept: try ledger.lines(of: candidate.source))
      let front = bytes ?? FileFront.bytes(of: path)
      bytes = front
      // Earlier versions kept nothing that tells such a file.
      guard kept.front?.isFront(of: front, isHere: isHere) ?? isHere else { continue }
      content.replaced.append(ReplacedInput(source: candidate.source, lines: candidate.cutLines))
    }
  }

  private func isRecent(_ stamp: FileStamp) -> Bool {
    let age = now.subtractingReportingOverflow(stamp.modifiedMilliseconds)
    return !age.overflow && age.partialValue < settle && age.partialValue > -settle
  }
}

extension InputAccounting.Pass {
  /// Calls `look` for all files among `indices`, some at once, with a scanner for each thread.
  /// Returns what it gives, in their order, with nil for a source that is no file, or was not
  /// looked at.
  func forEachFile<Look: Sendable>(
    _ sources: [LogSource], at indices: [Int],
    _ look: @Sendable (ContentScanner, String, Int) throws -> Look?
  ) throws -> [Look?] {
    let looks = Mutex([Look?](repeating: nil, count: indices.count))
    let failure = Mutex<(any Error)?>(nil)
    let next = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: max(1, min(jobs, indices.count))) { _ in
      let scanner = ContentScanner(
        windowLimit: windowLimit, lineLimit: lineLimit, reader: reader, progress: progress,
        mustStop: mustStop)
      while !mustStop(), failure.withLock({ $0 == nil }) {
        let place = next.add(1, ordering: .relaxed).oldValue
        guard place < indices.count else { return }
        let index = indices[place]
        guard case .file(let path) = sources[index].origin else { continue }
        do {
          let found = try look(scanner, path, index)
          looks.withLock { $0[place] = found }
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return looks.withLock { $0 }
  }
}
