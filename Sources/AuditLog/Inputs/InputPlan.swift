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

/// What `stat` tells of a path.
struct FileStatus {
  enum Kind { case file, folder, other }
  let kind: Kind
  let size: UInt64
  /// Device and inode: equal for one file under two paths.
  let identity: [UInt64]

  /// Follows symbolic links; nil where the path leads nowhere, with the reason in `errno`.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    default: kind = .other
    }
    size = kind == .file ? UInt64(status.st_size) : 0
    identity = [UInt64(status.st_dev), UInt64(status.st_ino)]
  }
}

/// A recursive walk over a folder's files.
private struct FolderWalk {
  var found: [LogSource] = []
  /// The folders entered so far: a link back to one of them is not followed.
  private var entered: Set<[UInt64]> = []

  mutating func enter(_ path: String, _ status: FileStatus) {
    guard entered.insert(status.identity).inserted else { return }
    guard let folder = unsafe opendir(path) else {
      found.append(LogSource(name: path, origin: .unreadable(ErrorText.describe(errno))))
      return
    }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix(while: { $0 != 0 }), as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    unsafe closedir(folder)
    for name in names {
      let child = path.hasSuffix("/") ? path + name : path + "/" + name
      guard let status = FileStatus(path: child) else {
        found.append(LogSource(name: child, origin: .unreadable(ErrorText.describe(errno))))
        continue
      }
      switch status.kind {
      case .folder: enter(child, status)
      case .file:
        found.append(LogSource(name: child, origin: .file(path: child), size: status.size))
      case .other: continue
      }
    }
  }
}
