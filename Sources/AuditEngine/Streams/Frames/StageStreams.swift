internal import AppAttest
internal import AuditLog
package import Files

/// The streams of a stage, and the digest of settings on which all stages have to agree.
package struct StageStreams {
  var input: OpenFile
  var output: OpenFile
  var settings: Digest256
  /// Whether an engine counts the clientDataHashes that a stage reads.
  package var countsHashes = false
  /// A closure that returns what a state has for a run that began at milliseconds since 1970.
  private let memory: (@Sendable (Int64) throws(AuditError) -> RunMemory)?

  /// Makes the streams of a stage. `memory` opens the state for a run that began at a time.
  package init(
    input: OpenFile, output: OpenFile, settings: [UInt8],
    memory: (@Sendable (Int64) throws(AuditError) -> RunMemory)? = nil
  ) {
    self.memory = memory
    self.input = input
    self.output = output
    self.settings = Digest256(settings) ?? Digest256()
  }

  /// Returns the header of all streams of an audit.
  func header(_ configuration: AuditConfiguration) -> [UInt8] {
    var flags: UInt32 = configuration.schema.definition.namesDevices ? 1 : 0
    if memory != nil { flags |= 2 }
    if memory != nil || configuration.detection.looksAtChallenges { flags |= 4 }
    var header = FrameFormat.magic
    header.append(number: FrameFormat.version)
    header.append(number: flags)
    return header + settings.bytes
  }

  /// Opens the input; `configuration` says what its rows may be.
  func open(_ configuration: AuditConfiguration, _ texts: TextStore) throws(AuditError)
    -> StageInput
  {
    // A row may have some texts, each no longer than a line, and that of a damaged input its lines.
    let most = max(8 * configuration.limits.lineBytes + (1 << 20), StageNight.mostRowBytes)
    return StageInput(
      try FrameReader(
        input, header: header(configuration), mostRowBytes: min(most, Int(Int32.max))),
      texts: texts, apps: configuration.apps.count, remembers: memory != nil)
  }

  /// Takes what was decided about the inputs of these names. Returns it with the memory, if any.
  func recall(
    _ input: StageInput, names: [String]
  ) throws(AuditError) -> (night: StageNight, history: RunMemory)? {
    guard let memory else { return nil }
    let night = try StageNight(input)
    var history = try memory(night.startedAt)
    history.take(night.accounted)
    history.marks = night.marks
    history.order = try history.orderSources(names, history.origins)
    history.sourceCount = UInt32(clamping: names.count)
    return (night, history)
  }
}
