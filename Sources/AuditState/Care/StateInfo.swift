internal import AuditLog
internal import Files

package struct StateInfo: Sendable, Equatable {
  package var format = StateFormat.version
  package var keys: UInt64 = 0
  /// Inputs that are accounted for.
  package var inputs: UInt64 = 0
  /// Findings that stand, as far as runs know.
  package var openFindings: UInt64 = 0
  /// Findings that were found to stand no longer.
  package var closedFindings: UInt64 = 0
  /// Records of the replay window, and the segments that hold them.
  package var rememberedHashes: UInt64 = 0
  package var hashSegments = 0
  /// Kept rows, and the segments that hold them.
  package var keptRows: UInt64 = 0
  package var keptSegments = 0
  /// Bytes of the database and of all segments.
  package var bytes: UInt64 = 0
  /// The time at which the oldest segment of hashes was begun, in milliseconds since 1970.
  package var oldestHashes: Int64?
  package var runs: Int64 = 0
  /// The runs before which the state is kept, ascending.
  package var generations: [Int64] = []
  package var latest: [CommittedRun] = []
}

extension StateDirectory {
  /// Returns the numbers of what the state holds, and its last `runs` runs.
  package func info(runs: Int = 10) throws(StateError) -> StateInfo {
    var info = StateInfo()
    info.keys = UInt64(clamping: try MetaTable.value(database, .keys))
    info.inputs = try database.count("inputs")
    info.closedFindings = try database.count("findings WHERE closed_run IS NOT NULL")
    info.openFindings = try database.count("findings") - info.closedFindings
    info.runs = try RunTable.last(database)
    info.latest = try RunTable.latest(database, limit: runs)
    for entry in try SegmentTable.all(database) {
      switch entry.kind {
      case .hashes:
        info.rememberedHashes &+= entry.rows
        info.hashSegments += 1
        info.oldestHashes = min(info.oldestHashes ?? entry.created, entry.created)
      case .prefixes: break
      case .events:
        info.keptRows &+= entry.rows
        info.keptSegments += 1
      }
      info.bytes &+= UInt64(entry.fileBytes)
    }
    info.generations = try generations.runs()
    for companion in [""] + StateFormat.databaseCompanions {
      let file = try folder.open(StateFormat.database + companion)
      info.bytes &+= UInt64(try file?.size() ?? 0)
    }
    return info
  }
}
