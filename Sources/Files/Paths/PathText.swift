internal import Glibc

package enum PathText {
  /// Returns the folder and the last part of a path; slashes at the end do not count.
  package static func split(_ path: String) -> (folder: String, last: String) {
    let trimmed = withoutSlashes(path)
    guard let slash = trimmed.lastIndex(of: "/") else { return (".", String(trimmed)) }
    let folder = trimmed[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(trimmed[trimmed.index(after: slash)...]))
  }

  /// Returns a path without the slashes at its end; the root keeps its own.
  package static func withoutSlashes(_ path: String) -> Substring {
    var trimmed = Substring(path)
    while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
    return trimmed
  }

  package static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The folder that relative paths are relative to; `.` where the system does not tell.
  package static var currentFolder: String { resolved(".") ?? "." }

  /// Returns the absolute path without links, or nil, with the reason in `errno`.
  package static func resolved(_ path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Returns the absolute path of something that need not be there yet.
  package static func place(_ path: String) throws(AuditError) -> (folder: String, last: String) {
    let (folder, last) = split(path)
    guard !path.isEmpty, !last.isEmpty, last != ".", last != ".." else {
      throw AuditError("cannot use", path, EINVAL)
    }
    guard let real = resolved(folder) else { throw .last("cannot use", path) }
    return (real, last)
  }
}
