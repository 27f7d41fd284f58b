import AuditEngine
import Foundation

/// A check that the settings of a state fit together.
struct StateResolver {
  let layer: SettingsLayer
  let settings: RunSettings

  /// Throws a ``CommandError`` of status 64 if settings do not fit together.
  func check() throws(CommandError) {
    guard let state = settings.state else { return try checkNothingNeedsState() }
    if state.mode == .reference { try checkNothingAdvances() }
    if state.mode == .advance, settings.configuration.inputs.contains("-") {
      throw CommandError(
        .usage, "standard input cannot be accounted for: the state would not know it again",
        hint: "name files, or use --state-mode reference")
    }
    guard let out = settings.report.out, Self.isFolder(out, holding: state.dir) else { return }
    throw CommandError(
      .usage, "the state \(state.dir) is in the report folder \(out), which is replaced completely",
      hint: "keep the state in a folder outside the report")
  }

  private func checkNothingNeedsState() throws(CommandError) {
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

  /// Throws if a flag would have no effect. Settings for advancing in a file are allowed when a run
  /// only refers to the state.
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
