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
    /// The number of the attestation among those of the run.
    var number: UInt64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&device)
      try coder.key(time: &time)
      try coder.key(&number)
    }
  }

  /// The place of a part of what is to be known of a key.
  private struct KeyPart: CodedRow {
    var keyID = Digest256()
    var index: UInt32 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&keyID)
      try coder.key(&index)
    }
  }

  private struct Bytes: CodedRow {
    var bytes: [UInt8] = []

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.counted(&bytes)
    }
  }

  private struct Waiting {
    var keys: SortedLog<KeyPart, Bytes>
    var devices: SortedLog<DeviceKey, KeptDevice>
    var deviceCount: UInt64 = 0
    var last: Digest256?
    /// The number of keys that were remembered and had not been known.
    var added: UInt64 = 0

    init(_ folder: Folder) {
      keys = SortedLog(folder)
      devices = SortedLog(folder)
    }
  }

  /// The bytes of a part: a row of a shuffle is no longer than some thousand.
  private static let partBytes = 8192

  private let database: StateDatabase
  private let isAdvance: Bool
  private let hasImported: Bool
  private let waiting: Mutex<Waiting>

  /// Makes the keys of a run, or throws if the database cannot be read.
  init(_ database: StateDatabase, folder: Folder, isAdvance: Bool) throws(StateError) {
    self.database = database
    self.isAdvance = isAdvance
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
    guard isAdvance else { throw .misuse("a key is remembered without advance") }
    try waiting.withLock { waiting throws(AuditError) in
      guard waiting.last.map({ $0 < key.keyID }) ?? true else {
        throw .misuse("keys are not remembered in ascending order")
      }
      waiting.last = key.keyID
      if isNew { waiting.added += 1 }
      let packed = key.packed
      for start in stride(from: 0, to: packed.count, by: Self.partBytes) {
        let part = KeyPart(keyID: key.keyID, index: UInt32(start / Self.partBytes))
        let bytes = packed[start...].prefix(Self.partBytes)
        try waiting.keys.append(part, Bytes(bytes: Array(bytes)))
      }
    }
  }

  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] {
    try DeviceTable.devices(database, device)
  }

  func remember(_ device: KeptDevice) throws(AuditError) {
    guard isAdvance else { throw .misuse("a device is remembered without advance") }
    try waiting.withLock { waiting throws(AuditError) in
      waiting.deviceCount += 1
      let key = DeviceKey(
        device: device.device, time: device.time, number: waiting.deviceCount)
      try waiting.devices.append(key, device)
    }
  }

  func apply(run: Int64) throws(StateError) {
    try KeyTable.forgetBrought(database)
    try waiting.withLock { waiting throws(StateError) in
      var added: Int64 = 0
      var packed: [UInt8] = []
      func put() throws(StateError) {
        guard !packed.isEmpty else { return }
        guard let key = KeptKey(packed: packed) else { throw .damagedLog }
        if try KeyTable.put(database, key) { added += 1 }
        packed.removeAll(keepingCapacity: true)
      }
      try waiting.keys.each { part, content throws(StateError) in
        if part.index == 0 { try put() }
        packed += content.bytes
      }
      try put()
      if added > 0 {
        try MetaTable.set(database, .keys, try MetaTable.value(database, .keys) + added)
      }
      try waiting.devices.each { key, device throws(StateError) in
        var entry = DeviceTable.Entry(device: device, run: run, number: key.number)
        entry.device.device = key.device
        try DeviceTable.table.insert(database, entry)
      }
    }
  }
}
