internal import AppAttest
internal import AuditLog
package import Files

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
