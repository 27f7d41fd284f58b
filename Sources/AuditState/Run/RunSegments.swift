internal import AuditEngine
internal import Glibc

/// The records of one run's hashes, and their prefixes.
struct HashSegment {
  let records: SegmentFile
  let prefixes: SegmentFile
}

/// The segments that a run reads, open, and those that are forgotten by its time.
struct RunSegments {
  private(set) var hashes: [HashSegment] = []
  private(set) var events: [SegmentFile] = []
  private(set) var expired: [SegmentEntry] = []

  /// The number of times that a list of segments is read again when a run removed some.
  private static let attempts = 8
  private static let otherFiles = 256

  /// Opens a run's read transaction and every segment in it. Throws `.damaged` for a missing one.
  init(_ directory: StateDirectory, _ facts: TransactionFacts) throws(StateError) {
    for attempt in 1... {
      directory.database.rollBack()
      try directory.database.begin(writes: false)
      do throws(StateError) {
        try open(directory, facts)
        return
      } catch {
        // For `advance` nobody removes anything beside us.
        guard case .damaged = error.code, directory.mode == .reference, attempt < Self.attempts
        else { throw error }
      }
    }
  }

  private mutating func open(
    _ directory: StateDirectory, _ facts: TransactionFacts
  ) throws(StateError) {
    let entries: [SegmentEntry]
    (entries, expired) = try SegmentTable.parted(directory.database, facts)
    Self.allowFiles(entries.count)
    func files(_ kind: SegmentKind) throws(StateError) -> [SegmentFile] {
      try entries.filter { $0.kind == kind }.map { (entry) throws(StateError) in
        try SegmentFile(entry, in: directory.folder)
      }
    }
    let (records, prefixes) = (try files(.hashes), try files(.prefixes))
    guard records.map(\.entry.run) == prefixes.map(\.entry.run),
      records.map(\.entry.rows) == prefixes.map(\.entry.rows)
    else { throw .damaged(StateFormat.database, "rows of the table segments are missing") }
    hashes = zip(records, prefixes).map(HashSegment.init)
    events = try files(.events)
  }

  /// Asks the system for as many more open files as segments may need, if it lets us.
  private static func allowFiles(_ count: Int) {
    var limit = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    let wanted = rlim_t(count + otherFiles)
    guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    unsafe _ = setrlimit(kind, &limit)
  }
}
