package import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

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

  /// Whether events are named by other things than keys and hashes.
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
