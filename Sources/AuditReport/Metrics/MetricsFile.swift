internal import AuditEngine
internal import Glibc

/// The file that node_exporter's textfile collector reads: replaced whole or not at all, and readable
/// by everybody.
package struct MetricsFile: Sendable {
  /// The most bytes of a former file that a failed run takes over.
  private static let formerLimit = 1 << 20
  /// How often, and after how long, in microseconds, it is tried again while another run writes.
  private static let attempts = 100
  private static let pause: UInt32 = 20_000

  package let path: String
  private let parent: String
  private let name: String

  /// What the file is called, beside its place, while it is written.
  private var partial: String { ".\(name).partial" }

  /// The path of the file while it is written: what a killed run may leave, and the next one takes
  /// over.
  package var asidePath: String { (parent == "/" ? "" : parent) + "/" + partial }

  /// `path` as the user named it.
  ///
  /// - Throws: where it names no file.
  package init(path: String) throws(ReportError) {
    self.path = path
    guard !path.utf8.contains(0) else {
      throw ReportError(.cannotWrite(EINVAL), "the file of metrics has no name")
    }
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      parent = slash == path.startIndex ? "/" : String(path[..<slash])
      name = String(path[path.utf8.index(after: slash)...])
    } else {
      parent = "."
      name = path
    }
    guard !name.isEmpty, name != ".", name != ".." else {
      throw ReportError(.cannotWrite(EINVAL), "cannot use \(path) as a file of metrics")
    }
  }

  /// Throws where the file could not be written; to be called before any work. Nothing is made or
  /// changed.
  package func check() throws(ReportError) {
    let folder = try openParent()
    defer { close(folder) }
    guard unsafe faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
      throw .system("cannot write in", parent)
    }
    var facts = stat()
    if unsafe fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 {
      guard facts.st_mode & S_IFMT == S_IFREG || facts.st_mode & S_IFMT == S_IFLNK else {
        throw ReportError(.cannotWrite(EINVAL), "cannot use \(path): it is no file")
      }
    } else if errno != ENOENT {
      throw .system("cannot use", path)
    }
  }

  /// Puts the metrics of a run that was carried through in place of the former ones.
  package func write(_ metrics: RunMetrics) throws(ReportError) {
    let folder = try openParent()
    defer { close(folder) }
    try replace(in: folder, with: metrics.text)
  }

  /// Says that a run failed, and when; everything else stays as the last run that was carried
  /// through left it.
  package func write(failure end: RunEnd) throws(ReportError) {
    let folder = try openParent()
    defer { close(folder) }
    var text = MetricsText(common: end.labels)
    end.write(to: &text)
    try replace(in: folder, with: text.text + Self.lasting(try former(in: folder)))
  }

  /// The lines of a former file that a failed run leaves standing: ours, but for those of the last
  /// run, and for a last one without an end.
  static func lasting(_ former: [UInt8]) -> String {
    guard let end = former.lastIndex(of: 0x0A) else { return "" }
    var text = ""
    for line in former[...end].split(separator: 0x0A) {
      let line = String(decoding: line, as: UTF8.self)
      let name =
        line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE ") ? line.dropFirst(7) : line[...]
      guard name.hasPrefix(MetricsText.prefix), !name.hasPrefix(RunEnd.prefix) else { continue }
      text += line + "\n"
    }
    return text
  }

  /// What the file holds now; nothing where there is none, or one too large to be ours.
  private func former(in folder: Int32) throws(ReportError) -> [UInt8] {
    let descriptor = unsafe openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return [] }
      throw .system("cannot read", path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.formerLimit + 1)
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress.unsafelyUnwrapped + count, buffer.count - count)
      }
      if got < 0 {
        if errno == EINTR { continue }
        throw .system("cannot read", path)
      }
      if got == 0 { break }
      count += got
    }
    return count > Self.formerLimit ? [] : Array(bytes[..<count])
  }

  /// Writes beside the file, to the disk, and renames: a reader sees the former file or the new one.
  private func replace(in folder: Int32, with text: String) throws(ReportError) {
    let descriptor = try openPartial(in: folder)
    defer { close(descriptor) }
    do throws(ReportError) {
      // What a killed run left in it goes.
      FaultPoint.step()
      guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o644) == 0 else {
        throw .system("cannot write", path)
      }
      try write(Array(text.utf8), to: descriptor)
      guard FolderTree.flush(descriptor) else { throw .system("cannot flush", path) }
      FaultPoint.step()
      guard unsafe renameat(folder, partial, folder, name) == 0 else {
        throw .system("cannot replace", path)
      }
    } catch {
      FaultPoint.step()
      unsafe _ = unlinkat(folder, partial, 0)
      throw error
    }
    guard FolderTree.flush(folder) else { throw .system("cannot flush", parent) }
  }

  /// Opens the file beside, locked: one run at a time writes it, and what a killed one left is taken
  /// over, so that nothing ever lies about.
  private func openPartial(in folder: Int32) throws(ReportError) -> Int32 {
    for _ in 0..<Self.attempts {
      let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
      FaultPoint.step()
      let descriptor = unsafe openat(folder, partial, flags, 0o644)
      guard descriptor >= 0 else { throw .system("cannot create a file in", parent) }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isNamed(partial, in: folder, descriptor) {
        return descriptor
      }
      // Another run writes it, or has just renamed it.
      close(descriptor)
      usleep(Self.pause)
    }
    throw ReportError(.cannotWrite(EAGAIN), "cannot write \(path): another run is writing it")
  }

  /// Whether the open file is still the one of that name, a file like any other, and known by no
  /// other name.
  private func isNamed(_ name: String, in folder: Int32, _ descriptor: Int32) -> Bool {
    var open = stat()
    var named = stat()
    return unsafe fstat(descriptor, &open) == 0
      && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0
      && open.st_dev == named.st_dev && open.st_ino == named.st_ino && open.st_nlink == 1
      && open.st_mode & S_IFMT == S_IFREG
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(ReportError) {
    var done = 0
    while done < bytes.count {
      FaultPoint.step()
      let written = unsafe bytes[done...].withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if written < 0 {
        if errno == EINTR { continue }
        throw .system("cannot write", path)
      }
      done += written
    }
  }

  private func openParent() throws(ReportError) -> Int32 {
    let descriptor = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("cannot open", parent) }
    return descriptor
  }
}
