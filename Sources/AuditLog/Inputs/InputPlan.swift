internal import Files
internal import Glibc

/// The plan that turns the inputs as given into the sources of a run, in its order.
package enum InputPlan {
  /// Returns the sources of the inputs: files as they are given, folders walked recursively and
  /// globs expanded, in byte order of path. A file that is reached twice becomes a duplicate. An input
  /// that cannot be read becomes an unreadable source: nothing is passed over in silence.
  ///
  /// Reads only regular files of those that folders and globs find. A FIFO or device has to be
  /// named itself. Links out of the folder are followed where `follows` says so; else `notice` is
  /// told.
  package static func sources(
    _ inputs: [String], standardInputName: String, follows: Bool = false,
    notice: (String) -> Void = { _ in }
  ) -> [LogSource] {
    var sources: [LogSource] = []
    for input in inputs {
      if input == "-" {
        sources.append(LogSource(name: standardInputName, origin: .standardInput))
      } else {
        let (found, links) = expand(input, follows: follows)
        sources += found
        if let words = words(links, of: input) { notice(words) }
      }
    }
    markDuplicates(&sources)
    return sources
  }

  /// Flags every file that is the same file as an earlier one, by whatever path (`records.R7`).
  private static func markDuplicates(_ sources: inout [LogSource]) {
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

  private static func expand(
    _ input: String, follows: Bool
  ) -> (sources: [LogSource], links: [String]) {
    let status = FileStatus(path: input)
    if status == nil, input.contains(where: { "*?[".contains($0) }) {
      return match(input, follows: follows)
    }
    guard let status else {
      return ([LogSource(name: input, origin: .unreadable(ErrorText.describe(errno)))], [])
    }
    guard status.kind == .folder else {
      return ([LogSource(name: input, origin: .file(path: input), size: status.size)], [])
    }
    var walk = FolderWalk(LinkBounds(folder: input, followsAll: follows))
    walk.enter(input, status)
    return sources(of: walk, input, otherwise: "the folder contains no file")
  }

  private static func match(
    _ pattern: String, follows: Bool
  ) -> (sources: [LogSource], links: [String]) {
    let bounds = LinkBounds(folder: PathGlob.base(of: pattern), followsAll: follows)
    let glob = PathGlob(pattern, bounds)
    var walk = FolderWalk(bounds)
    for path in glob.paths { walk.add(path) }
    var (sources, links) = sources(
      of: walk, pattern, otherwise: glob.closed.isEmpty ? "no file matches it" : nil,
      passed: glob.passedLinks)
    sources += glob.closed.map { path, why in LogSource(name: path, origin: .unreadable(why)) }
    if !glob.closed.isEmpty { sources = sorted(sources) }
    return (sources, links)
  }

  /// Returns what a walk found, in its order; where that is nothing, one source that says so.
  private static func sources(
    of walk: FolderWalk, _ input: String, otherwise: String?, passed: [String] = []
  ) -> (sources: [LogSource], links: [String]) {
    let links = passed + walk.passedLinks
    guard walk.found.isEmpty, let otherwise else { return (sorted(walk.found), links) }
    let why =
      links.isEmpty
      ? otherwise : "nothing is there but links that lead out of it, which --follow follows"
    return ([LogSource(name: input, origin: .unreadable(why))], links)
  }

  private static func words(_ links: [String], of input: String) -> String? {
    guard let first = links.min(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) else {
      return nil
    }
    guard links.count > 1 else {
      return "\(first) leads out of \(input) and is not followed; --follow follows it"
    }
    return "\(links.count) links lead out of \(input) and are not followed, the first is \(first); "
      + "--follow follows them"
  }

  private static func sorted(_ sources: [LogSource]) -> [LogSource] {
    sources.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
