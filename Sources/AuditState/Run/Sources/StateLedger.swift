internal import AuditLog

/// The ledger of inputs in a state's database; its errors are those of an audit.
struct StateLedger: InputLedger {
  /// The directory, which stays open as long as it is asked.
  private let directory: StateDirectory
  private var database: StateDatabase { directory.database }

  init(_ directory: StateDirectory) {
    self.directory = directory
  }

  func input(content sha256: [UInt8]) throws -> AccountedInput? {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in
        try InputTable.input(database, content: sha256)
      }
    }
  }

  func input(untouched stamp: FileStamp) throws -> AccountedInput? {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in
        try InputTable.input(database, untouched: stamp)
      }
    }
  }

  func lines(of source: UInt32) throws -> [UInt64] {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in
        try InputTable.lines(database, of: source)
      }
    }
  }

  func damaged() throws -> [AccountedInput] {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in try InputTable.damaged(database) }
    }
  }

  func waitingSince(_ path: String) throws -> Int64? {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in
        try InputTable.waitingSince(database, path)
      }
    }
  }

  func beginnings(head: [UInt8]?, stamp: FileStamp) throws -> [AccountedInput] {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in
        try InputTable.beginnings(database, head: head, stamp: stamp)
      }
    }
  }
}
