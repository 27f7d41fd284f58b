internal import AuditEngine
internal import AuditLog
internal import Synchronization

/// The ledger of inputs in a state's database; its errors are those of an audit.
struct StateLedger: InputLedger {
  let key: LineKey
  /// The directory, which stays open as long as it is asked.
  private let directory: StateDirectory
  private var database: StateDatabase { directory.database }
  /// The runs whose lines are not compared any more.
  private let forgotten: Set<Int64>

  init(_ directory: StateDirectory, without runs: Set<Int64>) throws(StateError) {
    self.directory = directory
    forgotten = runs
    key = try MetaTable.lineKey(directory.database)
  }

  func isKnown(_ stamp: FileStamp) throws -> Bool {
    try InputTable.isKnown(database, stamp)
  }

  func inputs() throws -> [KnownInput] {
    try InputTable.known(database, without: forgotten)
  }

  func forEachPiece(of source: UInt32, _ body: ([LineDigest]) -> Void) throws {
    try InputTable.digests(database, of: source, body)
  }
}

/// The names of sources of earlier runs, from any thread; what goes wrong fails the run later.
final class SourceNameMemory: Sendable {
  private struct Held {
    var failure: StateError?
    /// The name asked for last: rows of one source come together.
    var last: (source: UInt32, name: String)?
  }

  private let database: StateDatabase
  private let held = Mutex(Held())

  init(_ database: StateDatabase) {
    self.database = database
  }

  var failure: StateError? { held.withLock { $0.failure } }

  /// Returns the name of a source, or an empty text if no run had a source of that number.
  func name(_ source: UInt32) -> String {
    if let last = held.withLock({ $0.last }), last.source == source { return last.name }
    do throws(StateError) {
      let name = try InputTable.name(database, source) ?? ""
      held.withLock { $0.last = (source, name) }
      return name
    } catch {
      held.withLock { $0.failure = $0.failure ?? error }
      return ""
    }
  }
}
