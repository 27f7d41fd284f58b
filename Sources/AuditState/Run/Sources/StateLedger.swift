internal import AuditEngine
internal import AuditLog

/// The ledger of inputs in a state's database; its errors are those of an audit.
struct StateLedger: InputLedger {
  let key: LineKey
  /// The directory, which stays open as long as it is asked.
  private let directory: StateDirectory
  private var database: StateDatabase { directory.database }

  init(_ directory: StateDirectory) throws(StateError) {
    self.directory = directory
    key = try MetaTable.lineKey(directory.database)
  }

  func isKnown(_ stamp: FileStamp) throws -> Bool {
    try InputTable.isKnown(database, stamp)
  }

  func inputs() throws -> [KnownInput] {
    try InputTable.known(database)
  }

  func forEachPiece(of source: UInt32, _ body: ([LineDigest]) throws -> Void) throws {
    var failure: (any Error)?
    try InputTable.digests(database, of: source) { digests in
      do { if failure == nil { try body(digests) } } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
