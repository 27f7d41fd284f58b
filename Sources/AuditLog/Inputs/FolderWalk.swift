internal import Files
internal import Glibc

/// A recursive walk over a folder. Everything that cannot be read becomes an unreadable source.
struct FolderWalk {
  private(set) var found: [LogSource] = []
  /// The links that lead out of the folder and are not followed.
  private(set) var passedLinks: [String] = []
  private let bounds: LinkBounds
  /// The folders entered so far: a link back to one of them is not followed.
  private var entered: Set<FileIdentity> = []
  /// The paths so far: a glob can match a folder and what is in it.
  private var paths: Set<String> = []

  init(_ bounds: LinkBounds) {
    self.bounds = bounds
  }

  mutating func enter(_ path: String, _ status: FileStatus) {
    guard entered.insert(status.identity).inserted else { return }
    let names: [String]
    do throws(AuditError) { names = try Folder(path: path).names() ?? [] } catch {
      return found.append(
        LogSource(name: path, origin: .unreadable(ErrorText.describe(error.number))))
    }
    for name in names { add(PathText.join(path, name)) }
  }

  mutating func add(_ path: String) {
    guard paths.insert(path).inserted else { return }
    guard let (status, isLink) = FileStatus.looked(path) else {
      return found.append(
        LogSource(name: path, origin: .unreadable(ErrorText.describe(errno))))
    }
    guard status.kind == .file || status.kind == .folder else {
      let why = "it is \(status.kind.name), which is read only where it is named itself"
      return found.append(LogSource(name: path, origin: .unreadable(why)))
    }
    guard !isLink || bounds.admit(path) else { return passedLinks.append(path) }
    if status.kind == .folder { return enter(path, status) }
    var source = LogSource(name: path, origin: .file(path: path), size: status.size)
    source.found = status.identity
    found.append(source)
  }
}
