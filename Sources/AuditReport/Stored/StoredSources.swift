internal import AuditEngine
internal import Synchronization

/// The names of sources in a report that is read, with numbers as in an audit. Names are one if their bytes are.
final class StoredSources: Sendable {
  private let known = Mutex<(names: [String], numbers: [[UInt8]: UInt32])>(([], [:]))

  var names: [String] { known.withLock { $0.names } }

  /// Returns the number of a name.
  func number(_ name: String) -> UInt32 {
    let bytes = Array(name.utf8)
    return known.withLock { known in
      if let number = known.numbers[bytes] { return number }
      let number = UInt32(known.names.count)
      known.numbers[bytes] = number
      known.names.append(name)
      return number
    }
  }
}
