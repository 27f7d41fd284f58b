internal import AppAttest
internal import AuditLog

/// The events that earlier runs judged as ones of a key which their device had not, as late
/// attestations say: a row of the flags `departed` is in front of each.
struct DepartedEvents {
  /// The most events that are waited for: beyond that, their event is gone.
  private static let limit = 16

  private var waiting: [(keyID: Digest256, position: Position, isKept: Bool)] = []
  /// The event that came to its key last.
  private var arrived: (keyID: Digest256, position: Position)?

  /// Returns whether a row says that an event has departed.
  static func isMark(_ row: EventRow) -> Bool {
    row.flags.isSuperset(of: .departed) && !row.flags.contains(.remembered)
  }

  /// Takes such a row. `isKept` is true if an earlier run wrote it.
  mutating func take(_ row: EventRow, isKept: Bool) {
    if waiting.count == Self.limit { waiting.removeFirst() }
    let position = Position(
      source: row.position.source, lineItem: row.position.lineItem &+ 1)
    waiting.append((row.keyID, position, isKept))
  }

  /// Takes an event that comes to its key. Returns false if it is the one that came last.
  mutating func isFirst(_ row: EventRow) -> Bool {
    let isAgain = arrived.map { $0 == (row.keyID, row.position) } ?? false
    arrived = (row.keyID, row.position)
    return !isAgain
  }

  enum Departure {
    case before
    case now
  }

  /// Returns when an event that an earlier run judged departed from its key, or nil if it is still
  /// its key's. Each mark is for one event.
  mutating func departure(of row: EventRow) -> Departure? {
    guard !waiting.isEmpty else { return nil }
    func isMeant(_ entry: (keyID: Digest256, position: Position, isKept: Bool)) -> Bool {
      entry.position == row.position && entry.keyID == row.keyID
    }
    guard
      let index = waiting.firstIndex(where: { isMeant($0) && $0.isKept })
        ?? waiting.firstIndex(where: isMeant)
    else { return nil }
    return waiting.remove(at: index).isKept ? .before : .now
  }
}
