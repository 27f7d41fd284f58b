internal import AuditEngine

/// The numbers of all sources in their order. A new source stands beside the one with the nearest
/// name, or behind the one that has grown to it, and behind those in front of it in its run.
struct SourcePlaces {
  private(set) var numbers: [UInt32]

  /// Reads the order of the `count` sources of earlier runs.
  init(_ database: StateDatabase, count: UInt32) throws(StateError) {
    numbers = try InputTable.order(database)
    guard numbers.count <= Int(count) else { throw Self.damage }
    // A state keeps no list as long as the order is that of the numbers.
    numbers += UInt32(numbers.count)..<count
  }

  private static var damage: StateError {
    .damaged(StateFormat.database, "the order of its sources is none")
  }

  /// Returns the order itself, or throws `.damaged`.
  func order() throws(StateError) -> SourceOrder {
    guard let order = SourceOrder(numbers) else { throw Self.damage }
    return order
  }

  /// Returns the places with those of a run's sources, which are numbered on in the order of `names`. `origins` are the
  /// first sources of inputs that have grown, those of the run among them.
  func adding(
    _ names: [String], _ origins: [UInt32: UInt32], _ database: StateDatabase
  ) throws(StateError) -> SourcePlaces {
    guard let first = UInt32(exactly: numbers.count) else { throw Self.damage }
    let order = try order()
    // No source is put between the parts of an input that has grown (`detection.R4`).
    let parts = origins.compactMap { source, origin -> Range<Int>? in
      guard max(source, origin) < first else { return nil }
      let ends = (Int(order.place(of: origin)), Int(order.place(of: source)))
      return min(ends.0, ends.1)..<max(ends.0, ends.1)
    }.sorted { $0.lowerBound < $1.lowerBound }
    var merged: [UInt32] = []
    merged.reserveCapacity(numbers.count + names.count)
    var front = 0
    for (index, name) in names.enumerated() {
      let origin = origins[first &+ UInt32(truncatingIfNeeded: index)]
      let near =
        if let origin { Int(order.place(of: origin)) + 1 } else {
          try place(ofNew: name, database, order)
        }
      let end = parts.reduce(near) { $1.contains($0 - 1) ? $1.upperBound + 1 : $0 }
      if end > front {
        merged += numbers[front..<end]
        front = end
      }
      merged.append(first &+ UInt32(truncatingIfNeeded: index))
    }
    merged += numbers[front...]
    var result = self
    result.numbers = merged
    return result
  }

  /// Returns how many sources of earlier runs come before one with that name.
  private func place(
    ofNew name: String, _ database: StateDatabase, _ order: SourceOrder
  ) throws(StateError) -> Int {
    func alike(_ other: InputTable.Source?) -> Int {
      guard let other, Int(other.number) < numbers.count else { return -1 }
      return zip(name.utf8, other.name.utf8).prefix { $0 == $1 }.count
    }
    let front = try InputTable.source(database, upTo: name)
    let back = try InputTable.source(database, behind: name)
    let (frontAlike, backAlike) = (alike(front), alike(back))
    if let front, frontAlike >= 0, frontAlike >= backAlike {
      return Int(order.place(of: front.number)) + 1
    }
    if let back, backAlike >= 0 { return Int(order.place(of: back.number)) }
    return numbers.count
  }
}
