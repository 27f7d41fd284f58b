internal import AuditEngine
internal import Glibc

/// What a run that did not come to its commit leaves beside the state: its report, or parts of it.
struct ReportRemains {
  /// A summary's `run` object stands within so many bytes.
  private static let summaryHead = 1 << 14

  private let folder: StateFolder
  private let name: String
  private let intent: StateIntent
  private var partial: String { ".\(name).partial-\(intent.pid)" }
  private var former: String { ".\(name).former-\(intent.pid)" }

  /// Nil where the run has no report.
  init?(_ intent: StateIntent) {
    guard let path = intent.report, let slash = path.lastIndex(of: "/") else { return nil }
    name = String(path[path.index(after: slash)...])
    guard !name.isEmpty else { return nil }
    folder = StateFolder(path: slash == path.startIndex ? "/" : String(path[..<slash]))
    self.intent = intent
  }

  /// Removes what is left of a run that was not committed: the folder in which the report grew, and
  /// the report itself where it is that run's. A report that had stepped aside for it comes back.
  func undo() throws(StateError) {
    if isOwnReport(name) {
      // Renamed first: a report that is half removed would not be known as ours any more.
      try folder.removeTree(partial)
      try folder.rename(name, to: partial)
    }
    try folder.removeTree(partial)
    if folder.has(former) {
      if folder.has(name) {
        try folder.removeTree(former)
      } else {
        try folder.rename(former, to: name)
      }
    }
  }

  /// Removes what a committed run had no time to remove: the report that it replaced.
  func tidy() throws(StateError) {
    try folder.removeTree(partial)
    try folder.removeTree(former)
  }

  /// Whether the report of that name is the run's: its id is in the summary.
  private func isOwnReport(_ name: String) -> Bool {
    let path = folder.file(name) + "/summary.json"
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let head = unsafe [UInt8](unsafeUninitializedCapacity: Self.summaryHead) { buffer, count in
      count = max(0, unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0))
    }
    let text = String(decoding: head, as: UTF8.self)
    return text.contains("\"\(intent.runID)\"")
  }
}
