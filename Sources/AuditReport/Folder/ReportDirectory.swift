internal import Basics
package import Files
internal import Glibc
internal import Synchronization

/// A report folder while it is written. It grows beside its target and becomes the report in one step, or is removed.
/// Any thread may use it: the lock keeps files from being created after the removal.
package final class ReportDirectory: Sendable {
  private enum State {
    /// The folder is growing. It has the names of the files created so far.
    case growing([String])
    case placed, removed
  }

  package var path: String { place.path }
  private let place: ReportPlace
  private let overwrite: Bool
  private let mode: UInt32
  private let parent: Folder
  private let folder: Folder
  private let partialName: String
  private let state = Mutex(State.growing([]))
  let cancellation = Cancellation<AuditError>()
  private static let abandoned = AuditError(.cancelled, "the report was abandoned")

  /// Throws if no report could be made beside `path`.
  package static func checkFolder(of path: String) throws(AuditError) {
    try Folder(opening: ReportPlace(path: path).parent).requireWriting()
  }

  /// Throws if a report could not be put at `path`. Nothing is made or changed.
  package static func check(path: String, overwrite: Bool) throws(AuditError) {
    let place = try ReportPlace(path: path)
    let parent = try Folder(opening: place.parent)
    _ = try place.admit(overwrite: overwrite, in: parent)
    try parent.requireWriting()
  }

  /// Makes the folder beside `path`, in place of one that a killed process left. Files get `mode`, whatever the umask.
  package init(path: String, overwrite: Bool, mode: UInt32 = 0o600) throws(AuditError) {
    let place = try ReportPlace(path: path)
    self.place = place
    self.overwrite = overwrite
    self.mode = mode
    let parent = try Folder(opening: place.parent)
    let partial = TemporaryName.partial(place.name)
    self.parent = parent
    partialName = partial
    _ = try place.admit(overwrite: overwrite, in: parent)
    try? parent.removeTree(partial)
    folder = try Self.make(partial, in: parent, place, files: mode)
  }

  /// Makes and opens the folder. If that fails, nothing is left of it.
  private static func make(
    _ name: String, in parent: Folder, _ place: ReportPlace, files mode: UInt32
  ) throws(AuditError) -> Folder {
    do throws(AuditError) { try parent.make(name, mode: 0o700) } catch {
      throw error.told("cannot create a folder in", place.parent)
    }
    do throws(AuditError) {
      let folder = try Folder(name, in: parent, shown: place.path)
      // Whoever may read a file may search the folder for it.
      try folder.allow(mode | (mode & 0o444) >> 2)
      return folder
    } catch {
      try? parent.removeEmpty(name)
      throw error
    }
  }

  deinit { abandon() }

  func create(_ name: String) throws(AuditError) -> OutputFile {
    let file = try state.withLock { state throws(AuditError) in
      guard case .growing(let names) = state else { throw Self.abandoned }
      state = .growing(names + [name])
      let file = try folder.create(name, existing: .refused)
      try file.allow(mode)
      return file
    }
    return OutputFile(file, in: place.path, cancellation: cancellation)
  }

  /// Makes the flushed folder the report. Returns notices about steps that failed after that.
  func putInPlace() throws(AuditError) -> [String] {
    try state.withLock { state throws(AuditError) in
      guard case .growing = state else { throw Self.abandoned }
      try folder.flush()
      let replaces = try place.admit(overwrite: overwrite, in: parent)
      try rename(replacing: replaces)
      state = .placed
      var notices: [String] = []
      do throws(AuditError) { try parent.flush() } catch { notices.append(error.context) }
      if replaces, (try? parent.removeTree(partialName)) == nil {
        notices.append(
          "the former report could not be removed and is at \(parent.file(partialName))")
      }
      return notices
    }
  }

  /// Removes the folder unless it became the report. Returns whether none is left. Writers fail with `cancelled`.
  @discardableResult
  package func abandon() -> Bool {
    cancellation.stop(Self.abandoned)
    return state.withLock { state in
      switch state {
      case .growing(let names):
        // By name first: that takes no descriptor, and there may be none left.
        for name in names { try? folder.remove(name) }
        if (try? parent.removeEmpty(partialName)) == nil { try? parent.removeTree(partialName) }
        state = .removed
        return true
      case .placed: return false
      case .removed: return true
      }
    }
  }

  private func rename(replacing: Bool) throws(AuditError) {
    do throws(AuditError) {
      try parent.rename(partialName, to: place.name, taken: replacing ? .exchanged : .refused)
    } catch {
      switch error.number {
      case EINVAL, ENOSYS: try renameInSteps(replacing: replacing)
      case EEXIST: throw AuditError(.exists, "\(place.path) exists already")
      default: throw error.told("cannot create", place.path)
      }
    }
  }

  /// Renames in steps, for file systems without flags. The former report is put back on failure.
  private func renameInSteps(replacing: Bool) throws(AuditError) {
    let aside = TemporaryName.former(place.name)
    if replacing {
      do throws(AuditError) { try parent.rename(place.name, to: aside) } catch {
        throw error.told("cannot replace", place.path)
      }
    }
    do throws(AuditError) { try parent.rename(partialName, to: place.name) } catch {
      if replacing { try? parent.rename(aside, to: place.name) }
      throw error.told("cannot create", place.path)
    }
    // From here as after an exchange: the former report has the partial name.
    if replacing { try? parent.rename(aside, to: partialName) }
  }
}

/// The place of a report: a name in a folder that exists, with links resolved.
package struct ReportPlace: Sendable {
  /// The path as the user gave it, for messages.
  let path: String
  /// The absolute path of the folder, without links.
  let parent: String
  let name: String

  /// Resolves `path`, whose last part need not exist.
  init(path: String) throws(AuditError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw AuditError(.file(EINVAL), "the report folder has no name")
    }
    self.path = path
    if let real = PathText.resolved(path) {
      (parent, name) = PathText.split(real)
    } else {
      guard errno == ENOENT else { throw AuditError("cannot use", path, errno) }
      guard FileStatus(path: path, followsLinks: false) == nil else {
        throw AuditError(.file(ENOENT), "cannot use \(path): it is a link to nothing")
      }
      let (folder, last) = PathText.split(path)
      guard let real = PathText.resolved(folder) else {
        guard errno == ENOENT else { throw AuditError("cannot use", folder, errno) }
        throw AuditError(.noFolder(folder), "the folder \(folder) of the report does not exist")
      }
      parent = real
      name = last
    }
    guard !name.isEmpty, name != ".", name != ".." else {
      throw AuditError(.file(EINVAL), "cannot use \(path) as a report folder")
    }
  }

  private static let reportNames = Set(ReportFile.allNames)

  /// Throws unless a report may be put here. Returns whether something is to be replaced.
  func admit(overwrite: Bool, in folder: Folder) throws(AuditError) -> Bool {
    let other = AuditError(.notAReport, "\(path) exists, and is not a report of \(Tool.name)")
    let place: Folder
    do throws(AuditError) { place = try Folder(name, in: folder, shown: path) } catch {
      switch error.number {
      case ENOENT: return false
      case ENOTDIR, ELOOP: throw other
      default: throw error
      }
    }
    let names = try place.names() ?? []
    // Replacing a folder with files of others would lose them.
    let isReport =
      try place.status(Manifest.name)?.kind == .file
      && names.allSatisfy(Self.reportNames.contains)
    guard names.isEmpty || isReport else { throw other }
    guard overwrite else { throw AuditError(.exists, "\(path) exists already") }
    return true
  }

  /// Returns the first of `path`, `path.2`, … at which nothing exists, or throws `.exists`.
  package static func firstFree(_ path: String) throws(AuditError) -> String {
    let base = PathText.withoutSlashes(path)
    for number in 1...mostPlaces {
      let candidate = number == 1 ? path : "\(base).\(number)"
      if FileStatus(path: candidate, followsLinks: false) == nil { return candidate }
    }
    throw AuditError(.exists, "\(path) exists already, and so do \(mostPlaces) reports beside it")
  }

  private static let mostPlaces = 10_000
}
