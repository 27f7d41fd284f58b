internal import Files
internal import Glibc
internal import Synchronization

/// The folder beside the target in which a report grows: it becomes the report in one step, or goes.
///
/// Every method may be called from any thread; what creates, places or removes holds the lock, so
/// that nothing is created once the folder was removed.
final class PartialFolder: Sendable {
  private enum State {
    case growing, placed, removed
  }

  private let place: ReportPlace
  private let overwrite: Bool
  private let parent: Folder
  private let folder: Folder
  private let partialName: String
  private let state = Mutex(State.growing)
  let cancellation = ReportCancellation()

  /// Makes the folder beside the target. One of that name that is there already was left by a
  /// process that was killed and had our number: it is removed.
  init(place: ReportPlace, overwrite: Bool) throws(ReportError) {
    self.place = place
    self.overwrite = overwrite
    let parent = try place.openParent()
    let partial = TemporaryName.partial(place.name)
    self.parent = parent
    partialName = partial
    _ = try place.admit(overwrite: overwrite, in: parent)
    try? parent.removeTree(partial)
    folder = try asReportError { () throws(FileError) in
      do throws(FileError) { try parent.make(partial, mode: 0o777) } catch {
        throw error.told("cannot create a folder in", place.parent)
      }
      return try Folder(partial, in: parent, shown: place.path)
    }
  }

  deinit {
    remove()
  }

  /// Creates a file of the report.
  func create(_ name: String) throws(ReportError) -> OutputFile {
    let file = try state.withLock { state throws(ReportError) in
      guard case .growing = state else { throw .abandonedError }
      return try asReportError { () throws(FileError) in
        try folder.create(name, mode: 0o666, existing: .refused)
      }
    }
    return OutputFile(file, cancellation: cancellation)
  }

  /// Flushes the folder and makes it the report; what did not quite work, in words.
  func putInPlace() throws(ReportError) -> [String] {
    try state.withLock { state throws(ReportError) in
      guard case .growing = state else { throw .abandonedError }
      try asReportError { () throws(FileError) in try folder.flush() }
      let replaces = try place.admit(overwrite: overwrite, in: parent)
      try rename(replacing: replaces)
      state = .placed
      var notices: [String] = []
      do throws(FileError) { try parent.flush() } catch { notices.append(error.message) }
      if replaces, (try? parent.removeTree(partialName)) == nil {
        notices.append(
          "the former report could not be removed and lies at \(parent.file(partialName))")
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
      case .growing:
        try? parent.removeTree(partialName)
        state = .removed
        return true
      case .placed: return false
      case .removed: return true
      }
    }
  }

  private func rename(replacing: Bool) throws(ReportError) {
    do throws(FileError) {
      try parent.rename(partialName, to: place.name, taken: replacing ? .exchanged : .refused)
    } catch {
      switch error.number {
      case EINVAL, ENOSYS: try renameInSteps(replacing: replacing)
      case EEXIST: throw ReportError(.exists, "\(place.path) exists already")
      default: throw ReportError(error.told("cannot create", place.path))
      }
    }
  }

  /// For file systems without flags: the former report steps aside, and back should the new one fail.
  private func renameInSteps(replacing: Bool) throws(ReportError) {
    let aside = TemporaryName.former(place.name)
    if replacing {
      do throws(FileError) { try parent.rename(place.name, to: aside) } catch {
        throw ReportError(error.told("cannot replace", place.path))
      }
    }
    do throws(FileError) { try parent.rename(partialName, to: place.name) } catch {
      if replacing { try? parent.rename(aside, to: place.name) }
      throw ReportError(error.told("cannot create", place.path))
    }
    // From here as after an exchange: the former report has the partial name.
    if replacing { try? parent.rename(aside, to: partialName) }
  }
}
