internal import AppAttest
package import AuditEngine
internal import AuditLog
internal import Files
internal import Synchronization

/// The present places of a report's inputs, by name or else by content (reports.R46, R88).
package final class InputPlaces: Sendable {
  package struct Place: Sendable, Equatable {
    package let path: String
    package let state: Explanation.InputState
    package var isMoved = false
  }

  /// The folder that the run's relative paths were relative to.
  private let folder: String
  /// Folders to search first. Any trailing part of a path can lead to a file there.
  private let moved: [String]
  private let inputs: [InputRow]
  private let followsLinks: Bool
  private let windowLimit: Int
  private let lengths: [UInt64]
  private let examined = Mutex<[String: ContentDigests]>([:])
  /// The regular files below the folders to search, once they are needed.
  private let archive = Mutex<[String]?>(nil)

  package init(
    folder: String, moved: [String], inputs: [InputRow], followsLinks: Bool = false,
    windowLimit: Int
  ) {
    self.folder = folder
    self.moved = moved
    self.inputs = inputs.filter { $0.status != .duplicate }
    self.followsLinks = followsLinks
    self.windowLimit = windowLimit
    lengths = Set(self.inputs.filter { $0.sha256 != nil }.map(\.bytes)).sorted()
  }

  package func input(_ source: String) -> InputRow? { inputs.first { $0.source == source } }

  package func isInput(_ path: String) -> Bool {
    let digests = digests(of: path)
    return inputs.contains { digests.state(of: $0) != nil }
  }

  /// Returns the place of an input as a report names it, or nil if there is no such file.
  package func place(of source: String) -> Place? {
    let named = path(named: source)
    guard let input = input(source), input.sha256 != nil else {
      return named.map { Place(path: $0, state: .unknown) }
    }
    if let named, let state = digests(of: named).state(of: input) {
      return Place(path: named, state: state)
    }
    for path in candidates(for: source) {
      if let state = digests(of: path).state(of: input) {
        return Place(path: path, state: state, isMoved: true)
      }
    }
    return named.map { Place(path: $0, state: .changed) }
  }

  var present: [String] {
    inputs.compactMap { place(of: $0.source) }.filter { $0.state == .same || $0.state == .grown }
      .map(\.path)
  }

  /// Returns the kind of an input, with its article, that may not be read: a FIFO waits, a link leads anywhere.
  package func obstacle(at source: String) -> String? {
    guard let kind = status(original(source))?.kind, kind != .file else { return nil }
    return kind.name
  }

  /// Returns whether an audit cannot read what is at the path of an input that is not a file.
  func isUnreadable(_ source: String) -> Bool {
    let path = original(source)
    if let kind = FileStatus(path: path)?.kind, kind != .file, kind != .folder { return true }
    return InputPlan.sources([path], standardInputName: "-", follows: followsLinks).contains {
      if case .unreadable = $0.origin { true } else { false }
    }
  }

  // MARK: By name

  private func path(named source: String) -> String? {
    for place in moved {
      var parts = source.split(separator: "/")[...]
      while !parts.isEmpty {
        let path = place + "/" + parts.joined(separator: "/")
        if isFile(path) { return path }
        parts = parts.dropFirst()
      }
      // The file itself may have been named.
      if isFile(place), Self.name(place) == Self.name(source) { return place }
    }
    let path = original(source)
    return isFile(path) ? path : nil
  }

  private func original(_ source: String) -> String {
    source.hasPrefix("/") ? source : folder + "/" + source
  }

  private func isFile(_ path: String) -> Bool { status(path)?.kind == .file }

  private func status(_ path: String) -> FileStatus? {
    FileStatus(path: path, followsLinks: followsLinks)
  }

  private static func name(_ path: String) -> String { PathText.split(path).last }

  // MARK: By content

  private func digests(of path: String) -> ContentDigests {
    if let known = examined.withLock({ $0[path] }) { return known }
    let digests = ContentDigests(path: path, lengths: lengths, windowLimit: windowLimit)
    examined.withLock { $0[path] = digests }
    return digests
  }

  /// Returns the files that an input can be now: those beside it with the same beginning of the name,
  /// as logrotate renames and compresses, then all below the folders to search.
  private func candidates(for source: String) -> [String] {
    let (folder, name) = PathText.split(original(source))
    let stem = name.split(separator: ".").first.map(String.init) ?? name
    func isKin(_ path: String) -> Bool { Self.name(path).hasPrefix(stem) }
    let beside = ((try? Folder(path: folder).names()) ?? []).filter(isKin).map { name in
      PathText.join(folder, name)
    }.filter(isFile)
    let archived = archived()
    return archived.filter(isKin) + beside + archived.filter { !isKin($0) }
  }

  private func archived() -> [String] {
    archive.withLock { archive in
      if let archive { return archive }
      let sources = InputPlan.sources(moved, standardInputName: "-", follows: followsLinks)
      let found = sources.compactMap { source -> String? in
        guard case .file(let path) = source.origin, isFile(path) else { return nil }
        return path
      }
      archive = found
      return found
    }
  }
}
