import AppAttest
import AuditEngine
import AuditReport
import Basics
import Foundation
import OpenSSL

/// A maker of settings from flags and pipeline file, with defaults, anchors and keys.
package struct SettingsResolver {
  private let layer: SettingsLayer
  private let environment: [String: String]
  /// The day of the run, which `${date}` stands for.
  private let day: String

  private static let anchorFileLimit = 4 << 20
  /// The smallest ratio of the memory to the longest line, of which several wait.
  private static let lineShare = 8

  package init(layer: SettingsLayer, environment: [String: String], day: String) {
    self.layer = layer
    self.environment = environment
    self.day = day
  }

  /// Returns the settings of a run. Throws status 64 if settings do not fit together, 65 for an invalid file.
  package func resolve() throws(CommandError) -> RunSettings {
    var settings = RunSettings.standard
    settings.configuration.limits.memory = Machine.defaultMemory
    settings.configuration.limits.tempDirectory = Machine.temporaryFolder(environment)
    for setting in SettingTable.all { setting.apply(layer, to: &settings) }
    settings.configuration.trustAnchors =
      try Self.certificates(layer.anchors ?? []) ?? [AppleTrust.appAttestationRootCA]
    settings.configuration.receiptAnchors =
      try Self.certificates(layer.receiptAnchors ?? []) ?? [AppleTrust.rootCAG3]
    if let environments = layer.environments {
      for index in settings.configuration.apps.indices {
        settings.configuration.apps[index].environments = environments
      }
    }
    let schema = layer.schema ?? .standard
    settings.configuration.schema = schema.compiled
    settings.schemaText = schema.text
    if layer.replayScope == nil, let scope = schema.replayScope {
      settings.configuration.detection.replayScope = scope
    }
    try resolveLimits(&settings.configuration.limits, &settings.notices)
    settings.configuration.day = day
    // Unless a day is named, the run is about yesterday.
    settings.configuration.acceptanceDay = layer.date ?? AuditDay.following(day)
    settings.configuration.verdicts = settings.report.contents.verdicts
    settings.configuration.index = settings.report.contents.index
    try checkState(settings)
    if let keys = layer.keys {
      let apps = settings.configuration.apps
      let file = try KnownKeysFile.read(keys, app: apps.count == 1 ? apps.first?.id : nil)
      settings.keysFile = keys.path
      settings.configuration.knownKeys = file.keys
      settings.notices += file.notices
    }
    return settings
  }

  /// Throws unless an audit could begin with `settings`: it needs an input, and an app to judge by.
  package static func requireComplete(_ settings: RunSettings) throws(CommandError) {
    try CommandError.require(
      !settings.configuration.inputs.isEmpty, "no input is given",
      hint: "name files, folders or globs, - for standard input, or a --pipeline with inputs")
    try requireApp(settings)
    try requirePlace(settings.report)
  }

  package static func requireApp(_ settings: RunSettings) throws(CommandError) {
    try CommandError.require(
      !settings.configuration.apps.isEmpty, "no app is given",
      hint: "use --app-id PREFIX.BUNDLE, or a --pipeline with apps")
  }

  /// Throws if an output is asked for that has no place to go to.
  private static func requirePlace(_ report: ReportSettings) throws(CommandError) {
    let contents = report.contents
    let wanted = [
      ("verdicts are", contents.verdicts), ("an index is", contents.index),
      ("formats are", !contents.formats.isEmpty),
    ]
    for (words, isWanted) in wanted where isWanted && report.out == nil {
      throw CommandError(
        .usage, "\(words) asked for, but no report folder",
        hint: "use --out DIR, or set report.out in the pipeline file")
    }
    guard report.isStreamed else { return }
    try CommandError.require(
      !contents.verdicts && !contents.index, "standard output takes only findings",
      hint: "name a report folder with --out")
    try CommandError.require(
      contents.formats.count <= 1,
      "\(contents.formats.count) formats are asked for, and standard output takes one",
      hint: "name one with --format, or a report folder with --out")
  }

  private func resolveLimits(
    _ limits: inout AuditLimits, _ notices: inout [String]
  ) throws(CommandError) {
    if limits.jobs == 0 { limits.jobs = Machine.cores }
    if limits.jobs > limits.mostJobs {
      notices.append(
        "a memory of \(SizeText.text(limits.memory)) carries \(limits.mostJobs) jobs, and not "
          + "\(limits.jobs)")
      limits.jobs = limits.mostJobs
    }
    try CommandError.require(
      limits.lineBytes <= limits.memory / Self.lineShare,
      "lines of \(SizeText.text(limits.lineBytes)) do not fit into a memory of "
        + SizeText.text(limits.memory),
      hint: "set the memory to \(Self.lineShare) times limits.lineBytes or more")
  }

  /// Returns the DER of every certificate in the files, or nil if no file is named.
  package static func certificates(_ files: [NamedPath]) throws(CommandError) -> [[UInt8]]? {
    guard !files.isEmpty else { return nil }
    var found: [[UInt8]] = []
    for file in files {
      let text = try file.read(limit: anchorFileLimit)
      do throws(OpenSSLError) {
        let anchors = try Certificate.derFromPEM(text)
        _ = try TrustStore(anchors: anchors)
        found += anchors
      } catch {
        throw CommandError(
          .invalidFile, "\(file.origin): \(file.path): \(error.context)",
          hint: "name a file of certificates in PEM")
      }
    }
    return found
  }

  // MARK: The state

  /// Throws a ``CommandError`` of status 64 if the settings of a state do not fit together.
  private func checkState(_ settings: RunSettings) throws(CommandError) {
    guard let state = settings.state else { return try checkNothingNeedsState(settings) }
    if state.mode == .reference { try checkNothingAdvances() }
    try CommandError.require(
      state.mode != .advance || !settings.configuration.inputs.contains("-"),
      "standard input cannot be accounted for: the state would not know it again",
      hint: "name files, or use --state-mode reference")
    guard let out = settings.report.out, Self.isFolder(out, holding: state.dir) else { return }
    throw CommandError(
      .usage, "the state \(state.dir) is in the report folder \(out), which is replaced completely",
      hint: "keep the state in a folder outside the report")
  }

  private func checkNothingNeedsState(_ settings: RunSettings) throws(CommandError) {
    for setting in SettingTable.all where setting.need != .nothing {
      guard let origin = layer.origin(of: setting) else { continue }
      // A file may write out a default.
      if case .file = origin, setting.shown(in: settings) == setting.shown(in: .standard) {
        continue
      }
      let name =
        switch origin {
        case .flag(let flag): flag
        case .file: setting.name
        }
      throw CommandError(
        .usage, "\(name) is given, but no state",
        hint: "use --state DIR, or set state.dir in the pipeline file")
    }
  }

  /// Throws if a flag would have no effect. A file's settings may, in a run that only reads.
  private func checkNothingAdvances() throws(CommandError) {
    for setting in SettingTable.all where setting.need == .advance {
      guard case .flag(let flag) = layer.origin(of: setting) else { continue }
      throw CommandError(
        .usage, "\(flag): a run in state mode reference writes nothing and waits for nothing",
        hint: "leave it out, or use --state-mode advance")
    }
  }

  /// Returns whether a path is the folder or leads into it, judging by the names alone.
  private static func isFolder(_ folder: String, holding path: String) -> Bool {
    let parts = URL(fileURLWithPath: path).standardizedFileURL.pathComponents
    return parts.starts(with: URL(fileURLWithPath: folder).standardizedFileURL.pathComponents)
  }
}
