internal import AuditLog
package import Files
internal import Glibc

/// The reason for which a state could not be opened, read or changed.
package typealias StateError = AuditError

extension AuditError {
  /// Returns what to do next, for people, or nil if there is nothing to say.
  package func hint(path: String) -> String? {
    switch code {
    case .locked: "wait for it longer with --wait-lock, for example --wait-lock 10m"
    case .damaged: "run " + ShellText.command("attest-audit state verify \(ShellText.quoted(path))")
    case .tooNew: "use the program that wrote it, or a newer one"
    case .missing: "name the folder of a state; audit --state DIR makes one"
    case .exposed:
      "use " + ShellText.command("chmod go-w \(ShellText.quoted(path))")
        + ", and run as the owner of the folder: runuser -u OWNER -- attest-audit …"
    case .notAState:
      "name the folder of a state, or for a new one a folder that is empty or does not exist"
    case .noGeneration: "state info names those that can; state.generations is their number"
    case .file(ENOENT):
      Folder.missingParent(of: path).map {
        "make it: " + ShellText.command("mkdir -p \(ShellText.quoted($0))")
      }
    default: nil
    }
  }

  /// Returns a file of the state, by its path in the directory, that is not what it should be.
  static func damaged(_ file: String, _ why: String) -> StateError {
    StateError(.damaged(file: file), damage + "\(file): \(why)")
  }

  private static let damage = "the state is damaged: "

  /// Returns the error of a state that lies in a folder of that name within another one.
  func within(_ name: String) -> StateError {
    guard case .damaged(let file) = code, context.hasPrefix(Self.damage) else { return self }
    return StateError(
      .damaged(file: "\(name)/\(file)"),
      Self.damage + "\(name)/" + context.dropFirst(Self.damage.count))
  }
}
