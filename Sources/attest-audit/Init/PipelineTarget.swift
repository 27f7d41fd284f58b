import AuditSettings
import Files

/// The file that is written. It replaces another one only if that is asked for.
struct PipelineTarget {
  let path: String
  private let overwrite: Bool

  /// Throws a ``CommandError`` of status 73 if the file exists and is not to be replaced.
  init(path: String, overwrite: Bool) throws(CommandError) {
    self.path = path
    self.overwrite = overwrite
    guard !path.isEmpty else { throw CommandError(.usage, "--out: '' is not a path") }
    let status = FileStatus(path: path)
    if let status, status.kind != .file {
      throw CommandError(
        .cannotWrite, "\(path) is not a file that can be replaced",
        hint: "leave out --out to write the file to standard output")
    }
    if status != nil, !overwrite { throw Self.exists(path) }
  }

  private static func exists(_ path: String) -> CommandError {
    CommandError(.cannotWrite, "\(path) exists already", hint: "use --overwrite to replace it")
  }

  /// Writes the text as a whole or not at all: beside the file, then renamed into place.
  func write(_ text: String) throws(CommandError) {
    do throws(FileError) {
      let file = try ReplacingFile(path: path, mode: 0o666)
      try file.append(Array(text.utf8).span)
      try file.putInPlace(taken: overwrite ? .replaced : .refused)
    } catch {
      if error.isTaken, !overwrite { throw Self.exists(path) }
      throw CommandError(.cannotWrite, error.told("cannot write", path).message)
    }
  }
}
