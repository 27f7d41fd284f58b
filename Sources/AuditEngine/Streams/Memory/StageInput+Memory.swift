internal import AppAttest
internal import RowShuffle

// What all stages remembered, as the stage that writes the report leaves it to the state.
extension StageInput {
  /// Takes the next rows, returns the watched findings that were seen, and gives notes on findings.
  func remember(
    in history: RunMemory, _ withdrawals: Withdrawals
  ) throws(AuditError) -> Set<UInt64> {
    var seen: Set<UInt64> = []
    var last: [UInt8] = []
    unsafe try forEach(.memory) { (row) throws(AuditError) in
      guard row.count >= MemoryRows.keyLength,
        let kind = unsafe row.first.flatMap(MemoryRows.Kind.init(rawValue:))
      else { throw Self.brokenMemory }
      let key = unsafe kind == .hash ? row[...] : row[..<MemoryRows.keyLength]
      guard unsafe kind == .seen || !last.elementsEqual(key) else {
        throw FrameReader.broken("a remembered row occurs in it twice")
      }
      unsafe last = Array(key)
      let group = Array(last[1...MemoryRows.groupBytes])
      let rest = unsafe Array(row[MemoryRows.keyLength...])
      if kind == .seen {
        seen.insert(group[..<8].reduce(0) { $0 << 8 | UInt64($1) })
      } else if let note = FindingNote(packed: rest),
        [.findingOfDevice, .findingOfKey, .findingOfHash].contains(kind)
      {
        try withdrawals.take(note)
      } else {
        try Self.remember(kind, group, rest, in: history)
      }
    }
    return seen
  }

  private static var brokenMemory: AuditError {
    FrameReader.broken("what a stage remembered is not as it should be")
  }

  private static func remember(
    _ kind: MemoryRows.Kind, _ group: [UInt8], _ rest: [UInt8], in history: RunMemory
  ) throws(AuditError) {
    switch kind {
    case .seen, .findingOfDevice, .findingOfKey, .findingOfHash: throw brokenMemory
    case .device:
      guard var device = KeptDevice(packed: rest), let digest = Digest256(group),
        KeptKey.High.times.contains(device.time)
      else { throw brokenMemory }
      device.device = digest
      try history.keys.remember(device)
    case .key:
      guard let key = KeptKey(packed: rest), key.keyID.bytes == group else { throw brokenMemory }
      try history.keys.remember(key, isNew: try history.keys.key(key.keyID) == nil)
    case .event:
      let row = group + rest
      try unsafe row.span.withUnsafeBytes { (row) throws(AuditError) in
        guard unsafe isKept(row) else { throw brokenMemory }
        unsafe try history.events.keep(row)
      }
    case .hash:
      let record = group + rest
      try unsafe record.span.withUnsafeBytes { (record) throws(AuditError) in
        guard unsafe (try? KeptRecord(record)) != nil else { throw brokenMemory }
        unsafe try history.hashes.remember(record)
      }
    }
  }

  /// Returns whether a row is one that a run keeps.
  private static func isKept(_ row: UnsafeRawBufferPointer) -> Bool {
    guard row.count >= EventRow.fixedLength, row.count <= RowRun.maximumRowBytes else {
      return false
    }
    let event = unsafe EventRow(row)
    if unsafe KeptRow.snapshot(row) != nil || DepartedEvents.isMark(event) || event.flags == .marks
    {
      return true
    }
    return unsafe (try? KeptRow(row)) != nil
  }
}
