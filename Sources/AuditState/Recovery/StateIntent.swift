internal import AppAttest
internal import AuditEngine
internal import Files

/// The report of a run that is not committed yet. It is removed if the run ends before that.
struct StateIntent: Equatable {
  private static let title = "attest-audit intent 1"

  /// `summary.json`'s `run.id`.
  var runID: String
  var pid: Int32
  /// The name of the report in the folder of reports that the settings name, or nil if the run
  /// writes no report. A path would let whoever writes an intent choose what is removed.
  var report: String?

  /// Zero bytes, which no path has, between the fields; the checksum comes last.
  private var bytes: [UInt8] {
    let fields = [Self.title, runID, "\(pid)", report ?? ""]
    let body = Array(fields.joined(separator: "\0").utf8) + [0]
    return body + Array(String(Digest256.sha256(body.span).prefix, radix: 16).utf8)
  }

  /// Puts the intent into the state directory, on the disk.
  func write(in folder: Folder) throws(StateError) {
    let file = try ReplacingFile(
      StateFormat.intent, in: folder, aside: StateFormat.unfinishedIntent, mode: 0o600)
    try file.append(bytes.span)
    try file.putInPlace()
  }

  /// Takes the intent away, from the disk too.
  static func remove(in folder: Folder) throws(StateError) {
    try folder.remove(StateFormat.intent)
    try folder.flush()
  }

  /// Returns the intent in the state directory, or nil. Throws `.damaged`.
  static func read(in folder: Folder) throws(StateError) -> StateIntent? {
    guard let file = try folder.open(StateFormat.intent) else { return nil }
    let size = try file.size()
    guard size <= 1 << 20 else { throw .damaged(StateFormat.intent, "it is too large") }
    let bytes = try file.bytes(count: size)
    let fields = bytes.split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard fields.count == 5, fields[0] == title, let pid = Int32(fields[2]),
      let last = bytes.lastIndex(of: 0), isName(fields[3])
    else { throw damage }
    let name = fields[3]
    let intent = StateIntent(runID: fields[1], pid: pid, report: name.isEmpty ? nil : name)
    let body = Array(bytes[...last])
    guard String(Digest256.sha256(body.span).prefix, radix: 16) == fields[4] else { throw damage }
    return intent
  }

  /// Returns whether a text can be the name of a report, or stands for none.
  private static func isName(_ text: String) -> Bool {
    !text.utf8.contains(UInt8(ascii: "/")) && text != "." && text != ".."
  }

  private static var damage: StateError {
    .damaged(StateFormat.intent, "its content is not what was written")
  }
}
