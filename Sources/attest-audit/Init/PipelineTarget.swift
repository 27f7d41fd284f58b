internal import AuditLog
import AuditReport
import AuditSettings
import Glibc

/// The file that is written: never over another one, unless that is asked for.
struct PipelineTarget {
  let path: String
  private let overwrite: Bool

  /// Throws a ``CommandError`` of status 73 where the file is there and is not to be replaced.
  init(path: String, overwrite: Bool) throws(CommandError) {
    self.path = path
    self.overwrite = overwrite
    guard !path.isEmpty else { throw CommandError(.usage, "--out: '' is not a path") }
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw CommandError(
        .cannotWrite, "\(path) is no file that could be replaced",
        hint: "without --out the file goes to standard output")
    }
    if isThere, !overwrite { throw Self.exists(path) }
  }

  private static func exists(_ path: String) -> CommandError {
    CommandError(.cannotWrite, "\(path) is there already", hint: "--overwrite replaces it")
  }

  /// Writes the text, whole or not at all: beside the file, then renamed into place.
  func write(_ text: String) throws(CommandError) {
    let temporary = "\(path).\(getpid()).part"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(errno) }
    var number = DescriptorOutput.write(Array(text.utf8), to: descriptor)
    if number == 0, fsync(descriptor) != 0 { number = errno }
    if close(descriptor) != 0, number == 0 { number = errno }
    if number == 0 { number = publish(temporary) }
    guard number == 0 else {
      _ = unsafe unlink(temporary)
      throw number == EEXIST && !overwrite ? Self.exists(path) : failure(number)
    }
  }

  /// Gives the file its name; without `overwrite` only where nothing has it yet.
  private func publish(_ temporary: String) -> Int32 {
    if overwrite { return unsafe rename(temporary, path) == 0 ? 0 : errno }
    guard unsafe link(temporary, path) == 0 else { return errno }
    _ = unsafe unlink(temporary)
    return 0
  }

  private func failure(_ number: Int32) -> CommandError {
    CommandError(.cannotWrite, "cannot write \(path): \(ErrorText.describe(number))")
  }
}
