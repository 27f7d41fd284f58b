internal import Glibc

/// Shell globs over paths: `*`, `?`, `[…]`, and `**` as a whole name for any number of folders,
/// none included. As in a shell, names that begin with a dot are matched by a dot alone.
package struct PathGlob {
  package var paths: [String] { Self.sorted(matched) }
  /// The folders that cannot be looked into, and why, in byte order of path.
  package var closed: [(path: String, why: String)] {
    Self.sorted(refused.keys).map { ($0, refused[$0] ?? "") }
  }
  /// The links that lead out of the folder in which the pattern begins, and are not followed.
  package var passedLinks: [String] { Self.sorted(passed) }

  /// A folder, and the names of the pattern that were looked for in it, from an index on.
  private struct Visit: Hashable {
    let folder: FileIdentity
    let names: Int
  }

  private let bounds: LinkBounds
  private var visits: Set<Visit> = []
  private var matched: Set<String> = []
  private var refused: [String: String] = [:]
  private var passed: Set<String> = []

  package init(_ pattern: String, _ bounds: LinkBounds) {
    self.bounds = bounds
    let names = pattern.split(separator: "/", omittingEmptySubsequences: false)[...]
    let isAbsolute = pattern.hasPrefix("/")
    expand(isAbsolute ? "/" : "", names.drop { $0.isEmpty }, isFound: false)
  }

  /// Returns the folder in which a pattern begins: its names before the first with a sign.
  package static func base(of pattern: String) -> String {
    let names = pattern.split(separator: "/", omittingEmptySubsequences: false)
    let fixed = names.prefix { !isPattern($0) }
    let text = fixed.map(plain).joined(separator: "/")
    return fixed == [""] ? "/" : text
  }

  /// Adds the paths that match `names` in a folder. An empty one is the current. `isFound` is true
  /// if a sign found a name in front, which has to be within bounds.
  private mutating func expand(_ folder: String, _ names: ArraySlice<Substring>, isFound: Bool) {
    guard let name = names.first else {
      matched.insert(folder.isEmpty ? "." : folder)
      return
    }
    let rest = names.dropFirst()
    if name.isEmpty {
      // A slash at the end asks for a folder.
      if !rest.allSatisfy(\.isEmpty) || FileStatus(path: folder)?.kind == .folder {
        expand(folder, rest.drop { $0.isEmpty }, isFound: isFound)
      }
    } else if name == "**" {
      guard isFirstVisit(folder, names.startIndex),
        FileStatus(path: folder.isEmpty ? "." : folder)?.kind == .folder
      else { return }
      let below = rest.drop { $0 == "**" || $0.isEmpty }
      expand(folder, below, isFound: true)
      if below.isEmpty { return }
      for child in children(of: folder, end: "/") where !child.hasPrefix(".") {
        descend(Self.path(folder, child), names, isFound: true)
      }
    } else if Self.isPattern(name) {
      guard isFirstVisit(folder, names.startIndex) else { return }
      for child in children(of: folder, end: rest.isEmpty ? "" : "/")
      where unsafe fnmatch(String(name), child, FNM_PERIOD) == 0 {
        descend(Self.path(folder, child), rest, isFound: true)
      }
    } else {
      descend(Self.path(folder, Self.plain(name)), rest, isFound: isFound)
    }
  }

  /// Returns whether the pattern from `start` on was not looked for in a folder yet.
  private mutating func isFirstVisit(_ folder: String, _ start: Int) -> Bool {
    guard let status = FileStatus(path: folder.isEmpty ? "." : folder) else { return true }
    return visits.insert(Visit(folder: status.identity, names: start)).inserted
  }

  /// Goes on with one name in a folder.
  private mutating func descend(_ path: String, _ rest: ArraySlice<Substring>, isFound: Bool) {
    guard let (status, isLink) = FileStatus.looked(path) else {
      let number = errno
      // A link to nothing is told by whoever opens it.
      if rest.isEmpty, FileStatus(path: path, followsLinks: false) != nil { matched.insert(path) }
      if number == EACCES { refuse(PathText.split(path).folder, number) }
      return
    }
    guard rest.isEmpty || status.kind == .folder else { return }
    // At the end of a pattern, the walk over what matches examines links itself.
    if !rest.isEmpty, isLink, isFound, !bounds.admit(path) {
      passed.insert(path)
      return
    }
    expand(path, rest, isFound: isFound)
  }

  /// Returns the names in a folder, or no names if there is no such folder, or it is closed. They are in byte order of the
  /// whole paths, in which `end` follows: the first path to a folder is the one that counts.
  private mutating func children(of folder: String, end: String) -> [String] {
    do throws(AuditError) {
      let names = try Folder(path: folder.isEmpty ? "." : folder).names() ?? []
      return Self.sorted(names.map { $0 + end }).map { String($0.dropLast(end.count)) }
    } catch {
      refuse(folder, error.number)
      return []
    }
  }

  private mutating func refuse(_ folder: String, _ number: Int32) {
    guard number != ENOENT, number != ENOTDIR else { return }
    refused[folder.isEmpty ? "." : folder] = ErrorText.describe(number)
  }

  // MARK: Names

  private static func isPattern(_ name: Substring) -> Bool {
    name.contains { "*?[".contains($0) }
  }

  /// Returns a name of a pattern without signs, as it is in the folder.
  private static func plain(_ name: Substring) -> String {
    var text = ""
    var isEscaped = false
    for character in name {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        text.append(character)
        isEscaped = false
      }
    }
    return text
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder.isEmpty ? name : PathText.join(folder, name)
  }

  private static func sorted(_ paths: some Sequence<String>) -> [String] {
    paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// The links in a folder that are followed: those that stay in it, or all. Whoever can write into a
/// folder can put a link there to a file that only the reader may open.
package struct LinkBounds: Sendable {
  /// The folder without links, or empty if it cannot be found out.
  private let root: String
  private let followsAll: Bool

  /// Makes the bounds of a folder, as it was named, or of the current one for an empty name.
  package init(folder: String, followsAll: Bool) {
    root = PathText.resolved(folder.isEmpty ? "." : folder) ?? ""
    self.followsAll = followsAll
  }

  package func admit(_ link: String) -> Bool {
    if followsAll { return true }
    guard !root.isEmpty, let target = PathText.resolved(link) else { return false }
    return target == root || target.hasPrefix(root == "/" ? root : root + "/")
  }
}
