package import Files

/// The reason for which a state could not be opened, read or changed.
package typealias StateError = AuditError

extension AuditError {
  /// Returns a file of the state, by its path in the directory, that is not what it should be.
  static func damaged(_ file: String, _ why: String) -> StateError {
    StateError(.damaged(file: file), damage + "\(file): \(why)")
  }

  /// The error of a ``SortedLog`` whose content is not what was appended.
  static var damagedLog: StateError {
    .damaged("a file without a name", "its content is not what was written")
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
