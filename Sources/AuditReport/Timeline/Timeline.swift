package import AppAttest
package import AuditEngine
internal import AuditLog
internal import Basics

package struct Timeline: Sendable {
  package static let limit = 1_000_000

  let reorderTolerance: Int64
  /// Whether it is of a report, and the state of the run knew events of earlier runs.
  package private(set) var isOfOneNight = false
  /// The events in order of time, those without one first.
  package private(set) var events: [TimelineEvent] = []
  /// The number of events that came when the timeline was full.
  package private(set) var omitted: UInt64 = 0

  package init(_ report: StoredReport, _ query: TimelineQuery) throws {
    reorderTolerance = report.reorderTolerance
    isOfOneNight = report.summary.hasState
    try EventsReader(report).forEachEvent(query) { add($0) }
    sort()
  }

  package init(
    _ result: any AuditResult, _ query: TimelineQuery,
    reorderTolerance: Int64 = DetectionPolicy().reorderTolerance
  ) throws {
    self.reorderTolerance = reorderTolerance
    let sources = SourceNames(result)
    var query = query
    try result.forEachEvents { events in
      try events.each { row in
        let event = TimelineEvent(row, sources: sources)
        if query.takes(event) { add(event) }
      }
    }
    sort()
  }

  init(_ events: [TimelineEvent], reorderTolerance: Int64 = DetectionPolicy().reorderTolerance) {
    self.reorderTolerance = reorderTolerance
    self.events = events
    sort()
  }

  private mutating func add(_ event: TimelineEvent) {
    if events.count < Self.limit { events.append(event) } else { omitted += 1 }
  }

  /// Sorts the events by time. Events of one moment stay in order of key, input and line.
  private mutating func sort() {
    let order = events.indices.sorted { left, right in
      let (before, after) = (events[left].time ?? .min, events[right].time ?? .min)
      return before != after ? before < after : left < right
    }
    events = order.map { events[$0] }
  }

  /// The keys of the events, each once, in order of their first event.
  package var keys: [Digest256] {
    var seen = Set<Digest256>()
    return events.compactMap(\.keyID).filter { seen.insert($0).inserted }
  }
}

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

  package var isVerified: Bool { verdict == Verdict.valid.name || verdict == Verdict.flagged.name }
}

extension TimelineEvent {
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

/// The choice of events for a timeline: any of what is named, if they meet every condition.
package struct TimelineQuery: Sendable {
  package var keys: [Digest256] = []
  package var hashes: [[UInt8]] = []
  package var subjects: [String] = []
  package var requests: [String] = []
  /// The identifiers of devices. The events themselves name the keys of these (``takes(_:)``).
  package var devices: [String] = []
  /// The first moment, and the first moment after the last, in milliseconds since 1970.
  package var from: Int64?
  package var to: Int64?
  package var appID: String?
  package var code: String?
  package var decision: String?

  private struct Place: Hashable {
    var source: String
    var line: UInt64
  }

  /// The places of the events of devices without a known key.
  private var places: Set<Place> = []
  package init() {}

  package var isEmpty: Bool { namesNothing && code == nil }

  /// Whether no event is named: a code can select alone.
  private var namesNothing: Bool { keys.isEmpty && hashes.isEmpty && !namesText }

  private var namesText: Bool { !(subjects.isEmpty && requests.isEmpty && devices.isEmpty) }

  /// The keys whose events are selected, or nil if events of other keys may be shown.
  package var eventKeys: Set<Digest256>? {
    keys.isEmpty || !hashes.isEmpty || namesText ? nil : Set(keys)
  }

  /// Returns whether the next event is shown. Events come in order of key and time. The rows that
  /// assign keys to a device come before the events of these keys, and the keys are kept.
  mutating func takes(_ event: TimelineEvent) -> Bool {
    guard event.kind == VerdictsCSV.deviceKind else { return selects(event) }
    guard devices.contains(where: { Self.names($0, event.detail) }) else { return false }
    if let keyID = event.keyID {
      keys.append(keyID)
    } else {
      places.insert(Place(source: event.source, line: event.line))
    }
    return false
  }

  private func selects(_ event: TimelineEvent) -> Bool {
    let isNamed =
      namesNothing || event.keyID.map(keys.contains) == true
      || !event.clientDataHash.isEmpty && hashes.contains(event.clientDataHash)
      || !event.subject.isEmpty && subjects.contains { Self.names($0, event.subject) }
      || !event.requestID.isEmpty && requests.contains { Self.names($0, event.requestID) }
      || !places.isEmpty && event.keyID == nil
        && places.contains(Place(source: event.source, line: event.line))
    return isNamed && meets(event)
  }

  /// Returns whether a field of a table shows `text`, byte for byte.
  private static func names(_ text: String, _ field: String) -> Bool {
    RowBuffer.guarded(text).isSame(as: field)
  }

  private func meets(_ event: TimelineEvent) -> Bool {
    if let from, event.time.map({ $0 < from }) ?? true { return false }
    if let to, event.time.map({ $0 >= to }) ?? true { return false }
    if let appID, !Self.names(appID, event.appID) { return false }
    if let code, !event.codes.contains(where: { $0 == code || $0.hasPrefix(code + ".") }) {
      return false
    }
    if let decision, (event.decision.isEmpty ? "unknown" : event.decision) != decision {
      return false
    }
    return true
  }
}
