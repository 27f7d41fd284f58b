internal import Glibc

/// Shell globs (`*`, `?`, `[…]`) over paths.
enum PathGlob {
  /// The paths that match, in byte order; none where nothing does.
  static func expand(_ pattern: String) -> [String] {
    var matches = unsafe glob_t()
    defer { unsafe globfree(&matches) }
    guard unsafe glob(pattern, GLOB_NOSORT, nil, &matches) == 0 else { return [] }
    var paths: [String] = []
    for index in 0..<Int(unsafe matches.gl_pathc) {
      if let path = unsafe matches.gl_pathv[index] { unsafe paths.append(String(cString: path)) }
    }
    return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
