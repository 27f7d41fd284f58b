internal import Files
internal import Glibc

/// Turns the inputs as given into the sources of a run, in its order.
package enum InputPlan {
  /// Files as they are given, folders walked recursively and globs expanded, in byte order of
  /// path; a file that is reached twice becomes a duplicate, and so, where `comparesBytes` says so,
  /// does one that equals another byte for byte. What cannot be read becomes an unreadable source:
  /// nothing is passed over in silence.
  package static func sources(
    _ inputs: [String], standardInputName: String, comparesBytes: Bool = true
  ) -> [LogSource] {
    var sources: [LogSource] = []
    for input in inputs {
      if input == "-" {
        sources.append(LogSource(name: standardInputName, origin: .standardInput))
      } else {
        expand(input, into: &sources)
      }
    }
    DuplicateInputs.mark(&sources, comparesBytes: comparesBytes)
    return sources
  }

  private static func expand(_ input: String, into sources: inout [LogSource]) {
    if FileStatus(path: input) == nil, input.contains(where: { "*?[".contains($0) }) {
      let matches = PathGlob.expand(input)
      guard !matches.isEmpty else {
        sources.append(LogSource(name: input, origin: .unreadable("no file matches it")))
        return
      }
      var found: [LogSource] = []
      for match in matches { add(match, into: &found) }
      sources += sorted(found)
    } else {
      add(input, into: &sources)
    }
  }

  private static func add(_ path: String, into sources: inout [LogSource]) {
    guard let status = FileStatus(path: path) else {
      sources.append(LogSource(name: path, origin: .unreadable(ErrorText.describe(errno))))
      return
    }
    guard status.kind == .folder else {
      sources.append(LogSource(name: path, origin: .file(path: path), size: status.size))
      return
    }
    var walk = FolderWalk()
    walk.enter(path, status)
    let found = sorted(walk.found)
    if found.isEmpty {
      sources.append(LogSource(name: path, origin: .unreadable("the folder holds no file")))
    }
    sources += found
  }

  /// In byte order of path.
  private static func sorted(_ sources: [LogSource]) -> [LogSource] {
    sources.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

/// A recursive walk over a folder's files.
private struct FolderWalk {
  var found: [LogSource] = []
  /// The folders entered so far: a link back to one of them is not followed.
  private var entered: Set<[UInt64]> = []

  mutating func enter(_ path: String, _ status: FileStatus) {
    guard entered.insert(status.identity).inserted else { return }
    let names: [String]
    do throws(FileError) { names = try Folder(path: path).names() ?? [] } catch {
      found.append(LogSource(name: path, origin: .unreadable(ErrorText.describe(error.number))))
      return
    }
    for name in names {
      let child = PathText.join(path, name)
      guard let status = FileStatus(path: child) else {
        found.append(LogSource(name: child, origin: .unreadable(ErrorText.describe(errno))))
        continue
      }
      switch status.kind {
      case .folder: enter(child, status)
      case .file:
        found.append(LogSource(name: child, origin: .file(path: child), size: status.size))
      case .link, .other: continue
      }
    }
  }
}
