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
  package var codes: [String] = []
  package var decision = ""
  package var subject = ""
  package var requestID = ""
  package var detail = ""
  package var item: UInt16?
  package var category = ""
  package var bundleVersion = ""
  package var codeHash: [UInt8] = []

  init() {}

  init(_ row: VerdictRow, sources: SourceNames) {
    time = row.time
    kind = row.isDeviceNote ? VerdictsCSV.deviceKind : row.kind?.name ?? ""
    keyID = row.keyID
    appID = RowBuffer.guarded(row.appID)
    clientDataHash = row.clientDataHash
    counter = row.counter
    line = row.position.line
    source = line > 0 ? RowBuffer.guarded(path: sources[row.position.source]) : ""
    codes = row.codes.map(\.name)
    decision = row.decision.name
    subject = RowBuffer.guarded(row.subject)
    requestID = RowBuffer.guarded(row.requestID)
    detail = RowBuffer.guarded(row.detail)
    guard !row.isDeviceNote else { return }
    verdict = row.verdict.name
    item = row.position.item
    category = row.category?.name ?? ""
    bundleVersion = RowBuffer.guarded(row.bundleVersion)
    codeHash = row.codeHash
  }

  /// The event for a plot, which shows no texts of the log but the version.
  var plotted: TimelineEvent {
    var event = self
    event.appID = ""
    event.source = ""
    event.subject = ""
    event.requestID = ""
    event.detail = ""
    return event
  }

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
