/// A part of an audit whose shuffles another engine carries out: a filter of rows.
package enum AuditStage: String, Sendable, CaseIterable {
  /// Takes sources, and gives rows by device, by key identifier and by clientDataHash.
  case map
  /// Takes rows by device, and gives rows by key identifier; where a schema names devices.
  case devices
  /// Takes rows by key identifier, and gives rows by clientDataHash.
  case keys
  /// Takes rows by clientDataHash, and gives rows of reports.
  case hashes

  /// The rows that are taken, nil where that is the sources.
  var taken: RowForm? {
    switch self {
    case .map: nil
    case .devices: .device
    case .keys: .event
    case .hashes: .hash
    }
  }

  /// The rows that may come and are passed on as they are: they are for later stages.
  var passed: [RowForm] {
    let last: [RowForm] = [.input, .totals, .finding, .key, .reject, .verdict]
    return switch self {
    case .map: []
    case .devices: last + [.event, .hash]
    case .keys: last + [.hash]
    case .hashes: last
    }
  }

  /// The rows that are given.
  var given: [RowForm] {
    switch self {
    case .map: [.device, .event, .hash, .finding, .reject, .verdict]
    case .devices: [.event, .finding, .verdict]
    case .keys: [.hash, .finding, .key, .verdict]
    case .hashes: [.finding, .key, .verdict]
    }
  }
}
