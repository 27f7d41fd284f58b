internal import AuditEngine
internal import Glibc

/// The state directory, or any folder, and what is done with the files in it by their names.
struct StateFolder: Sendable {
  /// As the user gave it, for messages.
  let path: String

  /// The path of a file in it.
  func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// Whether something of that name is there.
  func has(_ name: String) -> Bool {
    var facts = stat()
    return unsafe lstat(file(name), &facts) == 0
  }

  /// The names in the folder of that name, without `.` and `..`, in order; nil where there is none.
  func names(in folder: String = ".") throws(StateError) -> [String]? {
    guard let stream = unsafe opendir(file(folder)) else {
      if errno == ENOENT { return nil }
      throw .system("cannot read", file(folder))
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Makes a folder for its owner alone; one that is there is left as it is.
  func make(_ name: String = ".") throws(StateError) {
    let path = name == "." ? path : file(name)
    FaultPoint.step()
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .system("cannot create", path)
    }
  }

  /// Opens a file for reading; nil where there is none.
  func open(_ name: String) throws(StateError) -> StateFile? {
    let descriptor = unsafe Glibc.open(file(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system("cannot open", file(name))
    }
    return StateFile(descriptor: descriptor, name: name)
  }

  /// Creates a file for its owner alone, in place of one that is there.
  func create(_ name: String) throws(StateError) -> StateFile {
    FaultPoint.step()
    let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe Glibc.open(file(name), flags, 0o600)
    guard descriptor >= 0 else { throw .system("cannot create", file(name)) }
    return StateFile(descriptor: descriptor, name: name)
  }

  /// Creates a file without a name, which nothing is left of however the process ends.
  func createNameless() throws(StateError) -> StateFile {
    // O_TMPFILE, which the module map does not carry over (asm-generic/fcntl.h).
    let temporary: Int32 = 0o20_000_000 | O_DIRECTORY
    var descriptor = unsafe Glibc.open(path, temporary | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor < 0 {
      // Where the file system has no such thing, the name is taken away at once.
      var template = Array(file(StateFormat.spillPrefix + "XXXXXX").utf8CString)
      descriptor = unsafe mkstemp(&template)
      guard descriptor >= 0 else { throw .system("cannot create a file in", path) }
      unsafe unlink(template)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    return StateFile(descriptor: descriptor, name: path)
  }

  /// Gives a file another name, in place of one that is there.
  func rename(_ name: String, to other: String) throws(StateError) {
    FaultPoint.step()
    guard unsafe Glibc.rename(file(name), file(other)) == 0 else {
      throw .system("cannot rename", file(name))
    }
  }

  /// Removes a file; one that is not there is none of our failures.
  func remove(_ name: String) throws(StateError) {
    FaultPoint.step()
    guard unsafe unlink(file(name)) == 0 || errno == ENOENT else {
      throw .system("cannot remove", file(name))
    }
  }

  /// Removes a folder or file with all that is in it; links are not followed.
  func removeTree(_ name: String) throws(StateError) {
    FaultPoint.step()
    if unsafe unlink(file(name)) == 0 || errno == ENOENT { return }
    let folder = StateFolder(path: file(name))
    for child in try folder.names() ?? [] { try folder.removeTree(child) }
    FaultPoint.step()
    guard unsafe rmdir(folder.path) == 0 || errno == ENOENT else {
      throw .system("cannot remove", folder.path)
    }
  }

  /// Sends the names in the folder, or in one in it, to the disk.
  func flush(_ name: String = ".") throws(StateError) {
    FaultPoint.step()
    let descriptor = unsafe Glibc.open(file(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("cannot open", file(name)) }
    defer { close(descriptor) }
    while fsync(descriptor) != 0 {
      if errno == EINTR { continue }
      // Kinds of file systems that cannot flush a folder count as flushed.
      guard errno == EINVAL || errno == EROFS else { throw .system("cannot flush", file(name)) }
      return
    }
  }
}
