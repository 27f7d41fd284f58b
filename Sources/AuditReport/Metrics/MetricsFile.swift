internal import AuditLog
package import Files
internal import Glibc

/// The file that node_exporter's textfile collector reads. It is replaced as a whole.
package struct MetricsFile: Sendable {
  /// The size in bytes of the largest former file from which a failed run takes lines.
  private static let formerLimit = 1 << 20
  /// The attempts while another run writes the file, and the pause between them in microseconds.
  private static let attempts = 100
  private static let pause: UInt32 = 20_000

  package let path: String
  private let parent: String
  private let name: String

  /// Makes the file of a path as the user named it, or throws if it names none.
  package init(path: String) throws(AuditError) {
    self.path = path
    guard !path.utf8.contains(0) else {
      throw AuditError(.file(EINVAL), "the file of metrics has no name")
    }
    (parent, name) = PathText.split(path)
    guard !name.isEmpty, name != ".", name != "..", !path.hasSuffix("/") else {
      throw AuditError(.file(EINVAL), "cannot use \(path) as a file of metrics")
    }
  }

  /// Throws if the file could not be written. Call it before any work. Nothing is made or changed.
  package func check() throws(AuditError) {
    let folder = try Folder(opening: parent)
    try folder.requireWriting()
    let status = try folder.status(name)
    guard status == nil || status?.kind == .file || status?.kind == .link else {
      throw AuditError(.file(EINVAL), "cannot use \(path): it is not a file")
    }
  }

  package func write(_ metrics: RunMetrics) throws(AuditError) {
    let folder = try Folder(opening: parent)
    try replace(in: folder, with: metrics.text)
  }

  /// Records that a run failed, and when. All else stays as the last successful run left it.
  package func write(failure end: RunEnd) throws(AuditError) {
    let folder = try Folder(opening: parent)
    var text = MetricsText(common: end.labels)
    end.write(to: &text)
    try replace(in: folder, with: text.text + Self.lasting(try former(in: folder)))
  }

  /// Returns the whole lines of this program in a former file, except those of the last run.
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

  /// Returns the present contents, or nothing if the file is too large to be the program's own.
  private func former(in folder: Folder) throws(AuditError) -> [UInt8] {
    do throws(AuditError) {
      let file = try folder.open(name, followsLinks: true)
      let bytes = try file?.bytes(limit: Self.formerLimit + 1) ?? []
      return bytes.count > Self.formerLimit ? [] : bytes
    } catch { throw error.told("cannot read", path) }
  }

  /// Writes a file beside the target and renames it. One run at a time writes it, over a file that a killed run left.
  private func replace(in folder: Folder, with text: String) throws(AuditError) {
    do throws(AuditError) {
      let file = try ReplacingFile(
        name, sharedIn: folder, mode: 0o644, attempts: Self.attempts, pause: Self.pause)
      try file.append(Array(text.utf8).span)
      try file.putInPlace()
    } catch {
      guard error.number != EAGAIN else {
        throw AuditError(.file(EAGAIN), "cannot write \(path): another run is writing it")
      }
      throw error.told(error.action, path)
    }
  }
}
