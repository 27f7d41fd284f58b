internal import AppAttest

/// The order of the sources of all runs. Those of one run keep their order from run to run.
package struct SourceOrder: Sendable, Equatable {
  /// The places of sources by their numbers, as far as they are not their numbers.
  private let places: [UInt32]
  /// For the sources that are an earlier source, or that source grown: the first of them.
  package var origins: [UInt32: UInt32] = [:]

  package init() { places = [] }

  /// Makes the order of numbers from 0 to their count, each once, or nil.
  package init?(_ numbers: [UInt32]) {
    var places = [UInt32](repeating: .max, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      guard Int(number) < places.count, places[Int(number)] == .max else { return nil }
      places[Int(number)] = UInt32(place)
    }
    let isOfNumbers = numbers.indices.allSatisfy { Int(numbers[$0]) == $0 }
    self.places = isOfNumbers ? [] : places
  }

  package func place(of source: UInt32) -> UInt32 {
    Int(source) < places.count ? places[Int(source)] : source
  }

  /// Returns the number of the input that a source is read of: a file that has grown is one input.
  func input(of source: UInt32) -> UInt32 { origins[source] ?? source }

  /// Returns a position with the place of its source: such positions compare as their events.
  func place(of position: Position) -> Position {
    Position(source: place(of: position.source), lineItem: position.lineItem)
  }
}
