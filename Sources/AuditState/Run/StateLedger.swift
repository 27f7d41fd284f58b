internal import AuditLog

/// The ledger of inputs in a state's database; its errors are those of an audit.
struct StateLedger: InputLedger {
  private let database: StateDatabase

  init(_ database: StateDatabase) {
    self.database = database
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

  func beginnings(head: [UInt8]?, stamp: FileStamp) throws -> [AccountedInput] {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in
        try InputTable.beginnings(database, head: head, stamp: stamp)
      }
    }
  }
}
