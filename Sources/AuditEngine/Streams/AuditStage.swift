internal import AppAttest
internal import AuditLog
package import Files
internal import RowShuffle

/// A part of an audit whose shuffles another engine carries out: a filter of rows.
package enum AuditStage: String, Sendable, CaseIterable {
  /// Takes sources, and gives rows by device, by key identifier and by clientDataHash.
  case map
  /// Takes rows by device, and gives rows by key identifier; where a schema names devices.
  case devices
  /// Takes rows by key identifier, and gives rows by clientDataHash.
  case keys
  /// Takes rows by clientDataHash, and gives rows of reports.
  case hashes

  /// The rows that are taken, nil where that is the sources.
  var taken: RowForm? {
    switch self {
    case .map: nil
    case .devices: .device
    case .keys: .event
    case .hashes: .hash
    }
  }

  /// The rows that may come and are passed on as they are: they are for later stages.
  var passed: [RowForm] {
    let last: [RowForm] = [.input, .totals, .finding, .key, .reject, .verdict]
    return switch self {
    case .map: []
    case .devices: last + [.event, .hash]
    case .keys: last + [.hash]
    case .hashes: last
    }
  }

  /// The rows that are given.
  var given: [RowForm] {
    switch self {
    case .map: [.device, .event, .hash, .finding, .reject, .verdict]
    case .devices: [.event, .finding, .verdict]
    case .keys: [.hash, .finding, .key, .verdict]
    case .hashes: [.finding, .key, .verdict]
    }
  }
}

/// The streams of a stage, and the digest of the settings that all stages of an audit have to agree on.
package struct StageStreams {
  var input: OpenFile
  var output: OpenFile
  var settings: Digest256

  package init(input: OpenFile, output: OpenFile, settings: [UInt8]) {
    self.input = input
    self.output = output
    self.settings = Digest256(settings) ?? Digest256()
  }

  /// The header of all streams of an audit.
  func header(_ configuration: AuditConfiguration) -> [UInt8] {
    FrameFormat.header(
      settings, joinsDevices: configuration.schema.definition.namesDevices)
  }

  /// Opens the input; `configuration` says what its rows may be.
  func open(_ configuration: AuditConfiguration, _ texts: TextStore) throws(AuditError)
    -> StageInput
  {
    // A row may have some texts, each no longer than a line.
    let most = 8 * configuration.limits.lineBytes + (1 << 20)
    return StageInput(
      try FrameReader(
        input, header: header(configuration), mostRowBytes: min(most, Int(Int32.max))),
      texts: texts, apps: configuration.apps.count)
  }
}

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
