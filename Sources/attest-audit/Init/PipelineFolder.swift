import Files

/// The folder of a pipeline file, from which the paths in it start.
struct PipelineFolder {
  /// What leads from the folder to the working directory, or nil if only a whole path does.
  private let back: String?

  /// Of the file at `path`; of one in the working directory where there is none.
  init(of path: String?) {
    guard let path, let slash = path.lastIndex(of: "/") else {
      back = ""
      return
    }
    let names = path[..<slash].split(separator: "/").filter { $0 != "." }
    back =
      path.hasPrefix("/") || names.contains("..")
      ? nil : String(repeating: "../", count: names.count)
  }

  /// Returns a path of the working directory as the file has to name it.
  func relative(_ path: String) -> String {
    if path.hasPrefix("/") || path == "-" { return path }
    guard let back else { return PathText.join(PathText.resolved(".") ?? ".", path) }
    return back + path
  }
}
