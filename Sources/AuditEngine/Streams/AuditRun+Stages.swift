// The stages of an audit one by one, where others carry out its shuffles.
extension AuditRun {
  /// Carries out one stage, from a stream to a stream.
  func run(_ stage: AuditStage, _ streams: StageStreams) throws(AuditError) {
    let texts = TextStore(folder: configuration.limits.tempDirectory)
    let input = try streams.open(configuration, texts)
    let output = try FrameWriter(streams.output, header: streams.header(configuration))
    var totals = AuditTotals()
    let parts: RunParts
    if stage == .map {
      parts = try map(input, output, texts, &totals)
    } else {
      parts = try reduce(stage, input, output, texts, &totals)
    }
    try parts.flush()
    parts.count(into: &totals)
    try output.add(totals.bytes)
    try output.finish()
  }

  /// Reads the sources that the input names.
  private func map(
    _ input: StageInput, _ output: FrameWriter, _ texts: TextStore, _ totals: inout AuditTotals
  ) throws(AuditError) -> RunParts {
    let rows = try input.sources()
    try input.end()
    var run = self
    run.sources = rows.map(\.source)
    run.numbers = rows.map(\.number)
    let ends = ShuffleEnds(from: nil, AuditStage.map.given, to: output, texts: texts)
    let parts = try RunParts(run, names: [], ends: ends)
    let inputs = try run.ingest(parts, &totals)
    // What was read is said last, where those find it who only pass rows on.
    try parts.flush()
    for (row, input) in zip(rows, inputs) { try output.add(input.bytes(row.number)) }
    return parts
  }

  /// Judges the rows of the input that are the stage's, and passes the others on.
  private func reduce(
    _ stage: AuditStage, _ input: StageInput, _ output: FrameWriter, _ texts: TextStore,
    _ totals: inout AuditTotals
  ) throws(AuditError) -> RunParts {
    let names = try input.allNames()
    let taken = [stage.taken].compactMap(\.self)
    let ends = ShuffleEnds(taken, from: input, stage.given, to: output, texts: texts)
    let parts = try RunParts(self, names: names, ends: ends)
    try input.pass(stage.passed, before: taken, to: output)
    switch stage {
    case .map: break
    case .devices: try join(parts)
    case .keys: try reduceKeys(parts, ReplayAudit(parts.context), &totals)
    case .hashes: try reduceHashes(ReplayAudit(parts.context))
    }
    try input.pass(stage.passed, before: [], to: output)
    return parts
  }
}
