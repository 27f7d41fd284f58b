internal import Files
internal import Glibc

/// The making of a state directory. The database is made under another name and renamed when it is
/// whole, so that a database that is missing or empty is recognised as damage.
enum StateMaking {
  /// Makes the directory where nothing is. One that is there has to be empty, or a state.
  static func makeFolder(_ folder: Folder) throws(StateError) {
    guard let names = try folder.names() else {
      let parent = PathText.split(folder.path).folder
      do throws(StateError) { try folder.makeMissing() } catch {
        throw FileStatus(path: parent) == nil ? StateError(.noFolder(parent), error.context) : error
      }
      try Folder(path: parent).flush()
      return
    }
    guard names.contains(StateFormat.database) || names.allSatisfy(isOwn) else {
      throw StateError(.notAState, "\(folder.path) is not a state: it contains other files")
    }
  }

  static func require(_ folder: Folder) throws(StateError) {
    guard !folder.has(StateFormat.database) else { return }
    guard try (folder.names() ?? []).allSatisfy(isOwn) else {
      throw StateError(.notAState, "\(folder.path) is not a state: it contains other files")
    }
    try refuseLoss(folder)
    throw StateError(.missing, "there is no state at \(folder.path)")
  }

  /// Makes the database if it does not exist and never existed.
  static func makeDatabase(_ folder: Folder) throws(StateError) {
    guard !folder.has(StateFormat.database) else { return }
    try refuseLoss(folder)
    let name = StateFormat.unfinishedDatabase
    let file = try folder.create(name)
    let database = try StateDatabase(path: folder.file(name), readOnly: false, isUnfinished: true)
    try StateSchema.make(database)
    database.close()
    try file.flush()
    try folder.rename(name, to: StateFormat.database)
    try folder.flush()
  }

  /// Throws `.damaged` if the database is missing though other parts of the state exist.
  private static func refuseLoss(_ folder: Folder) throws(StateError) {
    var remains = folder.has(StateFormat.intent)
    for companion in StateFormat.databaseCompanions {
      remains = remains || folder.has(StateFormat.database + companion)
    }
    for kind in SegmentKind.allCases {
      let names = try folder.names(in: kind.folder) ?? []
      remains = remains || names.contains(where: SegmentKind.isSegment)
    }
    if remains { throw .damaged(StateFormat.database, "it is not there") }
  }

  /// Returns whether a name is one that may lie in a state directory.
  private static func isOwn(_ name: String) -> Bool {
    [StateFormat.lock, StateFormat.intent, StateFormat.unfinishedIntent].contains(name)
      || SegmentKind.allCases.contains { $0.folder == name } || name == StateFormat.generations
      || TemporaryName.isSpill(name) || name.hasPrefix(StateFormat.database)
      || name.hasPrefix(StateFormat.unfinishedDatabase)
  }
}
