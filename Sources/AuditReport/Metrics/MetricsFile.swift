internal import AuditLog
internal import Files
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

  /// The path of the file while it is written: what a killed run may leave, and the next one takes
  /// over.
  package var asidePath: String { PathText.join(parent, TemporaryName.shared(name)) }

  /// `path` as the user named it.
  ///
  /// - Throws: where it names no file.
  package init(path: String) throws(ReportError) {
    self.path = path
    guard !path.utf8.contains(0) else {
      throw ReportError(.cannotWrite(EINVAL), "the file of metrics has no name")
    }
    (parent, name) = PathText.split(path)
    guard !name.isEmpty, name != ".", name != "..", !path.hasSuffix("/") else {
      throw ReportError(.cannotWrite(EINVAL), "cannot use \(path) as a file of metrics")
    }
  }

  /// Throws where the file could not be written; to be called before any work. Nothing is made or
  /// changed.
  package func check() throws(ReportError) {
    let folder = try openParent()
    let status = try asReportError { () throws(FileError) in
      try folder.requireWriting()
      return try folder.status(name)
    }
    guard status == nil || status?.kind == .file || status?.kind == .link else {
      throw ReportError(.cannotWrite(EINVAL), "cannot use \(path): it is no file")
    }
  }

  /// Puts the metrics of a run that was carried through in place of the former ones.
  package func write(_ metrics: RunMetrics) throws(ReportError) {
    let folder = try openParent()
    try replace(in: folder, with: metrics.text)
  }

  /// Says that a run failed, and when; everything else stays as the last run that was carried
  /// through left it.
  package func write(failure end: RunEnd) throws(ReportError) {
    let folder = try openParent()
    var text = MetricsText(common: end.labels)
    end.write(to: &text)
    try replace(in: folder, with: text.text + Self.lasting(try former(in: folder)))
  }

  /// Returns the lines of a former file that a failed run leaves standing: ours, but for those of
  /// the last run, and for a last one without an end.
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

  /// Returns what the file holds now; nothing where there is none, or one too large to be ours.
  private func former(in folder: Folder) throws(ReportError) -> [UInt8] {
    do throws(FileError) {
      let file = try folder.open(name, followsLinks: true)
      let bytes = try file?.bytes(limit: Self.formerLimit + 1) ?? []
      return bytes.count > Self.formerLimit ? [] : bytes
    } catch { throw ReportError(error.told("cannot read", path)) }
  }

  /// Writes beside the file, to the disk, and renames: a reader sees the former file or the new one.
  /// One run at a time writes it, and what a killed one left is taken over, so that nothing ever lies
  /// about.
  private func replace(in folder: Folder, with text: String) throws(ReportError) {
    do throws(FileError) {
      let file = try ReplacingFile(
        name, sharedIn: folder, mode: 0o644, attempts: Self.attempts, pause: Self.pause)
      try file.append(Array(text.utf8).span)
      try file.putInPlace()
    } catch {
      guard error.number != EAGAIN else {
        throw ReportError(.cannotWrite(EAGAIN), "cannot write \(path): another run is writing it")
      }
      throw ReportError(error.told(error.action, path))
    }
  }

  private func openParent() throws(ReportError) -> Folder {
    try asReportError { () throws(FileError) in try Folder(opening: parent) }
  }
}
