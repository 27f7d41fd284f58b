internal import Glibc

/// A file that is written aside and takes its place in one step, or is gone.
package final class ReplacingFile {
  private let folder: Folder
  private let name: String
  private let aside: String
  private let file: OpenFile
  private var isDone = false

  /// Creates the file `aside` in the folder, for `name`, with the permissions `mode`.
  package init(
    _ name: String, in folder: Folder, aside: String, mode: UInt32
  ) throws(AuditError) {
    self.folder = folder
    self.name = name
    self.aside = aside
    file = try folder.create(aside, mode: mode)
  }

  /// Creates the file beside the one at `path`.
  package convenience init(path: String, mode: UInt32) throws(AuditError) {
    let (folder, last) = PathText.split(path)
    do throws(AuditError) {
      try self.init(
        last, in: Folder(path: folder), aside: TemporaryName.partial(last), mode: mode)
    } catch { throw error.told("cannot create", path) }
  }

  /// Opens the file that processes write one after the other, or that a killed one left, with so
  /// many attempts and microseconds between them. Throws EAGAIN.
  package init(
    _ name: String, sharedIn folder: Folder, mode: UInt32, attempts: Int, pause: UInt32
  ) throws(AuditError) {
    self.folder = folder
    self.name = name
    aside = TemporaryName.shared(name)
    for _ in 0..<attempts {
      let file = try folder.create(aside, mode: mode, existing: .kept)
      if try file.lock(), Self.isNamed(aside, in: folder, file) {
        self.file = file
        try prepare(mode)
        return
      }
      // Another run writes it, or has just renamed it.
      usleep(pause)
    }
    throw AuditError("cannot write", folder.file(name), EAGAIN)
  }

  /// Empties what a killed run left.
  private func prepare(_ mode: UInt32) throws(AuditError) {
    try file.truncate(to: 0)
    try file.allow(mode)
  }

  /// Returns whether the open file is still the only one of that name, and a plain file.
  private static func isNamed(_ name: String, in folder: Folder, _ file: OpenFile) -> Bool {
    guard let open = file.status, let named = try? folder.status(name) else { return false }
    return open.identity == named.identity && open.links == 1 && open.kind == .file
  }

  deinit {
    if !isDone { try? folder.remove(aside) }
  }

  package func append(_ bytes: Span<UInt8>) throws(AuditError) {
    do throws(AuditError) { try file.append(bytes) } catch {
      throw error.told("cannot write", folder.file(name))
    }
  }

  /// Sends the file to the disk and gives it its name; `taken` is for a name that is taken.
  package func putInPlace(taken: Folder.Taken = .replaced) throws(AuditError) {
    do throws(AuditError) { try file.flush() } catch {
      throw error.told("cannot flush", folder.file(name))
    }
    do throws(AuditError) { try folder.place(aside, as: name, taken: taken) } catch {
      throw error.told("cannot create", folder.file(name))
    }
    isDone = true
    try folder.flush()
  }
}
