package import AppAttest
package import AuditEngine
internal import AuditLog

/// Which events a timeline shows: those of any of the keys, hashes, subjects, requests and devices that
/// are named, and of them those that meet every condition.
package struct TimelineQuery: Sendable {
  package var keys: [Digest256] = []
  package var hashes: [[UInt8]] = []
  package var subjects: [String] = []
  package var requests: [String] = []
  /// Identifiers of devices, whose keys the events themselves name (``takes(_:)``).
  package var devices: [String] = []
  /// Milliseconds since 1970: the first moment, and the first one no more.
  package var from: Int64?
  package var to: Int64?
  package var appID: String?
  /// A code, or a family of codes.
  package var code: String?
  package var decision: String?

  /// A line of an input.
  private struct Place: Hashable {
    var source: String
    var line: UInt64
  }

  /// The events of the devices of which nobody knows a key.
  private var places: Set<Place> = []
  /// True where an event is to be found by nothing but its place.
  var hasPlaces: Bool { !places.isEmpty }

  package init() {}

  /// True where anything is named.
  package var isEmpty: Bool {
    keys.isEmpty && hashes.isEmpty && subjects.isEmpty && requests.isEmpty
      && devices.isEmpty
  }

  /// The values that the filter of a block has to hold where a key alone does not say.
  var filterHashes: [UInt64] {
    hashes.map { EventFilter.hash(.clientDataHash, $0) }
      + subjects.map { EventFilter.hash(.subject, RowBuffer.guarded($0).utf8) }
      + requests.map { EventFilter.hash(.requestID, RowBuffer.guarded($0).utf8) }
      + devices.map { EventFilter.hash(.device, RowBuffer.guarded($0).utf8) }
  }

  /// Which events of an audit may be shown, as far as their keys and hashes say it; nil: any may.
  package var choice: EventChoice? {
    guard subjects.isEmpty, requests.isEmpty, devices.isEmpty else { return nil }
    return EventChoice(keys: keys, hashes: hashes)
  }

  /// Returns whether the next event is shown, in order of key and time; what says which keys a device
  /// has stands in front of their events, and is taken note of.
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
      event.keyID.map(keys.contains) == true
      || !event.clientDataHash.isEmpty && hashes.contains(event.clientDataHash)
      || !event.subject.isEmpty && subjects.contains { Self.names($0, event.subject) }
      || !event.requestID.isEmpty && requests.contains { Self.names($0, event.requestID) }
      || !places.isEmpty && event.keyID == nil
        && places.contains(Place(source: event.source, line: event.line))
    return isNamed && meets(event)
  }

  /// Returns whether a field of a table shows `text`, byte for byte.
  private static func names(_ text: String, _ field: String) -> Bool {
    TextBytes(text: RowBuffer.guarded(text)) == TextBytes(text: field)
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
