internal import AuditEngine
internal import Synchronization

/// The names of sources in a report that is read, with numbers as in an audit.
final class StoredSources: Sendable {
  private let known = Mutex<(names: [String], numbers: [String: UInt32])>(([], [:]))

  var names: [String] { known.withLock { $0.names } }

  /// Returns the number of a name.
  func number(_ name: String) -> UInt32 {
    known.withLock { known in
      if let number = known.numbers[name] { return number }
      let number = UInt32(known.names.count)
      known.numbers[name] = number
      known.names.append(name)
      return number
    }
  }

  /// The names by their numbers, including names that come later.
  var table: SourceNames {
    SourceNames(
      [], first: .max,
      earlier: { [self] number in
        known.withLock { Int(number) < $0.names.count ? $0.names[Int(number)] : "" }
      })
  }
}
