package import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// One event in the history of a key, a hash, a subject or a request. Texts of a log are in the
/// form of a report's tables.
package struct TimelineEvent: Sendable, Equatable {
  package var time: Int64?
  package var kind: String
  package var keyID: Digest256?
  package var appID: String
  package var clientDataHash: [UInt8]
  package var counter: UInt32?
  package var source: String
  package var line: UInt64
  package var verdict: String
  /// The names of the codes found for it.
  package var codes: [String]
  package var decision: String
  package var subject: String
  package var requestID: String
  package var detail: String

  /// Reads a row of ``VerdictsCSV``, or returns nil if the fields are no such row.
  init?(fields: [String]) {
    guard fields.count == 14, let hash = Hex.bytes(fields[4].utf8),
      let line = UInt64(fields[7])
    else { return nil }
    time = CivilTime.milliseconds(fields[0])
    kind = fields[1]
    keyID = Hex.bytes(fields[2].utf8).flatMap { Digest256($0) }
    appID = fields[3]
    clientDataHash = hash
    counter = UInt32(fields[5])
    source = fields[6]
    self.line = line
    verdict = fields[8]
    codes = fields[9].split(separator: ";").map(String.init)
    decision = fields[10]
    subject = fields[11]
    requestID = fields[12]
    detail = fields[13]
  }

  init(_ row: VerdictRow, sources: SourceNames) {
    self.init(plotted: row)
    appID = RowBuffer.guarded(row.appID)
    source =
      row.position.line > 0 ? RowBuffer.guarded(path: sources[row.position.source]) : ""
    subject = RowBuffer.guarded(row.subject)
    requestID = RowBuffer.guarded(row.requestID)
    detail = RowBuffer.guarded(row.detail)
  }

  /// Makes an event for a plot, which shows no texts of the log: these may be long, and a plot holds many
  /// events.
  init(plotted row: VerdictRow) {
    time = row.time
    kind = row.isDeviceNote ? VerdictsCSV.deviceKind : row.kind?.name ?? ""
    keyID = row.keyID
    appID = ""
    clientDataHash = row.clientDataHash
    counter = row.counter
    source = ""
    line = row.position.line
    verdict = row.isDeviceNote ? "" : row.verdict.name
    codes = row.codes.map(\.name)
    decision = row.decision.name
    subject = ""
    requestID = ""
    detail = ""
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

  /// True where a signature over the event was valid.
  package var isVerified: Bool {
    verdict == Verdict.valid.name || verdict == Verdict.flagged.name
  }
}
