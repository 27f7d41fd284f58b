internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle
internal import Synchronization

/// One worker of the first stage: turns the lines of a batch into rejects and events.
final class IngestWorker {
  /// The counts of a batch.
  struct Count {
    var records = RecordCounts()
    /// The shapes of the skipped lines that hold App Attest tokens, in the order of their lines.
    var shapes: [SkippedShape] = []
    /// The hours at which its records happened.
    var hours = SourceHours()
  }

  private let reader: RecordReader
  /// The search for tokens in skipped lines.
  private let search = TokenSearch()
  /// The place of each shape among those of the batch at hand.
  private var places: [[UInt8]: Int] = [:]
  /// The fields of the record at hand; nobody else has access to it.
  @exclusivity(unchecked) private var buffer = ByteBuffer()
  private let decoder: EventDecoder
  private let findings: FindingSink
  private let verdicts: VerdictSink
  private let rejects: RowWriter
  private let row: RowBuilder
  private let lineLimit: Int
  private let run: Cancellation<AuditError>
  private let progress: AuditProgress
  /// The counts of all batches.
  private(set) var counts = RecordCounts()
  /// The apps of its records that no setting names.
  var unconfigured: UnconfiguredApps { decoder.unconfigured }

  init(
    _ context: IngestContext, worker: Int, findings: FindingSink, verdicts: VerdictSink
  ) {
    reader = RecordReader(
      schema: context.schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject)
    decoder = EventDecoder(context, worker: worker, findings: findings, verdicts: verdicts)
    self.findings = findings
    self.verdicts = verdicts
    rejects = context.shuffles.rejects.writer(worker)
    row = RowBuilder(texts: context.shuffles.texts)
    lineLimit = context.lineLimit
    run = context.run
    progress = context.progress
  }

  /// Decodes every line of a batch. A failure stops the run.
  func process(_ batch: LineBatch) -> Count {
    var count = Count()
    guard !run.mustStop else { return count }
    var failure: AuditError?
    if !places.isEmpty { places = [:] }
    let source = batch.source
    batch.forEachLine(limit: lineLimit) { line in
      guard failure == nil else { return }
      count.records.lines += 1
      do throws(AuditError) {
        try take(line, Position(source: source, line: line.number), &count)
      } catch {
        failure = error
      }
    }
    counts += count.records
    progress.records.add(Int(count.records.lines), ordering: .relaxed)
    if let failure { run.stop(failure) }
    return count
  }

  /// Settles what waits for more of its kind; after the last batch.
  func finish() {
    guard !run.mustStop else { return }
    do throws(AuditError) {
      try decoder.finish()
    } catch {
      run.stop(error)
    }
  }

  private func take(
    _ line: LogLine, _ position: Position, _ count: inout Count
  ) throws(AuditError) {
    switch line.state {
    case .passed:
      count.records.known += 1
      try verdicts.write(VerdictRow(position: position, verdict: .known, codes: []))
    case .blank:
      count.records.blank += 1
    case .cut:
      try reject(
        Reject(.malformedJSON, "Damage in the stream cuts the line."), line, position, &count)
    case .overlong:
      try reject(
        Reject(.malformedJSON, "The line is longer than limits.lineBytes, \(lineLimit) bytes."),
        line, position, &count)
    case .whole:
      switch unsafe reader.read(line.text, into: &buffer) {
      case .reject(let reject): try self.reject(reject, line, position, &count)
      case .skipped:
        try skip(
          line, "No rule of the schema fits the line, or it is another platform's.",
          hasTokens: unsafe search.holdsToken(line.text), position, &count)
      case .deviceCheckToken:
        count.records.deviceCheckTokens += 1
        try verdicts.skip(position, "A DeviceCheck token: nothing of it can be verified offline.")
      // What hands out a challenge and holds a token all the same is a request that lost its fields.
      case .record(let record)
      where unsafe record.kind == .challenge && search.holdsToken(line.text):
        try skip(
          line, "The line hands out a challenge, and holds a token under a name that nobody reads.",
          hasTokens: true, position, &count)
      case .record(let record):
        count.hours.add(time: record.time)
        switch record.kind {
        case .attestation: count.records.attestations += 1
        case .assertion: count.records.assertions += 1
        case .challenge: count.records.challenges += 1
        }
        unsafe try decoder.decode(record, &buffer, at: position)
      }
    }
  }

  /// Counts a line in which nothing is audited; `why` is a sentence on it.
  private func skip(
    _ line: LogLine, _ why: String, hasTokens: Bool, _ position: Position, _ count: inout Count
  ) throws(AuditError) {
    count.records.skipped += 1
    if hasTokens {
      let isRejected = reader.decision() == .rejected
      unsafe note(reader.shape(of: line.text), isRejected: isRejected, position, &count)
    }
    try verdicts.skip(position, why, CodeSet(hasTokens ? [.recordNotAudited] : []))
  }

  /// Counts a skipped line that holds tokens with those of its shape.
  private func note(
    _ shape: [UInt8], isRejected: Bool, _ position: Position, _ count: inout Count
  ) {
    count.records.notAudited += 1
    let place = places[shape] ?? count.shapes.count
    if place == count.shapes.count {
      places[shape] = place
      count.shapes.append(SkippedShape(shape: shape, line: position.line))
    }
    count.shapes[place].count += 1
    if isRejected { count.shapes[place].rejected += 1 }
  }

  private func reject(
    _ reject: Reject, _ line: LogLine, _ position: Position, _ count: inout Count
  ) throws(AuditError) {
    count.records.unreadable += 1
    let code = FindingCode(reject.code)
    try findings.emit(
      code, reject: FindingSubject(position: position, decision: reject.decision),
      line: line.sha256, reject.reason)
    try RejectRow(
      position: position, byteOffset: line.byteOffset, code: code, reason: reject.reason,
      head: line.head
    ).write(row)
    unsafe try rejects.append(row.row)
    verdicts.count(.unreadable)
    guard verdicts.isWriting else { return }
    var verdict = VerdictRow(position: position, verdict: .unreadable, codes: [code])
    verdict.decision = reject.decision
    verdict.detail = reject.reason
    try verdicts.writeRow(verdict)
  }
}

extension LogLine {
  /// SHA-256 of the line, without its end.
  fileprivate var sha256: Digest256 {
    if let wholeSHA256, let digest = Digest256(wholeSHA256) { return digest }
    return unsafe Digest256.sha256(Span(_unsafeElements: text))
  }
}
