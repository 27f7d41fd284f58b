import AuditEngine
import Foundation

/// Sees that what was said of a state fits together.
struct StateResolver {
  let layer: SettingsLayer
  let settings: RunSettings

  /// Throws a ``CommandError`` of status 64 where something does not fit together.
  func check() throws(CommandError) {
    guard let state = settings.state else { return try checkNothingNeedsState() }
    if state.mode == .reference { try checkNothingAdvances() }
    if state.mode == .advance, settings.configuration.inputs.contains("-") {
      throw CommandError(
        .usage, "standard input cannot be accounted for: the state would not know it again",
        hint: "name files, or say --state-mode reference")
    }
    guard let out = settings.report.out, Self.isFolder(out, holding: state.dir) else { return }
    throw CommandError(
      .usage, "the state \(state.dir) lies in the report folder \(out), which is replaced whole",
      hint: "name a folder for the state that outlives the reports")
  }

  private func checkNothingNeedsState() throws(CommandError) {
    for setting in SettingTable.all where setting.need != .nothing {
      guard let origin = layer.origin(of: setting) else { continue }
      let name =
        switch origin {
        case .flag(let flag): flag
        case .file: setting.name
        }
      throw CommandError(
        .usage, "\(name) is given, but no state",
        hint: "--state DIR, or state.dir in the pipeline file")
    }
  }

  /// Throws where a flag would do nothing. What a file says of advancing does not hinder looking.
  private func checkNothingAdvances() throws(CommandError) {
    for setting in SettingTable.all where setting.need == .advance {
      guard case .flag(let flag) = layer.origin(of: setting) else { continue }
      throw CommandError(
        .usage, "\(flag): a run in state mode reference writes nothing and waits for nothing",
        hint: "leave it out, or say --state-mode advance")
    }
  }

  /// Returns whether a path is a folder's own or leads into it, as far as the names tell.
  private static func isFolder(_ folder: String, holding path: String) -> Bool {
    let parts = URL(fileURLWithPath: path).standardizedFileURL.pathComponents
    return parts.starts(with: URL(fileURLWithPath: folder).standardizedFileURL.pathComponents)
  }
}
