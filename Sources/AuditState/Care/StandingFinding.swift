package import AppAttest
package import AuditEngine

/// A finding that stands, as far as runs know.
package struct StandingFinding: Sendable, Equatable {
  package var entry: FindingTable.Entry
  /// The name of the record's source, or empty if it is not known.
  package var source: String
  /// The day of the last run that reported it.
  package var lastSeen: String
}

/// The choice of findings that are asked for. A property that is nil lets all pass.
package struct FindingFilter: Sendable {
  package var keys: ClosedRange<Digest256>?
  package var codes: [FindingCode]?
  package var severity: Severity?
  /// The first day of the last report.
  package var since: String?
  /// The first run that can have reported it first.
  package var firstRun: Int64?

  package init(firstRun: Int64? = nil) {
    self.firstRun = firstRun
  }
}

extension StateDirectory {
  /// Calls `body` with every open finding that is asked for, the most severe and last reported first.
  package func forEachFinding(
    _ filter: FindingFilter, _ body: (StandingFinding) throws -> Void
  ) throws {
    var failure: (any Error)?
    let days = try RunTable.days(database)
    let (condition, values) = filter.condition
    try FindingTable.table.each(database, condition, values) {
      (entry: FindingTable.Entry) throws(StateError) in
      guard failure == nil else { return }
      let lastSeen = days[entry.lastRun] ?? ""
      if let since = filter.since, lastSeen < since { return }
      let source = try entry.position.flatMap { position throws(StateError) in
        try InputTable.name(database, position.source)
      }
      let finding = StandingFinding(entry: entry, source: source ?? "", lastSeen: lastSeen)
      do { try body(finding) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Returns whether a finding was ever reported, or accepted, that an entry means.
  package func hasFinding(_ target: AcceptedFinding.Target) throws(StateError) -> Bool {
    let (condition, values): (String, [SQLValue]) =
      switch target {
      case .fingerprint(let fingerprint): ("fingerprint = ?", [.number(fingerprint)])
      case .key(let code, let keyID):
        ("code = ? AND key_id = ?", [.text(code.name), .digest(keyID)])
      case .app(let code, let appID): ("code = ? AND app_id = ?", [.text(code.name), .text(appID)])
      case .code(let code): ("code = ?", [.text(code.name)])
      }
    return try database.first("SELECT 1 FROM findings WHERE \(condition) LIMIT 1", values) != nil
  }
}

extension FindingFilter {
  /// The rows that are asked for, but for `since`, in their order.
  fileprivate var condition: (String, [SQLValue]) {
    var parts = ["closed_run IS NULL"]
    var values: [SQLValue] = []
    if let keys {
      parts.append("key_id BETWEEN ? AND ?")
      values += [.digest(keys.lowerBound), .digest(keys.upperBound)]
    }
    if let codes {
      parts.append("code IN (\(codes.map { _ in "?" }.joined(separator: ", ")))")
      values += codes.map { .text($0.name) }
    }
    if let severity {
      parts.append("worst >= ?")
      values.append(.number(severity.rawValue))
    }
    if let firstRun {
      parts.append("first_run >= ?")
      values.append(.integer(firstRun))
    }
    let order = "ORDER BY worst DESC, last_run DESC, fingerprint"
    return ("WHERE \(parts.joined(separator: " AND ")) \(order)", values)
  }
}
