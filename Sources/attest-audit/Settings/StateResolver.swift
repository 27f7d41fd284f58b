import AuditEngine
import Foundation

/// Makes settings out of what flags and pipeline file say of a state, and sees that they fit
/// together.
struct StateResolver {
  let layer: SettingsLayer

  /// Nil where each run stands alone.
  var settings: StateSettings? {
    guard let dir = layer.stateDir else { return nil }
    var state = StateSettings(dir: dir)
    if let mode = layer.stateMode { state.mode = mode }
    if let window = layer.stateWindow { state.window = window }
    if let pendingFor = layer.pendingFor { state.pendingFor = pendingFor }
    if let settle = layer.settle { state.settle = settle }
    if let waitLock = layer.waitLock { state.waitLock = waitLock }
    return state
  }

  /// Throws a ``CommandError`` of status 64 where something does not fit together.
  func check() throws(CommandError) {
    guard let state = settings else { return try checkNothingNeedsState() }
    if state.mode == .advance, layer.inputs?.contains("-") == true {
      throw CommandError(
        .usage, "standard input cannot be accounted for: the state would not know it again",
        hint: "name files, or say --state-mode reference")
    }
    guard let out = layer.out, Self.isFolder(out, holding: state.dir) else { return }
    throw CommandError(
      .usage, "the state \(state.dir) lies in the report folder \(out), which is replaced whole",
      hint: "name a folder for the state that outlives the reports")
  }

  private func checkNothingNeedsState() throws(CommandError) {
    let needs: [(name: String, isSet: Bool)] = [
      ("a state mode", layer.stateMode != nil), ("a state window", layer.stateWindow != nil),
      ("a time to wait for attestations", layer.pendingFor != nil),
      ("a time to let files settle", layer.settle != nil),
      ("--wait-lock", layer.waitLock != nil), ("--only-new", layer.onlyNew == true),
    ]
    guard let need = needs.first(where: \.isSet) else { return }
    throw CommandError(
      .usage, "\(need.name) is given, but no state",
      hint: "--state DIR, or state.dir in the pipeline file")
  }

  /// Whether a path is a folder's own or leads into it, as far as the names tell.
  private static func isFolder(_ folder: String, holding path: String) -> Bool {
    let parts = URL(fileURLWithPath: path).standardizedFileURL.pathComponents
    return parts.starts(with: URL(fileURLWithPath: folder).standardizedFileURL.pathComponents)
  }
}
