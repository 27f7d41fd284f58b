import Files

/// The folder of a pipeline file, from which the paths in it start.
struct PipelineFolder {
  /// The path from the folder to the working directory, or nil if only an absolute one leads there.
  private let back: String?

  /// Makes the folder of the file at `path`, or the working directory for nil.
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

  /// Returns a path of the working directory in the form that the file has to use.
  func relative(_ path: String) -> String {
    if path.hasPrefix("/") || path == "-" { return path }
    guard let back else { return PathText.join(PathText.resolved(".") ?? ".", path) }
    return back + path
  }
}
