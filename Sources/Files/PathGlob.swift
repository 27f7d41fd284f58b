internal import Glibc

/// Shell globs over paths: `*`, `?`, `[…]`, and `**` as a whole name for any number of folders, none
/// included. As in a shell, names that begin with a dot are matched by a dot alone.
package enum PathGlob {
  /// Returns the paths that match, in byte order; none where nothing does.
  ///
  /// What lies in a folder that matches too is left out: the folder brings it. A folder that `**`
  /// cannot look into is returned itself, so that whoever opens it is told why.
  package static func expand(_ pattern: String) -> [String] {
    let names = pattern.split(separator: "/", omittingEmptySubsequences: false)
    guard let deep = names.firstIndex(of: "**") else { return sorted(matches(pattern)) }
    var paths: Set<String> = []
    expand(names[..<deep].joined(separator: "/"), names[deep...], into: &paths)
    return withoutNested(sorted(Array(paths)))
  }

  /// Adds what matches `names`, which begin with `**`, in the folders that match `base`.
  private static func expand(
    _ base: String, _ names: ArraySlice<Substring>, into paths: inout Set<String>
  ) {
    let rest = names.drop { $0 == "**" || $0.isEmpty }
    let starts = names.startIndex == 0 ? [""] : base.isEmpty ? ["/"] : folders(base)
    var walk = FolderChain()
    for start in starts { walk.enter(start) }
    paths.formUnion(walk.closed)
    guard !rest.isEmpty else {
      paths.formUnion(starts.map { $0.isEmpty ? "." : $0 })
      return
    }
    let next = rest.firstIndex(of: "**") ?? rest.endIndex
    for folder in walk.folders {
      let pattern = prefix(folder) + rest[..<next].joined(separator: "/")
      if next == rest.endIndex {
        paths.formUnion(matches(pattern))
      } else {
        expand(pattern, rest[next...], into: &paths)
      }
    }
  }

  /// The folders that match, without a slash at their ends.
  fileprivate static func folders(_ pattern: String) -> [String] {
    matches(pattern.hasSuffix("/") ? pattern : pattern + "/").map { path in
      var path = path[...]
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      return String(path)
    }
  }

  /// A folder's path as the beginning of a pattern: its own signs stand for themselves.
  fileprivate static func prefix(_ folder: String) -> String {
    guard !folder.isEmpty else { return "" }
    var pattern = ""
    for character in folder {
      if "*?[]\\".contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
    return folder.hasSuffix("/") ? pattern : pattern + "/"
  }

  private static func matches(_ pattern: String) -> [String] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    guard unsafe glob(pattern, GLOB_NOSORT, nil, &found) == 0 else { return [] }
    var paths: [String] = []
    for index in 0..<Int(unsafe found.gl_pathc) {
      if let path = unsafe found.gl_pathv[index] { unsafe paths.append(String(cString: path)) }
    }
    return paths
  }

  private static func sorted(_ paths: [String]) -> [String] {
    paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func withoutNested(_ paths: [String]) -> [String] {
    let folders = Set(paths.filter { FileStatus(path: $0)?.kind == .folder })
    return paths.filter { path in
      var parent = path[...]
      while let slash = parent.lastIndex(of: "/") {
        parent = parent[..<slash]
        if folders.contains(String(parent)) { return false }
      }
      return true
    }
  }
}

/// Folders and all folders below them, each once however many links lead to it.
private struct FolderChain {
  private(set) var folders: [String] = []
  /// Those that cannot be looked into.
  private(set) var closed: [String] = []
  private var entered: Set<[UInt64]> = []

  mutating func enter(_ folder: String) {
    var left = [folder]
    while let next = left.popLast() {
      guard let status = FileStatus(path: next.isEmpty ? "." : next), status.kind == .folder,
        entered.insert(status.identity).inserted
      else { continue }
      guard unsafe access(next.isEmpty ? "." : next, R_OK | X_OK) == 0 else {
        closed.append(next.isEmpty ? "." : next)
        continue
      }
      folders.append(next)
      left += PathGlob.folders(PathGlob.prefix(next) + "*/")
    }
  }
}
