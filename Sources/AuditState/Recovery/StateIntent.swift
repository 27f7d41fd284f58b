internal import AuditEngine
internal import Glibc

/// Which report belongs to a run that is not committed yet: what is left of it goes, should the run
/// end before its commit.
struct StateIntent: Equatable {
  private static let title = "attest-audit intent 1"

  /// `summary.json`'s `run.id`.
  var runID: String
  /// The process that writes the report.
  var pid: Int32
  /// The absolute path of the report; nil: the run writes none.
  var report: String?
  /// Absolute paths of files that are written aside and renamed, and go if they are still there.
  var asides: [String]

  /// Zero bytes, which no path has, between the fields; the checksum comes last.
  private var bytes: [UInt8] {
    let fields = [Self.title, runID, "\(pid)", report ?? ""] + asides
    let body = Array(fields.joined(separator: "\0").utf8) + [0]
    return body + Array(String(Checksum.first8(body.span), radix: 16).utf8)
  }

  /// Puts the intent into the state directory, on the disk.
  func write(in folder: StateFolder) throws(StateError) {
    let file = try folder.create(StateFormat.unfinishedIntent)
    try file.write(bytes, at: 0)
    try file.flush()
    try folder.rename(StateFormat.unfinishedIntent, to: StateFormat.intent)
    try folder.flush()
  }

  /// Takes the intent away, from the disk too.
  static func remove(in folder: StateFolder) throws(StateError) {
    try folder.remove(StateFormat.intent)
    try folder.flush()
  }

  /// The intent in the state directory; nil where there is none.
  ///
  /// - Throws: `.damaged`.
  static func read(in folder: StateFolder) throws(StateError) -> StateIntent? {
    guard let file = try folder.open(StateFormat.intent) else { return nil }
    let bytes = try file.bytes(limit: 1 << 20)
    let fields = bytes.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard fields.count >= 5, fields[0] == title, let pid = Int32(fields[2]),
      let last = bytes.lastIndex(of: 0)
    else { throw damage }
    let intent = StateIntent(
      runID: fields[1], pid: pid, report: fields[3].isEmpty ? nil : fields[3],
      asides: Array(fields[4..<(fields.count - 1)]))
    let body = Array(bytes[...last])
    guard String(Checksum.first8(body.span), radix: 16) == fields[fields.count - 1] else {
      throw damage
    }
    return intent
  }

  private static var damage: StateError {
    .damaged(StateFormat.intent, "it does not hold what was written to it")
  }
}

extension StateFile {
  /// The whole content of a small file.
  func bytes(limit: Int) throws(StateError) -> [UInt8] {
    let size = try size()
    guard size <= limit else { throw .damaged(name, "it is too large") }
    var bytes = [UInt8](repeating: 0, count: size)
    var failure: StateError?
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(StateError) { unsafe try read(into: buffer, at: 0) } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }
}
