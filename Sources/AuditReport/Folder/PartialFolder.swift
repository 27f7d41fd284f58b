internal import AuditEngine
internal import AuditLog
internal import CLinux
internal import Glibc
internal import Synchronization

/// The folder beside the target in which a report grows: it becomes the report in one step, or goes.
///
/// Every method may be called from any thread; what creates, places or removes holds the lock, so
/// that nothing is created once the folder was removed.
final class PartialFolder: Sendable {
  private enum State {
    /// With the names of the files created so far.
    case growing([String])
    case placed, removed
  }

  private let place: ReportPlace
  private let overwrite: Bool
  /// The permissions of files.
  private let mode: UInt32
  private let parent: Int32
  private let folder: Int32
  private let partialName: [CChar]
  private let state = Mutex(State.growing([]))
  let cancellation = ReportCancellation()

  /// Makes `.<name>.partial-<pid>` beside the target. One that is there already was left by a
  /// process that was killed and had our number: it is removed.
  init(place: ReportPlace, overwrite: Bool, mode: UInt32) throws(ReportError) {
    self.place = place
    self.overwrite = overwrite
    self.mode = mode
    parent = try place.openParent()
    partialName = Array(".\(place.name).partial-\(getpid())".utf8CString)
    do throws(ReportError) {
      _ = try place.admit(overwrite: overwrite, in: parent)
      folder = try Self.make(partialName, in: parent, place, files: mode)
    } catch {
      close(parent)
      throw error
    }
  }

  /// Makes and opens the folder; nothing is left of it where that fails.
  private static func make(
    _ name: [CChar], in parent: Int32, _ place: ReportPlace, files mode: UInt32
  ) throws(ReportError) -> Int32 {
    FolderTree.remove(name, in: parent)
    FaultPoint.step()
    guard unsafe mkdirat(parent, name, 0o700) == 0 else {
      throw .system("cannot create a folder in", place.parent)
    }
    let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    // Who may read a file may look for it.
    guard folder >= 0, fchmod(folder, mode | (mode & 0o444) >> 2) == 0 else {
      let error = ReportError.system("cannot open a folder in", place.parent)
      if folder >= 0 { close(folder) }
      unsafe _ = unlinkat(parent, name, AT_REMOVEDIR)
      throw error
    }
    return folder
  }

  deinit {
    remove()
    close(folder)
    close(parent)
  }

  /// Creates a file of the report.
  func create(_ name: String) throws(ReportError) -> OutputFile {
    let descriptor = try state.withLock { state throws(ReportError) in
      guard case .growing(let names) = state else { throw .abandonedError }
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      FaultPoint.step()
      let descriptor = unsafe openat(folder, name, flags, 0o600)
      guard descriptor >= 0 else { throw .system("cannot create", "\(place.path)/\(name)") }
      guard fchmod(descriptor, mode) == 0 else {
        let error = ReportError.system("cannot create", "\(place.path)/\(name)")
        close(descriptor)
        unsafe _ = unlinkat(folder, name, 0)
        throw error
      }
      state = .growing(names + [name])
      return descriptor
    }
    return OutputFile(name: name, descriptor: descriptor, cancellation: cancellation)
  }

  /// Flushes the folder and makes it the report; what did not quite work, in words.
  func putInPlace() throws(ReportError) -> [String] {
    try state.withLock { state throws(ReportError) in
      guard case .growing = state else { throw .abandonedError }
      guard FolderTree.flush(folder) else { throw .system("cannot flush", place.path) }
      let replaces = try place.admit(overwrite: overwrite, in: parent)
      try rename(replacing: replaces)
      state = .placed
      var notices: [String] = []
      if !FolderTree.flush(parent) {
        notices.append("cannot flush \(place.parent): \(ErrorText.describe(errno))")
      }
      if replaces, !FolderTree.remove(partialName, in: parent) {
        let left = partialName.dropLast().map { UInt8(bitPattern: $0) }
        notices.append(
          "the former report could not be removed and lies at "
            + "\(place.parent)/\(String(decoding: left, as: UTF8.self))")
      }
      return notices
    }
  }

  /// Removes the folder unless it became the report: whether no report of this run is left.
  @discardableResult
  func remove() -> Bool {
    cancellation.cancel()
    return state.withLock { state in
      switch state {
      case .growing(let names):
        // By name first: that takes no descriptor, of which there may be none left.
        for name in names { unsafe _ = unlinkat(folder, name, 0) }
        FolderTree.remove(partialName, in: parent)
        state = .removed
        return true
      case .placed: return false
      case .removed: return true
      }
    }
  }

  private func rename(replacing: Bool) throws(ReportError) {
    let flags = replacing ? ATTEST_RENAME_EXCHANGE : ATTEST_RENAME_NOREPLACE
    FaultPoint.step()
    if unsafe attest_renameat2(parent, partialName, parent, place.name, flags) == 0 { return }
    switch errno {
    case EINVAL, ENOSYS: try renameInSteps(replacing: replacing)
    case EEXIST: throw ReportError(.exists, "\(place.path) exists already")
    default: throw .system("cannot create", place.path)
    }
  }

  /// For file systems without flags: the former report steps aside, and back should the new one fail.
  private func renameInSteps(replacing: Bool) throws(ReportError) {
    let aside = Array(".\(place.name).former-\(getpid())".utf8CString)
    if replacing {
      FaultPoint.step()
      guard unsafe renameat(parent, place.name, parent, aside) == 0 else {
        throw .system("cannot replace", place.path)
      }
    }
    FaultPoint.step()
    guard unsafe renameat(parent, partialName, parent, place.name) == 0 else {
      let number = errno
      if replacing { unsafe _ = renameat(parent, aside, parent, place.name) }
      throw .system("cannot create", place.path, number)
    }
    // From here as after an exchange: the former report has the partial name.
    if replacing {
      FaultPoint.step()
      unsafe _ = renameat(parent, aside, parent, partialName)
    }
  }
}
