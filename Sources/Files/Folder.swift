internal import CLinux
internal import Glibc

/// A folder, and what is done with the files in it by their names. One made by `init(path:)` is
/// looked up at each call, an opened one stays the same folder. Links are not followed.
package final class Folder: Sendable {
  /// The path in messages.
  package let path: String
  /// The open folder, or AT_FDCWD.
  private let descriptor: Int32
  private var isOpen: Bool { descriptor != AT_FDCWD }

  package init(path: String) {
    self.path = path
    descriptor = AT_FDCWD
  }

  package init(opening path: String) throws(AuditError) {
    self.path = path
    descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("cannot open", path) }
  }

  /// Opens the folder of that name in another one; `shown` is its path in messages.
  package init(_ name: String, in parent: Folder, shown: String) throws(AuditError) {
    path = shown
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    descriptor = unsafe openat(parent.descriptor, parent.place(name), flags)
    guard descriptor >= 0 else { throw .last("cannot open", shown) }
  }

  deinit {
    if isOpen { close(descriptor) }
  }

  /// Returns the path of a file in it, for messages.
  package func file(_ name: String) -> String {
    name == "." ? path : PathText.join(path, name)
  }

  /// Returns the path of a name as system calls need it.
  private func place(_ name: String) -> String { isOpen ? name : file(name) }

  // MARK: Looking

  /// Returns the facts about what has that name, or nil if nothing has it.
  package func status(_ name: String) throws(AuditError) -> FileStatus? {
    var status = stat()
    guard unsafe fstatat(descriptor, place(name), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return nil }
      throw .last("cannot use", file(name))
    }
    return FileStatus(status)
  }

  package func has(_ name: String) -> Bool { (try? status(name)) != nil }

  /// Throws where no file can be made in the folder.
  package func requireWriting() throws(AuditError) {
    guard unsafe faccessat(descriptor, place("."), W_OK | X_OK, AT_EACCESS) == 0 else {
      throw .last("cannot write in", path)
    }
  }

  /// Returns the names in the folder of that name, without `.` and `..`, in order of bytes, or nil
  /// if there is no such folder. Bytes that are no UTF-8 are replaced.
  package func names(in name: String = ".") throws(AuditError) -> [String]? {
    let listed = unsafe openat(descriptor, place(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listed >= 0 else {
      if errno == ENOENT { return nil }
      throw .last("cannot read", file(name))
    }
    return try Self.rawNames(listed, file(name)).map { bytes in
      String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }.sorted()
  }

  /// Returns the names in an open folder, each with its closing zero. The folder is closed.
  private static func rawNames(_ listed: Int32, _ shown: String) throws(AuditError) -> [[CChar]] {
    guard let stream = unsafe fdopendir(listed) else {
      let number = errno
      close(listed)
      throw AuditError("cannot read", shown, number)
    }
    defer { unsafe closedir(stream) }
    var names: [[CChar]] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
      }
      if name != [0x2E, 0] && name != [0x2E, 0x2E, 0] { names.append(name) }
    }
    return names
  }

  // MARK: Opening and making

  /// Opens a file for reading, or returns nil if it does not exist.
  package func open(
    _ name: String, followsLinks: Bool = false
  ) throws(AuditError) -> OpenFile? {
    let flags = O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC
    let descriptor = unsafe openat(descriptor, place(name), flags)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .last("cannot open", file(name))
    }
    return OpenFile(descriptor: descriptor, name: name)
  }

  package enum Existing: Sendable {
    case emptied
    /// The file stays as it is, and is opened.
    case kept
    case refused
  }

  /// Creates a file that is read and written; `mode` is who may.
  package func create(
    _ name: String, mode: UInt32 = 0o600, existing: Existing = .emptied
  ) throws(AuditError) -> OpenFile {
    FaultPoint.step()
    var flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    switch existing {
    case .emptied: flags |= O_TRUNC
    case .kept: break
    case .refused: flags |= O_EXCL
    }
    let descriptor = unsafe openat(descriptor, place(name), flags, mode)
    guard descriptor >= 0 else { throw .last("cannot create", file(name)) }
    return OpenFile(descriptor: descriptor, name: name)
  }

  /// Creates a file without a name, of which nothing is left however the process ends.
  package func createNameless() throws(AuditError) -> OpenFile {
    // O_TMPFILE, which the module map does not carry over (asm-generic/fcntl.h).
    let temporary: Int32 = 0o20_000_000 | O_DIRECTORY
    let nameless = unsafe openat(descriptor, place("."), temporary | O_RDWR | O_CLOEXEC, 0o600)
    if nameless >= 0 { return OpenFile(descriptor: nameless, name: path) }
    // Where the file system has no such thing, the name is taken away at once.
    var template = Array(file(TemporaryName.spillPrefix + "XXXXXX").utf8CString)
    let named = unsafe mkstemp(&template)
    guard named >= 0 else { throw .last("cannot create a file in", path) }
    unsafe unlink(template)
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    return OpenFile(descriptor: named, name: path)
  }

  /// Makes a folder; `mode` is who may use it.
  package func make(_ name: String = ".", mode: UInt32 = 0o700) throws(AuditError) {
    FaultPoint.step()
    guard unsafe mkdirat(descriptor, place(name), mode) == 0 else {
      throw .last("cannot create", file(name))
    }
  }

  /// Makes a folder; one that is there is left as it is.
  package func makeMissing(_ name: String = ".", mode: UInt32 = 0o700) throws(AuditError) {
    do throws(AuditError) { try make(name, mode: mode) } catch {
      guard error.number == EEXIST else { throw error }
    }
  }

  /// Makes the folder of this path with all those on the way to it that are missing.
  package static func makeAll(_ path: String, mode: UInt32) throws(AuditError) {
    if FileStatus(path: path)?.kind == .folder { return }
    let (parent, _) = PathText.split(path)
    if parent != path { try makeAll(parent, mode: mode) }
    try Folder(path: path).makeMissing(mode: mode)
  }

  /// Sets who may use the folder, which has to be open.
  package func allow(_ mode: UInt32) throws(AuditError) {
    precondition(isOpen, "the permissions of a folder that is not open")
    guard fchmod(descriptor, mode) == 0 else { throw .last("cannot use", path) }
  }

  // MARK: Renaming and removing

  package enum Taken: Sendable {
    case replaced
    case exchanged
    /// Renaming fails with EEXIST.
    case refused
  }

  package func rename(
    _ name: String, to other: String, taken: Taken = .replaced
  ) throws(AuditError) {
    FaultPoint.step()
    let result =
      switch taken {
      case .replaced: unsafe renameat(descriptor, place(name), descriptor, place(other))
      case .exchanged:
        unsafe attest_renameat2(
          descriptor, place(name), descriptor, place(other), ATTEST_RENAME_EXCHANGE)
      case .refused:
        unsafe attest_renameat2(
          descriptor, place(name), descriptor, place(other), ATTEST_RENAME_NOREPLACE)
      }
    guard result == 0 else { throw .last("cannot rename", file(name)) }
  }

  /// Gives a file a second name, unless the second name is taken.
  package func link(_ name: String, to other: String) throws(AuditError) {
    FaultPoint.step()
    guard
      unsafe linkat(descriptor, place(name), descriptor, place(other), 0) == 0 || errno == EEXIST
    else { throw .last("cannot create", file(other)) }
  }

  /// Gives a file another name, also on file systems that know no flags for it.
  func place(_ name: String, as other: String, taken: Taken) throws(AuditError) {
    do throws(AuditError) { try rename(name, to: other, taken: taken) } catch {
      guard case .refused = taken, error.number == EINVAL || error.number == ENOSYS else {
        throw error
      }
      guard unsafe linkat(descriptor, place(name), descriptor, place(other), 0) == 0 else {
        throw .last("cannot create", file(other))
      }
      try remove(name)
    }
  }

  /// Removes a file; one that is not there is no error.
  package func remove(_ name: String) throws(AuditError) {
    FaultPoint.step()
    guard unsafe unlinkat(descriptor, place(name), 0) == 0 || errno == ENOENT else {
      throw .last("cannot remove", file(name))
    }
  }

  /// Removes a folder in which nothing is; one that is not there is no error.
  package func removeEmpty(_ name: String) throws(AuditError) {
    FaultPoint.step()
    guard unsafe unlinkat(descriptor, place(name), AT_REMOVEDIR) == 0 || errno == ENOENT else {
      throw .last("cannot remove", file(name))
    }
  }

  /// Removes a file or folder with all that is in it. What is not there is not an error.
  package func removeTree(_ name: String) throws(AuditError) {
    guard Self.removeTree(Array(place(name).utf8CString), in: descriptor) else {
      throw .last("cannot remove", file(name))
    }
  }

  /// Returns false, with the reason in `errno`, where something is left.
  private static func removeTree(_ name: [CChar], in parent: Int32) -> Bool {
    FaultPoint.step()
    if unsafe unlinkat(parent, name, 0) == 0 || errno == ENOENT { return true }
    let number = errno
    let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else {
      if errno == ENOENT { return true }
      if errno == ENOTDIR { errno = number }
      return false
    }
    defer { close(folder) }
    let listed = unsafe openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listed >= 0 else { return false }
    for child in (try? rawNames(listed, "")) ?? [] { _ = removeTree(child, in: folder) }
    FaultPoint.step()
    return unsafe unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT
  }

  /// Sends the names in the folder, or in one in it, to the disk, where that is possible.
  package func flush(_ name: String = ".") throws(AuditError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let opened = unsafe openat(descriptor, place(name), flags)
    guard opened >= 0 else { throw .last("cannot open", file(name)) }
    try OpenFile(descriptor: opened, name: file(name)).flush()
  }
}
