internal import Files

/// The remains of a run that did not reach its commit: its report, or parts of it.
struct ReportRemains {
  /// A summary's `run` object stands within so many bytes.
  private static let summaryHead = 1 << 14

  private let folder: Folder
  private let name: String
  private let intent: StateIntent
  private var partial: String { TemporaryName.partial(name, pid: intent.pid) }
  private var former: String { TemporaryName.former(name, pid: intent.pid) }

  /// Describes the remains in the folder of reports, or gives nil if the run has no report.
  init?(_ intent: StateIntent, in folder: Folder) {
    guard let name = intent.report else { return nil }
    self.name = name
    self.folder = folder
    self.intent = intent
  }

  /// Removes the folder or report of a run that was not committed, and puts a former report back.
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

  /// Returns whether the report of that name is the run's: its id is in the summary.
  private func isOwnReport(_ name: String) -> Bool {
    let report = Folder(path: folder.file(name))
    guard let head = try? report.open("summary.json")?.bytes(limit: Self.summaryHead) else {
      return false
    }
    let text = String(decoding: head, as: UTF8.self)
    return text.contains("\"\(intent.runID)\"")
  }
}
