import FindingCodes
internal import Minting

/// A writer of the files that an audit of the forged logs needs: the anchors and the pipeline file.
enum PipelineFile {
  static func write(
    _ options: ForgeOptions, authority: SyntheticAuthority, knownKeys: [KnownKeyRow],
    expected: [ExpectedInput], to folder: String
  ) throws(ForgeError) {
    try writeAnchors(of: authority, to: folder)
    var text = pipeline(options)
    if let schema = options.schema { text += "schema: \(schema.rawValue)\n" }
    if !knownKeys.isEmpty {
      text += "keys: known-keys.csv\n"
      let rows = [KnownKeyRow.header] + knownKeys.map(\.csv)
      try LogFile.write(
        rows.map { $0 + "\r\n" }.joined(), to: folder + "/known-keys.csv")
    }
    if !expected.isEmpty {
      text += "expect:\n"
      for entry in expected { text += "  - {inputs: \(entry.inputs), lines: \(entry.lines)}\n" }
    }
    try LogFile.write(text + detection(options), to: folder + "/pipeline.yaml")
  }

  /// Writes the two root certificates into the folder `anchors` of `folder`.
  static func writeAnchors(
    of authority: SyntheticAuthority, to folder: String
  ) throws(ForgeError) {
    let anchors = folder + "/anchors"
    try LogFile.makeFolder(anchors)
    try LogFile.write(
      PEM.certificate(authority.root.certificate), to: anchors + "/synthetic-attestation-root.pem")
    try LogFile.write(
      PEM.certificate(authority.receiptRoot.certificate),
      to: anchors + "/synthetic-receipt-root.pem")
  }

  private static func pipeline(_ options: ForgeOptions) -> String {
    """
    # Audits the forged logs beside it. Everything here is synthetic (LogForge, seed \
    \(options.seed)).
    # truth.jsonl has a row for each finding that is expected; its sources are relative to this
    # folder, and line 0 stands for a whole stream.
    version: 1
    inputs: [logs/]
    apps:
      - id: \(SyntheticApp.bank.id)
        environments: [production, development]
      - id: \(SyntheticApp.game.id)
        environments: [production]
        categories: [appStore, testFlight]
        bundleVersions: ["7.1", "7.2"]
        codeHashes: [\(codeHashes)]
    \(options.attacks.isEmpty ? "" : vault)trust:
      anchors: [anchors/synthetic-attestation-root.pem]
      receiptAnchors: [anchors/synthetic-receipt-root.pem]

    """
  }

  private static let vault = """
      - id: \(SyntheticApp.vault.id)
        environments: [production]
        categories: [appStore]
        bundleVersions: [">=7.10 <8", "b\u{E9}ta"]
        codeHashes: [\(String(decoding: TextCode.hex.encode(BuildClaims.honest), as: UTF8.self))]
        requires: [category, bundleVersion, codeHash]

    """

  private static var codeHashes: String {
    SyntheticApp.game.bundleVersions.map {
      String(decoding: TextCode.hex.encode(SyntheticApp.game.codeHash(of: $0)), as: UTF8.self)
    }.joined(separator: ", ")
  }

  private static func detection(_ options: ForgeOptions) -> String {
    var lines = [String]()
    if options.attacks.contains(.replayRetry) {
      lines.append("  retryTolerance: \(AttackSettings.retryTolerance / 1000)s")
    }
    if options.attacks.contains(.counterGap) {
      lines.append("  counterGap: \(AttackSettings.counterGap)")
    }
    if options.requiresChallenges { lines.append("  challenges: required") }
    if options.attacks.contains(.challengeExpired) {
      lines.append("  challengeTTL: \(AttackSettings.challengeTTL / 60_000)m")
    }
    return lines.isEmpty ? "" : "detect:\n" + lines.map { $0 + "\n" }.joined()
  }
}
