internal import Glibc

/// A single file that is written aside and renamed, so that it is there whole or not at all.
enum FileAside {
  /// Writes `bytes` to `path`, where nothing or a regular file may be.
  static func write(_ bytes: [UInt8], to path: String) throws(ReportError) {
    let aside = "\(path).partial-\(getpid())"
    unsafe _ = unlink(aside)
    let descriptor = unsafe open(
      aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("cannot create", path) }
    do throws(ReportError) {
      var file = OutputFile(
        name: path, descriptor: descriptor, cancellation: ReportCancellation())
      try file.write(bytes.span)
      _ = try file.finish()
      var facts = stat()
      if unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
        throw ReportError(.cannotWrite(EEXIST), "cannot write \(path): it is no regular file")
      }
      guard unsafe rename(aside, path) == 0 else { throw .system("cannot create", path) }
    } catch {
      unsafe _ = unlink(aside)
      throw error
    }
  }
}
