internal import AuditLog
internal import Files
internal import Glibc

/// The state directory, or any folder, as ``Folder``, with the errors of a state.
struct StateFolder: Sendable {
  let folder: Folder

  init(path: String) {
    folder = Folder(path: path)
  }

  /// The path as the user gave it, for messages.
  var path: String { folder.path }

  /// Returns the path of a file in it.
  func file(_ name: String) -> String { folder.file(name) }

  /// Returns whether something of that name is there.
  func has(_ name: String) -> Bool { folder.has(name) }

  /// Returns the names in the folder of that name, in order, or nil if there is no such folder.
  func names(in name: String = ".") throws(StateError) -> [String]? {
    try asStateError { () throws(FileError) in try folder.names(in: name) }
  }

  /// Makes a folder for its owner alone; one that is there is left as it is.
  func make(_ name: String = ".") throws(StateError) {
    try asStateError { () throws(FileError) in try folder.makeMissing(name) }
  }

  /// Opens a file for reading, or returns nil if it does not exist.
  func open(_ name: String) throws(StateError) -> StateFile? {
    try asStateError { () throws(FileError) in try folder.open(name) }.map(StateFile.init)
  }

  /// Creates a file for its owner alone, in place of one that is there.
  func create(_ name: String) throws(StateError) -> StateFile {
    StateFile(try asStateError { () throws(FileError) in try folder.create(name) })
  }

  /// Creates a file without a name, which nothing is left of however the process ends.
  func createNameless() throws(StateError) -> StateFile {
    StateFile(try asStateError { () throws(FileError) in try folder.createNameless() })
  }

  /// Writes a file whole or not at all: under the name `aside` first.
  func replace(_ name: String, with bytes: [UInt8], aside: String) throws(StateError) {
    try asStateError { () throws(FileError) in
      let file = try ReplacingFile(name, in: folder, aside: aside, mode: 0o600)
      try file.append(bytes.span)
      try file.putInPlace()
    }
  }

  /// Gives a file that never changes a second name, or copies it where there are no links.
  func `repeat`(_ name: String, as other: String) throws(StateError) {
    let error: FileError
    do throws(FileError) { return try folder.link(name, to: other) } catch let failure {
      error = failure
    }
    guard [EPERM, EOPNOTSUPP, EMLINK].contains(error.number), let file = try open(name) else {
      throw StateError(.stateStorage(error.number), error.message)
    }
    let (copy, size) = (try create(other), try file.size())
    for start in stride(from: 0, to: size, by: Self.pieceBytes) {
      try copy.write(
        file.bytes(at: start, count: min(Self.pieceBytes, size - start)), at: start)
    }
    try copy.flush()
  }

  private static let pieceBytes = 1 << 20

  /// Returns the folder in which a path would be, quoted for a shell, if that does not exist.
  static func missingParent(of path: String) -> String? {
    let parent = PathText.split(path).folder
    return FileStatus(path: parent) == nil ? ShellText.quoted(parent) : nil
  }

  /// Gives a file another name, in place of one that is there.
  func rename(_ name: String, to other: String) throws(StateError) {
    try asStateError { () throws(FileError) in try folder.rename(name, to: other) }
  }

  /// Removes a file. It is no failure if the file does not exist.
  func remove(_ name: String) throws(StateError) {
    try asStateError { () throws(FileError) in try folder.remove(name) }
  }

  /// Removes a folder or file with all that is in it; links are not followed.
  func removeTree(_ name: String) throws(StateError) {
    try asStateError { () throws(FileError) in try folder.removeTree(name) }
  }

  /// Sends the names in the folder, or in one in it, to the disk.
  func flush(_ name: String = ".") throws(StateError) {
    try asStateError { () throws(FileError) in try folder.flush(name) }
  }
}
