internal import AuditEngine

/// The names of sources in a report that is read, with numbers as an audit gives them.
final class StoredSources {
  private(set) var names: [String] = []
  private var numbers: [String: UInt32] = [:]

  /// Returns the number of a name.
  func number(_ name: String) -> UInt32 {
    if let number = numbers[name] { return number }
    let number = UInt32(names.count)
    numbers[name] = number
    names.append(name)
    return number
  }

  /// The names by their numbers, those of names that come later as well.
  var table: SourceNames {
    SourceNames([], first: .max, earlier: { [self] in Int($0) < names.count ? names[Int($0)] : "" })
  }
}
