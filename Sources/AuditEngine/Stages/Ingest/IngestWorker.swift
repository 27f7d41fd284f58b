internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle
internal import Synchronization

/// One worker of the first stage: turns the lines of a batch into rejects and events.
final class IngestWorker {
  struct Count {
    var records = RecordCounts()
    /// The facts that are settled in the order of the source's lines.
    var part = SourceSettlement.Part()
    var hours = TimeBins(kinds: 1, limit: .max)
    /// The kinds of its lines, or nil if nothing is remembered of them.
    var lines: ReadLines?
  }

  private let reader: RecordReader
  /// The place of each shape among those of the batch at hand.
  private var places: [[UInt8]: Int] = [:]
  /// The last line of it with tokens that are not audited.
  private var notedLine: UInt64?
  /// The lines that are searched for further tokens together, which takes less time.
  private var waiting: [(line: LogLine, position: Position)] = []
  private static let mostWaiting = 32
  /// The SHA-256 of the line at hand, once it is needed.
  private var lineDigest: Digest256?
  /// The fields of the record at hand; nobody else has access to it.
  @exclusivity(unchecked) private var buffer = ByteBuffer()
  private let decoder: EventDecoder
  private let findings: FindingSink
  private let verdicts: VerdictSink
  private let rejects: RowWriter
  private let row: RowBuilder
  private let lineLimit: Int
  private let hasAmbiguousTimes: Bool
  private let rejectLimit: Int
  private let accounted: AccountedLines?
  private let state: Cancellation<AuditError>
  private let progress: AuditProgress
  private(set) var counts = RecordCounts()
  /// The apps of its records that no setting names.
  var unconfigured: UnconfiguredApps { decoder.unconfigured }

  /// Makes the worker of that index. `beside` decodes the same records for a run of other policies.
  init(_ run: AuditRun, _ parts: RunParts, worker: Int, beside: EventDecoder? = nil) {
    let (schema, limits) = (run.configuration.schema, run.configuration.limits)
    reader = RecordReader(
      schema: schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenFront, key: run.key)
    decoder = EventDecoder(run, parts, worker: worker, beside: beside)
    findings = parts.findings[worker]
    verdicts = parts.verdicts[worker]
    rejects = parts.shuffles.rejects.writer(worker)
    row = RowBuilder(texts: parts.shuffles.texts)
    (lineLimit, rejectLimit) = (limits.lineBytes, limits.rejects)
    hasAmbiguousTimes = schema.hasAmbiguousTimes
    accounted = run.lines
    state = run.state
    progress = run.progress
  }

  /// Decodes every line of a batch. A failure stops the run.
  func process(_ batch: LineBatch) -> Count {
    var count = Count()
    guard !state.mustStop else { return count }
    var failure: AuditError?
    if !places.isEmpty { places = [:] }
    notedLine = nil
    let source = batch.source
    reader.previousTime = batch.previousTime
    if accounted != nil { count.lines = ReadLines(first: batch.firstLine) }
    batch.forEachLine(limit: lineLimit) { line in
      guard failure == nil else { return }
      count.records.lines += 1
      if lineDigest != nil { lineDigest = nil }
      count.lines?.append()
      if waiting.count == Self.mostWaiting { searchWaiting(&count) }
      do throws(AuditError) {
        try take(line, Position(source: source, line: line.number), &count)
      } catch {
        failure = error
      }
    }
    searchWaiting(&count)
    count.part.shapes.sort { $0.line < $1.line }
    if count.records.recordsRead > 0 {
      findings.signs.add(
        .record, at: Position(source: source, line: 0), count: count.records.recordsRead)
    }
    counts += count.records
    if let lines = count.lines { accounted?.take(lines, of: source) }
    progress.records.add(Int(count.records.lines), ordering: .relaxed)
    if let failure { state.stop(failure) }
    return count
  }

  /// Settles what waits for more of its kind; after the last batch.
  func finish() throws(AuditError) {
    guard !state.mustStop else { return }
    try decoder.finish()
  }

  private func take(
    _ line: LogLine, _ position: Position, _ count: inout Count
  ) throws(AuditError) {
    switch line.state {
    case .passed:
      count.records.known += 1
      if hasAmbiguousTimes { _ = unsafe reader.readTimes(line.text, into: &buffer) }
      try verdicts.write(VerdictRow(position: position, verdict: .known, codes: []))
    case .blank:
      count.records.blank += 1
    case .cut, .overlong:
      count.records.add(.unreadable)
      let end = unsafe line.text.count
      let reason =
        line.state == .cut
        ? "The line ends early: damage in the stream cuts it at byte \(end)."
        : "The line is too long: byte \(lineLimit) is beyond limits.lineBytes."
      try reject(Reject(.malformedJSON, reason), line, position, &count)
    case .whole:
      var position = position
      var kind = ItemKind.skipped
      var next: RecordOutcome? = unsafe reader.read(line.text, into: &buffer)
      while let outcome = next {
        count.lines?.add(outcome)
        let item = try take(outcome, line, position, &count)
        // A line counts under the first of its records (records.R86). A reject is not a record.
        if kind == .skipped || kind == .unreadable && item != .skipped { kind = item }
        next = unsafe reader.next(into: &buffer)
        guard next != nil else { break }
        count.records.items += 1
        position.item += 1
      }
      count.records.add(kind)
      if reader.findsTokenAroundRecords() {
        // If no element is read, the line is not read either.
        let isSkipped = kind == .skipped
        let shape =
          unsafe isSkipped
          ? reader.shape(ofLine: line.text) : reader.shape(aroundRecordsOf: line.text)
        note(shape, isSkipped ? .skipped : .read, isRejected: false, position, &count)
      }
    }
  }

  /// Takes one record of a line, and returns as what it counts.
  private func take(
    _ outcome: RecordOutcome, _ line: LogLine, _ position: Position, _ count: inout Count
  ) throws(AuditError) -> ItemKind {
    let signs = reader.signs(outcome)
    if !signs.isEmpty { unsafe findings.signs.add(signs, at: position, length: reader.text.count) }
    // All rules that read an object are known before it is searched for further tokens.
    let hasFurtherRule = reader.hasFurtherRule
    let isReadBefore = reader.keepsTokens
    switch outcome {
    case .reject(let reject):
      try self.reject(reject, line, position, &count)
      if isReadBefore, !hasFurtherRule, unsafe reader.findsToken(buffer) {
        noteRead(isRejected: reject.decision == .rejected, position, &count)
      }
      return .unreadable
    case .skipped(let reason):
      try skip(
        line, position, reason, isSearched: !hasFurtherRule, isReadBefore: isReadBefore, &count)
      return .skipped
    case .deviceCheckToken:
      if hasFurtherRule {
        unsafe reader.keepToken(buffer)
      } else if unsafe reader.findsToken(buffer) {
        noteRead(isRejected: false, position, &count)
      }
      try verdicts.skip(position, "A DeviceCheck token: nothing of it can be verified offline.")
      return .deviceCheckToken
    case .record(let kind, let time):
      let record = reader.record
      count.hours.add(TimeBins.hour(of: time), 0)
      count.records.add(record)
      if record.ambiguity != 0 {
        count.records.ambiguousTimes += 1
        findings.signs.add(.ambiguousTime, at: position)
      }
      if hasFurtherRule {
        unsafe reader.keepToken(ofRecord: true, buffer)
      } else if reader.searchesLater() {
        waiting.append((line, position))
      } else if unsafe reader.findsToken(besideRecord: true, buffer) {
        noteRead(isRejected: record.decision == .rejected, position, &count)
      }
      unsafe try decoder.decode(record, &buffer, at: position)
      return ItemKind(kind)
    }
  }

  /// Counts a line in which nothing is audited, or a part of one that other rules read.
  private func skip(
    _ line: LogLine, _ position: Position, _ reason: SkipReason, isSearched: Bool,
    isReadBefore: Bool, _ count: inout Count
  ) throws(AuditError) {
    var hasTokens = false
    if isSearched, isReadBefore {
      if unsafe reader.findsToken(buffer) {
        noteRead(isRejected: reader.decision() == .rejected, position, &count)
      }
    } else if isSearched {
      hasTokens = unsafe reader.findsToken(in: reader.text)
      if hasTokens {
        let isRejected = reader.decision() == .rejected
        unsafe note(
          reader.shape(ofSkippedIn: line.text), .skipped, isRejected: isRejected, position, &count)
      }
    }
    try verdicts.skip(position, reason.text, CodeSet(hasTokens ? [.recordNotAudited] : []))
  }

  private func searchWaiting(_ count: inout Count) {
    for index in reader.linesToSearch() {
      let (line, position) = waiting[index]
      if case .record = unsafe reader.read(line.text, into: &buffer),
        unsafe reader.findsToken(besideRecord: true, buffer)
      {
        noteRead(isRejected: reader.record.decision == .rejected, position, &count)
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  private func noteRead(isRejected: Bool, _ position: Position, _ count: inout Count) {
    unsafe note(reader.shape(ofRead: reader.text), .read, isRejected: isRejected, position, &count)
  }

  /// Counts a line with tokens that are not audited with those of its shape, once for each shape (`records.R54`).
  private func note(
    _ shape: [UInt8], _ lines: SkippedShape.Lines, isRejected: Bool, gaveUp: Bool? = nil,
    _ position: Position, _ count: inout Count
  ) {
    if notedLine != position.line { count.records.notAudited += 1 }
    notedLine = position.line
    let place = places[shape] ?? count.part.shapes.count
    if place == count.part.shapes.count {
      places[shape] = place
      count.part.shapes.append(SkippedShape(shape: shape, lines: lines, line: position.line))
    }
    count.part.shapes[place].add(
      line: position.line, isRejected: isRejected, isPartlySearched: gaveUp ?? reader.gaveUp)
  }

  private func reject(
    _ found: Reject, _ line: LogLine, _ position: Position, _ count: inout Count
  ) throws(AuditError) {
    var reject = found
    if reject.code == .malformedJSON {
      let text = unsafe line.state == .whole ? reader.text : line.text
      if unsafe line.hasToken ?? reader.findsToken(in: text) {
        note(
          SkippedShape.notJSON, .notJSON, isRejected: false,
          gaveUp: line.hasToken == nil ? nil : line.isPartlySearched, position, &count)
      }
    } else if !reject.hasToken {
      reject.hasToken = unsafe reader.findsToken(buffer)
    }
    let code = FindingCode(reject.code)
    let severity = findings.policy.severity(code, reject.decision, hasToken: reject.hasToken)
    count.part.rejects.add(limit: rejectLimit, severity) {
      RejectedLine(
        reject: reject, position: position, byteOffset: line.byteOffset,
        sha256: sha256(line), head: line.head, severity: severity)
    }
    try verdicts.write(
      unreadable: VerdictRow(
        position: position, verdict: .unreadable, codes: [code], decision: reject.decision,
        detail: reject.reason))
  }

  /// Returns the SHA-256 of the line at hand, which is computed once.
  private func sha256(_ line: LogLine) -> Digest256 {
    let digest = lineDigest ?? line.sha256
    lineDigest = digest
    return digest
  }

  /// Reports rejects, whose turn it is.
  func report(_ lines: [RejectedLine]) {
    guard !lines.isEmpty, !state.mustStop else { return }
    var lastLine: UInt64 = 0
    do throws(AuditError) {
      for line in lines {
        try findings.emit(reject: line, line.reject.reason)
        // A line has one row, however many of its records are rejects (`reports.R6`).
        guard line.position.line != lastLine else { continue }
        lastLine = line.position.line
        counts.rejectRows += 1
        try RejectRow(
          position: line.position, byteOffset: line.byteOffset, code: line.code,
          reason: line.reject.reason, head: line.head
        ).write(row)
        unsafe try rejects.append(row.row)
      }
    } catch {
      state.stop(error)
    }
  }
}

extension LogLine {
  fileprivate var sha256: Digest256 {
    if let wholeSHA256, let digest = Digest256(wholeSHA256) { return digest }
    return unsafe Digest256.sha256(Span(_unsafeElements: text))
  }
}
