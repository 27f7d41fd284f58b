internal import AuditLog
package import Files
internal import Glibc

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

  /// The largest number of reports of one name side by side.
  private static let mostPlaces = 10_000
}
