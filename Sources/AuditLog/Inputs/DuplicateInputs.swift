internal import Files

/// The search for files that are reached twice (`records.R7`).
enum DuplicateInputs {
  /// Flags every file that is the same file as an earlier one, by whatever path.
  static func mark(_ sources: inout [LogSource]) {
    var byIdentity: [FileIdentity: Int] = [:]
    for index in sources.indices {
      guard case .file(let path) = sources[index].origin, let status = FileStatus(path: path),
        status.kind == .file
      else { continue }
      if let first = byIdentity[status.identity] {
        sources[index].origin = .duplicate(of: first)
      } else {
        byIdentity[status.identity] = index
      }
    }
  }
}
