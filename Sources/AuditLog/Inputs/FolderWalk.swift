internal import Glibc

/// A recursive walk over a folder's files. What is no file, cannot be opened or leads nowhere becomes
/// an unreadable source.
struct FolderWalk {
  private(set) var found: [LogSource] = []
  /// The links that lead out of the folder and are not followed.
  private(set) var passedLinks: [String] = []
  private let bounds: LinkBounds
  /// The folders entered so far: a link back to one of them is not followed.
  private var entered: Set<FileIdentity> = []

  init(_ bounds: LinkBounds) {
    self.bounds = bounds
  }

  mutating func enter(_ path: String, _ status: FileStatus) {
    guard entered.insert(status.identity).inserted else { return }
    let names: [String]
    switch FolderNames.read(path) {
    case .success(let read): names = read
    case .failure(let failure):
      return found.append(LogSource(name: path, origin: .unreadable(failure.text)))
    }
    for name in names { add(path.hasSuffix("/") ? path + name : path + "/" + name) }
  }

  /// Takes one thing in a folder, whatever it is.
  mutating func add(_ path: String) {
    guard let (status, isLink) = FileStatus.looked(path) else {
      return found.append(
        LogSource(name: path, origin: .unreadable(ErrorText.describe(errno))))
    }
    guard status.kind == .file || status.kind == .folder else {
      return found.append(LogSource(name: path, origin: .unreadable(status.kind.refusal)))
    }
    guard !isLink || bounds.admit(path) else { return passedLinks.append(path) }
    if status.kind == .folder { return enter(path, status) }
    var source = LogSource(name: path, origin: .file(path: path), size: status.size)
    source.found = status.identity
    found.append(source)
  }
}

/// What lies in a folder.
enum FolderNames {
  /// The names in a folder, without `.` and `..`, in the order in which the system gives them.
  static func read(_ path: String) -> Result<[String], ReadFailure> {
    guard let folder = unsafe opendir(path) else { return .failure(ReadFailure(number: errno)) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(folder) else { break }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix(while: { $0 != 0 }), as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return errno == 0 ? .success(names) : .failure(ReadFailure(number: errno))
  }
}
