internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// A sink that counts one thread's verdicts, and writes their rows where they are wanted.
final class VerdictSink {
  private let writer: RowWriter?
  private let events: RowWriter?
  private let eventKeys: Set<Digest256>?
  private let apps: [String]
  /// The part of the run in a simulation, or nil: `writer` then takes ``JudgedRequest`` rows.
  let simulation: SimulationPart?
  private let row: RowBuilder
  static let texts: [RequestText] = [.subject, .requestID]
  /// The tally of verdicts. No access overlaps another, since none calls out.
  @exclusivity(unchecked) private var tally = [UInt64](repeating: 0, count: Verdict.allCases.count)
  /// The counts, indexed by `Verdict.rawValue`.
  var counts: [UInt64] { unsafe tally }

  /// Makes a sink. `writer` takes rows by source and line, `events` rows by key and time, each nil
  /// if not wanted; `eventKeys` are those whose events are wanted, or nil for all, and `apps` are those of ``Shuffles/apps``.
  init(
    writer: RowWriter?, events: RowWriter? = nil, apps: [String] = [],
    eventKeys: Set<Digest256>? = nil, simulation: SimulationPart? = nil,
    texts: TextStore
  ) {
    self.simulation = simulation
    self.writer = writer
    self.events = events
    self.apps = apps
    self.eventKeys = eventKeys
    row = RowBuilder(texts: texts)
  }

  /// Whether rows are wanted of all lines.
  var isWriting: Bool { simulation == nil && (writer != nil || events != nil) }

  /// Counts a verdict whose row, if one is wanted, is written elsewhere.
  func count(_ verdict: Verdict) {
    unsafe tally[Int(verdict.rawValue)] += 1
  }

  /// Counts a verdict and writes its row.
  func write(_ verdict: consuming VerdictRow) throws(AuditError) {
    count(verdict.verdict)
    if isWriting { try writeRow(verdict) }
  }

  /// Counts an unreadable line and writes its row. A simulation asks for those with a decision.
  func write(unreadable verdict: consuming VerdictRow) throws(AuditError) {
    guard simulation != nil, let writer else { return try write(verdict) }
    count(.unreadable)
    guard verdict.decision != .unknown else { return }
    try JudgedRequest(row: verdict).write(row)
    unsafe try writer.append(row.row)
  }

  /// Writes the row of a verdict that was counted elsewhere.
  func writeRow(_ verdict: consuming VerdictRow) throws(AuditError) {
    if let writer {
      row.begin()
      var encoder = RowEncoder(row)
      try verdict.fields(&encoder)
      encoder.finish()
      unsafe try writer.append(row.row)
    }
    guard let events, verdict.isEvent else { return }
    if let eventKeys, verdict.keyID.map(eventKeys.contains) != true { return }
    try verdict.writeEvent(row, apps: apps)
    unsafe try events.append(row.row)
  }

  /// Whether events are wanted in order of key and time.
  var isWritingEvents: Bool { events != nil }

  /// Writes, before the events of a key, that it is one of a device, or before all events without a
  /// key, that the event at `position` is.
  func note(device: String, keyID: Digest256?, at position: Position) throws(AuditError) {
    guard let events else { return }
    let place = keyID == nil ? position : Position(source: 0, line: 0)
    var note = VerdictRow(position: place, verdict: .skipped, codes: [])
    note.keyID = keyID
    note.detail = device
    try note.writeEvent(row, apps: apps)
    unsafe try events.append(row.row)
  }

  /// Counts an event's verdict and writes its row. `facts` are those of the event, with ``texts``.
  func write(
    _ verdict: Verdict, _ request: @autoclosure () -> JudgedRequest,
    _ facts: () throws(AuditError) -> (event: Finding, token: TokenFacts)
  ) throws(AuditError) {
    count(verdict)
    guard simulation != nil || isWriting else { return }
    var request = request()
    if simulation?.needsFields(request.row.decision, request.codes) ?? true {
      let (event, token) = try facts()
      request.row = VerdictRow(event, verdict, request.codes)
      // Values that nothing verifies are not shown as signed: by neither policy of a simulation.
      if simulation != nil || request.isSigned { request.row.take(token) }
    }
    guard simulation != nil, let writer else { return try writeRow(request.row) }
    try request.write(row)
    unsafe try writer.append(row.row)
  }

  /// Counts a line in which there is nothing to audit, `why` in one sentence, and writes its row.
  func skip(_ position: Position, _ why: String, _ codes: CodeSet = CodeSet()) throws(AuditError) {
    count(.skipped)
    guard isWriting else { return }
    var row = VerdictRow(position: position, verdict: .skipped, codes: codes.codes)
    row.detail = why
    try writeRow(row)
  }
}

extension VerdictRow {
  init(_ event: Finding, _ verdict: Verdict, _ codes: CodeSet) {
    self.init(
      time: event.time, kind: event.kind, keyID: event.keyID, appID: event.appID,
      clientDataHash: event.clientDataHash, counter: event.counter, position: event.position,
      verdict: verdict, codes: codes.codes, decision: event.decision, subject: event.subject,
      requestID: event.requestID)
  }
}
