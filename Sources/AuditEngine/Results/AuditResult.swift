package import AuditLog

/// The results of an audit: totals in memory, rows as sorted streams that are read once each.
package protocol AuditResult {
  /// The names of the run's sources; the first has the number `firstSource` in positions.
  var sources: [String] { get }
  /// The number of the first source of the run; lower ones are sources of earlier runs.
  var firstSource: UInt32 { get }
  /// A closure that returns the name of a source of an earlier run, or an empty text.
  var earlierSource: @Sendable (UInt32) -> String { get }
  var inputs: [InputRow] { get }
  var totals: AuditTotals { get }
  /// The states of the log that explain findings, and the things that it cannot show.
  var likelyCauses: [LikelyCause] { get }
  var blindSpots: [BlindSpot] { get }
  /// The facts to remember of the inputs once the report is in its place, or nil.
  var accounted: ReadInputs? { get }
  /// The first 100,000 findings of earlier runs that stand no more, in order of device and key.
  var closed: [ClosedFinding] { get }
  /// The number of all of them.
  var closedCount: UInt64 { get }
  /// Hands over findings by (time, source order, line, code), accepted ones among them, marked.
  func forEachFinding(_ body: (Finding) throws -> Void) throws
  /// Hands over the ``closedCount`` findings that this run withdraws, each with the reason as its
  /// sentence, and its earlier reports. To be called at most once.
  func forEachWithdrawn(_ body: (Finding, Sighting) throws -> Void) throws
  /// Hands over keys in order of the key identifier's bytes.
  func forEachKey(_ body: (KeyRow) throws -> Void) throws
  /// Hands over builds, at most ``BuildRow/limit``, after the verdicts. Returns the totals of all.
  func forEachBuild(_ body: (BuildRow) throws -> Void) throws -> BuildTotals
  /// Hands over rejects in order of source and line.
  func forEachReject(_ body: (RejectRow) throws -> Void) throws
  /// Hands over verdicts in order of source and line, if they were asked for.
  func forEachVerdict(_ body: (VerdictRow) throws -> Void) throws
  /// Hands over verdicts in blocks, by key (none first) and time, and before each key's the devices
  /// that have it (``VerdictRow/isDeviceNote``), if events were asked for.
  func forEachEvents(_ body: (EventRows) throws -> Void) throws
}

extension AuditResult {
  /// Returns whether an input was not read whole, or more than this share of its lines.
  package func isPartial(above rate: Double) -> Bool {
    totals.signs.has(.missingInput)
      || inputs.contains { input in
        switch input.status {
        case .truncated, .corrupt, .unreadable: !input.isRepaired
        case .ok, .duplicate, .known, .waiting: input.hasChanged || input.isMisread(above: rate)
        }
      }
  }
}
