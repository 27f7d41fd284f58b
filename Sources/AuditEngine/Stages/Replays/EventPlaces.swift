internal import AppAttest
internal import Basics

/// The times and places of other events, as sentences of findings say them.
struct EventPlaces {
  /// The names of the run's sources.
  var sources: [String] = []
  var history: RunMemory?

  /// Returns whether a position is one of an earlier run.
  func isEarlier(_ position: Position) -> Bool { position.source < history?.firstSource ?? 0 }

  /// Returns `at 2026-03-01T00:00:00.000Z, logs/a.jsonl:7`, without the parts that are not known.
  func text(_ position: Position?, at time: Int64?) -> String {
    let when = time.map { "at \(CivilTime(milliseconds: $0).text)" }
    let place = position.flatMap { position in
      let name = name(position.source)
      return name.isEmpty ? nil : "\(name):\(position.line)"
    }
    return [when, place].compactMap(\.self).joined(separator: ", ")
  }

  func name(_ source: UInt32) -> String {
    let first = history?.firstSource ?? 0
    guard source < first else {
      let index = Int(source - first)
      return index < sources.count ? sources[index] : ""
    }
    return history?.sourceName(source) ?? ""
  }
}
