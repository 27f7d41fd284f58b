/// A part of an audit whose shuffles another engine carries out: a filter of rows.
package enum AuditStage: String, Sendable, CaseIterable {
  /// A stage that takes sources, and gives rows by device, by key identifier and by clientDataHash.
  case map
  /// A stage that gives rows of what earlier runs kept that this one is to judge.
  case recall
  /// A stage from rows by device to rows by key identifier, for schemas that name devices.
  case devices
  /// A stage that takes rows by key identifier, and gives rows by clientDataHash.
  case keys
  /// A stage that takes rows by clientDataHash, and gives rows of reports.
  case hashes

  /// The rows that are taken, or nil if those are the sources.
  var taken: RowForm? {
    switch self {
    case .map, .recall: nil
    case .devices: .device
    case .keys: .event
    case .hashes: .hash
    }
  }

  /// The rows that may come and are passed on as they are: they are for later stages.
  var passed: [RowForm] {
    let last: [RowForm] = [
      .input, .totals, .memory, .finding, .key, .reject, .verdict, .build,
    ]
    return switch self {
    case .map, .recall: []
    case .devices: last + [.event, .hash]
    case .keys: last + [.hash]
    case .hashes: last
    }
  }

  var given: [RowForm] {
    switch self {
    case .map: [.device, .event, .hash, .finding, .reject, .verdict]
    case .recall: [.device, .event, .hash]
    case .devices: [.event, .finding, .verdict]
    case .keys: [.hash, .finding, .key, .verdict, .build]
    case .hashes: [.finding, .key, .verdict, .build]
    }
  }
}
