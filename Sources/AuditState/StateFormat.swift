internal import AuditEngine

/// The format of a state directory, and the files in it.
package enum StateFormat {
  /// The version that this program reads and writes.
  package static let version = 5

  /// The database: keys, devices, the ledger of inputs, findings, runs, and which segments there are.
  static let database = "state.sqlite"
  /// The database while it is made, until it is whole.
  static let unfinishedDatabase = "creating.sqlite"
  /// The endings of the files that SQLite puts beside a database.
  static let databaseCompanions = ["-wal", "-shm", "-journal"]
  /// The folder of earlier states: `generations/7` is the state before run 7.
  static let generations = "generations"
  /// The file that is locked by whoever changes the state. It says by whom and since when.
  static let lock = "lock"
  /// The file that names the report of the run that is being committed.
  static let intent = "intent"
  static let unfinishedIntent = "intent.new"
}

/// The kinds of segments: immutable files, at most one of each kind for each run.
enum SegmentKind: String, CaseIterable {
  /// The records of the replay window: `hashes/<run>.seg`.
  case hashes
  /// The first bytes of each of them, by which they are found: `prefixes/<run>.seg`.
  case prefixes
  /// Kept rows: `events/<run>.seg`.
  case events

  /// The folder, in the state directory, and the word in the database.
  var folder: String { rawValue }

  /// The bytes of a row, or nil if rows have any length, which is written before each.
  var rowBytes: Int? {
    switch self {
    case .hashes: KeptRecord.byteCount
    case .prefixes: HashSegmentReader.prefixBytes
    case .events: nil
    }
  }

  /// Bytes of payload in a full block.
  var payloadBytes: Int {
    let unit = rowBytes ?? 1
    return SegmentBlock.payloadBytes / unit * unit
  }

  func path(_ run: Int64) -> String { "\(folder)/\(run).seg" }

  /// Returns whether a name in the folder is one that this program gives to a segment.
  static func isSegment(_ name: String) -> Bool {
    name.hasSuffix(".seg") && name.utf8.count > 4
      && name.utf8.dropLast(4).allSatisfy { (0x30...0x39).contains($0) }
  }
}
