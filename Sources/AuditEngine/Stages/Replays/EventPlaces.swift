internal import AppAttest
internal import Basics
internal import OpenSSL

/// The times and places of other events, as sentences of findings say them. For one thread.
final class EventPlaces {
  private let sources: [String]
  private let history: RunMemory?
  /// The name of the earlier run's source that was asked for last.
  private var last: (source: UInt32, name: String)?

  /// Makes the places of events. `sources` are the names of the run's sources.
  init(_ sources: [String] = [], _ history: RunMemory? = nil) {
    self.sources = sources
    self.history = history
  }

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

  private func name(_ source: UInt32) -> String {
    let first = history?.firstSource ?? 0
    guard source < first else {
      let index = Int(source - first)
      return index < sources.count ? sources[index] : ""
    }
    if let last, last.source == source { return last.name }
    let name = history?.sourceName(source) ?? ""
    last = (source, name)
    return name
  }
}
