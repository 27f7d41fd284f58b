internal import AppAttest
internal import AuditEngine
internal import Files
internal import Synchronization

/// The registry of keys of one run: the database as it was, and what waits for the commit.
final class RunKeys: KeyMemory {
  /// The order of attestations that name devices.
  private struct DeviceKey: CodedRow {
    var device = Digest256()
    var time: Int64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&device)
      try coder.key(time: &time)
    }
  }

  private struct Waiting {
    var keys: SortedLog<RowDigest, KeptKey>
    var devices: SortedLog<DeviceKey, KeptDevice>
    var last: Digest256?
    /// The number of keys that were remembered and had not been known.
    var added: UInt64 = 0

    init(_ folder: Folder) {
      keys = SortedLog(folder)
      devices = SortedLog(folder)
    }
  }

  private let database: StateDatabase
  private let hasImported: Bool
  private let waiting: Mutex<Waiting>

  /// Makes the keys of a run, or throws if the database cannot be read.
  init(_ database: StateDatabase, folder: Folder) throws(StateError) {
    self.database = database
    hasImported = try !ImportedKeyTable.isEmpty(database)
    waiting = Mutex(Waiting(folder))
  }

  func key(_ keyID: Digest256) throws(AuditError) -> KeptKey? {
    try KeyTable.key(database, keyID)
  }

  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]? {
    if let key = try KeyTable.key(database, keyID), !key.publicKey.isEmpty { return key.publicKey }
    return try imported(keyID)?.key.publicKey
  }

  func imported(_ keyID: Digest256) throws(AuditError) -> ImportedKey? {
    guard hasImported else { return nil }
    return try ImportedKeyTable.key(database, keyID)
  }

  func imported(ofDevice device: Digest256) throws(AuditError) -> [KnownKey] {
    guard hasImported else { return [] }
    return try ImportedKeyTable.keys(database, ofDevice: device)
  }

  func broughtKeys() throws(AuditError) -> [Digest256] {
    try KeyTable.broughtKeys(database)
  }

  /// Returns the keys that the state will know once the run is committed.
  func count() throws(StateError) -> UInt64 {
    let known = try MetaTable.value(database, .keys)
    return UInt64(clamping: known) &+ waiting.withLock { $0.added }
  }

  func remember(_ key: KeptKey, isNew: Bool) throws(AuditError) {
    try waiting.withLock { waiting throws(AuditError) in
      guard waiting.last.map({ $0 < key.keyID }) ?? true else {
        throw .misuse("keys are not remembered in ascending order")
      }
      waiting.last = key.keyID
      if isNew { waiting.added += 1 }
      try waiting.keys.append(RowDigest(digest: key.keyID), key)
    }
  }

  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] {
    try DeviceTable.devices(database, device)
  }

  func remember(_ device: KeptDevice) throws(AuditError) {
    try waiting.withLock { waiting throws(AuditError) in
      let key = DeviceKey(device: device.device, time: device.time)
      try waiting.devices.append(key, device)
    }
  }

  func apply(run: Int64) throws(StateError) {
    try KeyTable.forgetBrought(database)
    try waiting.withLock { waiting throws(StateError) in
      try waiting.keys.each { _, key, _ throws(StateError) in
        try KeyTable.table.replace(database, key)
      }
      if waiting.added > 0 {
        let known = try MetaTable.value(database, .keys)
        try MetaTable.set(database, .keys, known + Int64(clamping: waiting.added))
      }
      try waiting.devices.each { key, device, number throws(StateError) in
        var entry = DeviceTable.Entry(device: device, run: run, number: number)
        entry.device.device = key.device
        try DeviceTable.table.insert(database, entry)
      }
    }
  }
}
