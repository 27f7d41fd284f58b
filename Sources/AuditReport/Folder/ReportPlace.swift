internal import Glibc

/// Where a report is to lie: a name in a folder that exists, with links resolved.
package struct ReportPlace: Sendable {
  /// As the user gave it, for messages.
  let path: String
  /// Absolute, without links.
  let parent: String
  let name: String

  /// Resolves `path`, whose last part need not exist.
  init(path: String) throws(ReportError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw ReportError(.cannotWrite(EINVAL), "the report folder has no name")
    }
    self.path = path
    if let real = Self.resolve(path) {
      (parent, name) = Self.split(real)
    } else {
      guard errno == ENOENT else { throw .system("cannot use", path) }
      var facts = stat()
      guard unsafe lstat(path, &facts) != 0 else {
        throw ReportError(.cannotWrite(ENOENT), "cannot use \(path): it is a link to nothing")
      }
      let (folder, last) = Self.split(path)
      guard let real = Self.resolve(folder) else { throw .system("cannot use", folder) }
      parent = real
      name = last
    }
    guard !name.isEmpty, name != ".", name != ".." else {
      throw ReportError(.cannotWrite(EINVAL), "cannot use \(path) as a report folder")
    }
  }

  /// Every name that a report can hold, with its closing zero.
  private static let reportNames = Set(ReportFile.allNames.map { Array($0.utf8CString) })

  /// What lies at the place now.
  enum Occupant: Equatable {
    case nothing, empty, report, other
  }

  /// Looks at the place in the parent open at `folder`.
  func occupant(in folder: Int32) throws(ReportError) -> Occupant {
    let descriptor = unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return .nothing
      case ENOTDIR, ELOOP: return .other
      default: throw .system("cannot open", path)
      }
    }
    defer { close(descriptor) }
    guard let names = FolderTree.names(in: descriptor) else { throw .system("cannot read", path) }
    if names.isEmpty { return .empty }
    var facts = stat()
    let isReport =
      unsafe fstatat(descriptor, Manifest.name, &facts, AT_SYMLINK_NOFOLLOW) == 0
      && facts.st_mode & S_IFMT == S_IFREG
    // A folder with files of others is theirs, whatever else is in it: replacing it would lose them.
    let holdsOthers = names.contains { !Self.reportNames.contains($0) }
    return isReport && !holdsOthers ? .report : .other
  }

  /// Throws unless a report may be put here: whether something is to be replaced.
  func admit(overwrite: Bool, in folder: Int32) throws(ReportError) -> Bool {
    switch try occupant(in: folder) {
    case .nothing: return false
    case .empty, .report:
      guard overwrite else {
        throw ReportError(.exists, "\(path) exists already")
      }
      return true
    case .other:
      guard overwrite else {
        throw ReportError(.exists, "\(path) exists already")
      }
      throw ReportError(.notAReport, "\(path) is not a report of \(Tool.name)")
    }
  }

  /// The first of `path`, `path.2`, `path.3`, … at which nothing is.
  ///
  /// - Throws: `.exists` where there is something at each of a great many.
  package static func firstFree(_ path: String) throws(ReportError) -> String {
    var base = Substring(path)
    while base.utf8.count > 1, base.utf8.last == UInt8(ascii: "/") { base.removeLast() }
    for number in 1...mostPlaces {
      let candidate = number == 1 ? path : "\(base).\(number)"
      var facts = stat()
      if unsafe lstat(candidate, &facts) != 0 { return candidate }
    }
    throw ReportError(.exists, "\(path) exists already, and so do \(mostPlaces) reports beside it")
  }

  /// How many reports of one name may lie side by side.
  private static let mostPlaces = 10_000

  /// Opens the parent for the calls above.
  func openParent() throws(ReportError) -> Int32 {
    let descriptor = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("cannot open", parent) }
    return descriptor
  }

  private static func resolve(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// The folder and the last part of a path; slashes at the end do not count.
  private static func split(_ path: String) -> (folder: String, last: String) {
    var trimmed = Substring(path)
    while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
    let folder = trimmed[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(trimmed[trimmed.index(after: slash)...]))
  }
}
