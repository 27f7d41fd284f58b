internal import AppAttest
internal import AuditLog
internal import RowShuffle

extension LineKey {
  /// The key of stages without a state, each a process of its own: they share no secret, so that a client can make
  /// different records of one digest. It matters only with `identicalRecords: duplicate` (`detection.R64`).
  static let ofStages = LineKey(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7345)
}

// The stages of an audit one by one, where others carry out its shuffles.
extension AuditRun {
  /// Carries out one stage, from a stream to a stream.
  func run(_ stage: AuditStage, _ streams: StageStreams) throws(AuditError) {
    let texts = TextStore(folder: configuration.limits.tempDirectory)
    let input = try streams.open(configuration, texts)
    let output = try FrameWriter(streams.output, header: streams.header(configuration))
    let sources = try input.sources()
    var run = self
    run.sources = sources.map(\.source)
    run.numbers = sources.map(\.number)
    if let (night, recalled) = try streams.recall(input, names: run.sources.map(\.name)) {
      var history = recalled
      run.key = night.accounted.key
      run.otherLogs = night.accounted.otherLogs(
        [], from: 0, above: configuration.limits.rejectRate)
      history.mode = .advance
      history.rows = MemoryRows(output, stage)
      run.configuration.history = history
    }
    var ends = ShuffleEnds(
      [stage.taken].compactMap(\.self), from: input, stage.given, to: output, texts: texts)
    var totals = AuditTotals()
    let parts: RunParts
    if stage == .map {
      if streams.countsHashes { ends.places = HashPlaces(output) }
      parts = try run.map(input, output, ends, &totals)
    } else {
      try run.check(sources, input)
      if stage == .keys, run.configuration.history == nil {
        ends.repeated = try input.repeatedHashes(
          bytes: run.memoryPlan(sources: sources.count).repeatedHashes)
      }
      parts = try run.reduce(stage, input, output, ends, &totals)
    }
    try parts.flush()
    parts.count(into: &totals)
    try output.add(totals.bytes)
    try output.finish()
  }

  private func map(
    _ input: StageInput, _ output: FrameWriter, _ ends: ShuffleEnds, _ totals: inout AuditTotals
  ) throws(AuditError) -> RunParts {
    try input.end()
    let parts = try RunParts(self, names: [], ends: ends)
    let inputs = try ingest(parts, &totals)
    // What was read is said last, where those find it who only pass rows on.
    try parts.flush()
    try parts.shuffles.places?.flush()
    try parts.tellSeen()
    for (number, input) in zip(numbers, inputs) { try output.add(input.bytes(number)) }
    return parts
  }

  /// Judges the rows of the input that are the stage's, and passes the others on.
  private func reduce(
    _ stage: AuditStage, _ input: StageInput, _ output: FrameWriter, _ ends: ShuffleEnds,
    _ totals: inout AuditTotals
  ) throws(AuditError) -> RunParts {
    let taken = [stage.taken].compactMap(\.self)
    try input.pass(stage.passed, before: taken, to: output)
    var run = self
    if let first = try input.firstKey(of: stage) {
      run.configuration.history?.marks = KeptRowMark.last(
        configuration.history?.marks ?? [], before: first)
    }
    let parts = try RunParts(run, names: sources.map(\.name), ends: ends)
    switch stage {
    case .map: break
    case .recall: try run.recall(parts)
    case .devices: try run.join(parts)
    case .keys: try run.reduceKeys(parts, parts.reducers.map { ReplayAudit($0) }, &totals)
    case .hashes:
      try run.reduceHashes(
        parts, parts.reducers.map { ReplayAudit($0, otherLogs: run.otherLogs) })
    }
    try input.pass(stage.passed, before: [], to: output)
    try parts.tellSeen()
    return parts
  }

  /// Gives what waits for a device's key, and asks for what earlier runs kept of listed keys.
  private func recall(_ parts: RunParts) throws(AuditError) {
    guard let history = configuration.history else {
      throw AuditError(.inconsistent, "a run recalls something without a state")
    }
    try makeJoin(parts)?.takeWaiting()
    let wanted = try history.wantedKeys(configuration.knownKeys)
    try askForChangedKeys(parts)
    try askForHashes(parts, checksChallenges: false)
    guard !wanted.isEmpty else { return }
    var kept = try KeptRowReader(history.events.runs(), history.order)
    let row = RowBuilder(texts: parts.shuffles.texts)
    var index = 0
    while let bytes = unsafe kept.next, index < wanted.count {
      let keyID = unsafe Digest256(copying: bytes.baseAddress.unsafelyUnwrapped)
      if wanted[index] < keyID {
        index += 1
        continue
      }
      if wanted[index] == keyID {
        EventRow.write(askingFor: keyID, row)
        unsafe try parts.shuffles.byKey.writer(0).append(row.row)
        while index < wanted.count, wanted[index] == keyID { index += 1 }
      }
      try kept.advance()
    }
  }
}

extension StageInput {
  /// Returns the first key whose kept events a stage asks for, or nil if it asks for none, or for all.
  fileprivate func firstKey(of stage: AuditStage) throws(AuditError) -> Digest256? {
    guard stage == .keys, try nextForm() == .event else { return nil }
    let row = unsafe next
    guard let base = row.baseAddress, row.count >= Digest256.byteCount else { return nil }
    return unsafe Digest256(copying: base)
  }
}
