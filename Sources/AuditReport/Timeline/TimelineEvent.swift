package import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// One event of a timeline. Texts of a log are in the form of a report's tables.
package struct TimelineEvent: Sendable, Equatable {
  package var time: Int64?
  package var kind = ""
  package var keyID: Digest256?
  package var appID = ""
  package var clientDataHash: [UInt8] = []
  package var counter: UInt32?
  package var source = ""
  package var line: UInt64 = 0
  package var verdict = ""
  /// The names of the codes found for it.
  package var codes: [String] = []
  package var decision = ""
  package var subject = ""
  package var requestID = ""
  package var detail = ""
  /// The number of the record in its line.
  package var item: UInt16?
  package var category = ""
  package var bundleVersion = ""
  package var codeHash: [UInt8] = []

  /// Makes an event that is read column by column.
  init() {}

  init(_ row: VerdictRow, sources: SourceNames) {
    self.init(plotted: row)
    appID = RowBuffer.guarded(row.appID)
    source =
      row.position.line > 0 ? RowBuffer.guarded(path: sources[row.position.source]) : ""
    subject = RowBuffer.guarded(row.subject)
    requestID = RowBuffer.guarded(row.requestID)
    detail = RowBuffer.guarded(row.detail)
    guard !row.isDeviceNote else { return }
    item = row.item
  }

  /// Makes an event for a plot, which shows no texts of the log but the version.
  init(plotted row: VerdictRow) {
    self.init()
    time = row.time
    kind = row.isDeviceNote ? VerdictsCSV.deviceKind : row.kind?.name ?? ""
    keyID = row.keyID
    clientDataHash = row.clientDataHash
    counter = row.counter
    line = row.position.line
    verdict = row.isDeviceNote ? "" : row.verdict.name
    codes = row.codes.map(\.name)
    decision = row.decision.name
    guard !row.isDeviceNote else { return }
    category = row.category?.name ?? ""
    bundleVersion = RowBuffer.guarded(row.bundleVersion)
    codeHash = row.codeHash
  }

  /// The event as a plot holds it.
  var plotted: TimelineEvent {
    var event = self
    event.appID = ""
    event.source = ""
    event.subject = ""
    event.requestID = ""
    event.detail = ""
    return event
  }

  /// Whether a signature over the event was valid.
  package var isVerified: Bool {
    verdict == Verdict.valid.name || verdict == Verdict.flagged.name
  }
}

extension TimelineEvent {
  /// The event as a line for a timeline of Timesketch, without empty members.
  package var timesketch: String {
    let words = [kind, verdict, codes.joined(separator: ", "), decision]
    var rows = RowBuffer()
    TimesketchEvent.tree(
      words.filter { !$0.isEmpty }.joined(separator: "; "), at: time ?? 0,
      of: time == nil ? "the event has no time" : "\(kind) in the log",
      EventColumns.all.members(of: self)
    ).writeLine(to: &rows)
    return rows.text
  }
}
