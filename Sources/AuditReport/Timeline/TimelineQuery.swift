package import AppAttest
internal import AuditLog

/// Which events a timeline shows: those of any of the keys, hashes, subjects and requests that are
/// named, and of them those that meet every condition.
package struct TimelineQuery: Sendable {
  package var keys: [Digest256] = []
  package var hashes: [[UInt8]] = []
  package var subjects: [String] = []
  package var requests: [String] = []
  /// Milliseconds since 1970: the first moment, and the first one no more.
  package var from: Int64?
  package var to: Int64?
  package var appID: String?
  /// A code, or a family of codes.
  package var code: String?
  package var decision: String?

  package init() {}

  /// True where anything is named.
  package var isEmpty: Bool {
    keys.isEmpty && hashes.isEmpty && subjects.isEmpty && requests.isEmpty
  }

  /// The values that the filter of a block has to hold where a key alone does not say.
  var filterHashes: [UInt64] {
    hashes.map { EventFilter.hash(.clientDataHash, $0) }
      + subjects.map { EventFilter.hash(.subject, RowBuffer.guarded($0).utf8) }
      + requests.map { EventFilter.hash(.requestID, RowBuffer.guarded($0).utf8) }
  }

  /// Returns whether an event is shown.
  func selects(_ event: TimelineEvent) -> Bool {
    let isNamed =
      event.keyID.map(keys.contains) == true
      || !event.clientDataHash.isEmpty && hashes.contains(event.clientDataHash)
      || !event.subject.isEmpty
        && subjects.contains { RowBuffer.guarded($0) == event.subject }
      || !event.requestID.isEmpty
        && requests.contains { RowBuffer.guarded($0) == event.requestID }
    return isNamed && meets(event)
  }

  private func meets(_ event: TimelineEvent) -> Bool {
    if let from, event.time.map({ $0 < from }) ?? true { return false }
    if let to, event.time.map({ $0 >= to }) ?? true { return false }
    if let appID, event.appID != RowBuffer.guarded(appID) { return false }
    if let code, !event.codes.contains(where: { $0 == code || $0.hasPrefix(code + ".") }) {
      return false
    }
    if let decision, (event.decision.isEmpty ? "unknown" : event.decision) != decision {
      return false
    }
    return true
  }
}
