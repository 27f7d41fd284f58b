internal import AuditEngine
internal import AuditLog
internal import Files
internal import Glibc

/// The rule for who may change a state: its owner, and nobody who is not asked.
enum StateAccess {
  /// Throws where others can write, or for a link, and for `advance` where it is not ours.
  static func check(_ folder: Folder, _ mode: RunMemory.Mode) throws(StateError) {
    guard let status = FileStatus(path: folder.path) else {
      throw StateError("cannot use", folder.path, errno)
    }
    guard status.permissions & 0o022 == 0 else {
      throw StateError(
        .exposed, "others can write into the state \(folder.path), and so decide what is found")
    }
    guard mode == .reference || status.owner == geteuid() || status.owner == 0 else {
      throw StateError(
        .exposed, "the state \(folder.path) is another user's, who decides what is found")
    }
    let folders = SegmentKind.allCases.map(\.folder) + [StateFormat.generations]
    for name in folders { try require(.folder, name, in: folder) }
    let files = [""] + StateFormat.databaseCompanions
    for companion in files { try require(.file, StateFormat.database + companion, in: folder) }
    for name in [StateFormat.lock, StateFormat.intent] { try require(.file, name, in: folder) }
  }

  /// Throws where something of that name is there and is of another kind.
  private static func require(
    _ kind: FileStatus.Kind, _ name: String, in folder: Folder
  ) throws(StateError) {
    guard let status = FileStatus(path: folder.file(name), followsLinks: false),
      status.kind != kind
    else { return }
    throw .damaged(name, "it is \(status.kind.name), and not \(kind.name)")
  }
}
