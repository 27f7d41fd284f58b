internal import AuditEngine
internal import Glibc

/// What is done with whole folders through descriptors, so that no path is resolved twice.
enum FolderTree {
  /// The names in the folder open at `descriptor`, without `.` and `..`, as bytes with their
  /// closing zero; nil where it cannot be read.
  static func names(in descriptor: Int32) -> [[CChar]]? {
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { return nil }
    guard let stream = unsafe fdopendir(copy) else {
      close(copy)
      return nil
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

  /// Removes what is called `name` in `parent`, with all that is in it; links are not followed.
  /// Whether nothing is left: what others remove meanwhile is none of our failures.
  @discardableResult
  static func remove(_ name: [CChar], in parent: Int32) -> Bool {
    FaultPoint.step()
    if unsafe unlinkat(parent, name, 0) == 0 || errno == ENOENT { return true }
    if unsafe unlinkat(parent, name, AT_REMOVEDIR) == 0 { return true }
    let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return errno == ENOENT }
    defer { close(folder) }
    for child in names(in: folder) ?? [] { remove(child, in: folder) }
    FaultPoint.step()
    return unsafe unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT
  }

  /// fsync(2) of a folder or file; kinds that cannot be flushed count as flushed.
  static func flush(_ descriptor: Int32) -> Bool {
    FaultPoint.step()
    while fsync(descriptor) != 0 {
      if errno == EINTR { continue }
      return errno == EINVAL || errno == EROFS
    }
    return true
  }
}
