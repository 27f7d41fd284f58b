internal import AppAttest
internal import AuditLog

// The layout of each form's rows, as those who read them expect it.
extension RowForm {
  /// Walks along a row of the form, without the byte that says so, to its end.
  func walk(_ walk: inout RowWalk) {
    switch self {
    case .source, .night, .places, .input, .totals, .memory: walk.skip(walk.rest)
    case .device: Self.walk(device: &walk)
    case .event: Self.walk(event: &walk)
    case .hash: Self.walk(hash: &walk)
    case .finding: Self.walk(finding: &walk)
    case .key: Self.walk(key: &walk)
    case .reject: Self.walk(reject: &walk)
    case .verdict: Self.walk(verdict: &walk)
    case .build: Self.walk(build: &walk)
    }
  }

  /// Walks along an ``EventRow``. `isJoined` is true if it is known whose it is, or that nobody
  /// knows.
  private static func walk(event walk: inout RowWalk, isJoined: Bool = true) {
    walk.skip(Digest256.byteCount)
    let section = EventRow.Section(rawValue: walk.number())
    walk.require(section != nil)
    walk.bigTime()
    walk.skip(4)
    walk.bigPosition()
    walk.value(of: RecordKind.self)
    walk.value(of: Decision.self)
    let flags = EventRow.Flags(rawValue: walk.number())
    // Where nothing is remembered, no row is of an earlier run.
    walk.require(walk.bounds.remembers || flags.isDisjoint(with: [.remembered, .marks, .waiting]))
    let isRegistered = section == .registry && flags.contains(.valid)
    walk.app(orNone: !isRegistered)
    walk.codes()
    walk.skip(16 + 8 + 4)
    let hashLength = Int(walk.number(UInt8.self))
    if flags.contains(.marks) { return walk.require(hashLength == 0) }
    if flags.contains(.signed) { walk.skip(EventRow.signedLength) }
    if flags.contains(.serverCounter) { walk.skip(4) }
    walk.skip(hashLength)
    walk.text()
    walk.texts()
    if isRegistered { Self.walk(facts: &walk) }
    if section == .device, isJoined { walk.text() }
    // What later runs are to know has its device with it.
    if section == .event, isJoined, walk.bounds.remembers, walk.hasMore {
      walk.text()
      walk.skip(Digest256.byteCount)
    }
  }

  /// Walks along ``AttestedFacts``.
  private static func walk(facts walk: inout RowWalk) {
    walk.require(walk.number(UInt8.self) == 65)
    walk.skip(65)
    walk.value(of: AttestEnvironment.self, orNone: true)
    walk.text()
    walk.optional(4)
    walk.text()
    walk.text()
    walk.optionalTime()
    walk.text()
    walk.value(of: KeyPlatform.self, orNone: true)
  }

  /// Walks along a row of a ``BuildLedger``.
  private static func walk(build walk: inout RowWalk) {
    walk.skip(Digest256.byteCount)
    let kind = BuildLedger.Class(rawValue: walk.number())
    walk.skip(Digest128.byteCount)
    walk.require(kind != nil)
    guard kind == .counts else { return }
    walk.app(orNone: false)
    walk.value(of: KeyPlatform.self, orNone: true)
    walk.optional(4)
    walk.countedBytes()
    walk.countedBytes()
    walk.skip(2 * 8)
    for _ in 0..<5 { walk.count() }
    walk.value(of: Severity.self, orNone: true)
  }

  /// Walks along a ``HashRow``.
  private static func walk(hash walk: inout RowWalk) {
    walk.skip(Digest256.byteCount)
    let hashLength = Int(walk.number(UInt8.self))
    walk.bigTime()
    let rowClass = HashRow.Class(rawValue: walk.number())
    walk.bigPosition()
    guard rowClass == .event else {
      walk.require(rowClass == .challenge)
      return walk.require(walk.number(UInt8.self) <= 1)
    }
    walk.value(of: RecordKind.self)
    walk.value(of: Decision.self)
    let flags = HashRow.Flags(rawValue: walk.number())
    walk.require(walk.bounds.remembers || !flags.contains(.kept))
    walk.app()
    walk.skip(4 + Digest256.byteCount)
    walk.codes()
    walk.skip(16 + 8)
    HashRow.walk(extras: &walk)
    if hashLength != Digest256.byteCount { walk.skip(hashLength) }
    walk.text()
    walk.texts()
  }

  /// Walks along a ``DeviceRow``.
  private static func walk(device walk: inout RowWalk) {
    walk.skip(Digest256.byteCount)
    let section = DeviceRow.Section(rawValue: walk.number())
    walk.require(section != nil)
    walk.bigTime()
    let content = walk.number(UInt8.self)
    walk.skip(4)
    walk.bigPosition()
    switch DeviceRow.Class(rawValue: content) {
    case .attestation:
      walk.skip(Digest256.byteCount)
      walk.value(of: DeviceClaim.self)
      if section == .registry {
        walk.text()
        if walk.rest > 0 { walk.skip(65) }
      }
    case .assertion:
      walk.text()
      Self.walk(event: &walk, isJoined: false)
    case .finding: Self.walk(finding: &walk)
    case nil: walk.require(false)
    }
  }

  /// Walks along a ``FindingRow``.
  private static func walk(finding walk: inout RowWalk) {
    walk.require(walk.number(UInt8.self) <= 1)
    walk.bigTime()
    walk.bigPosition()
    walk.value(of: FindingCode.self)
    walk.skip(8)
    walk.value(of: Severity.self)
    walk.value(of: RecordKind.self, orNone: true)
    if walk.number(UInt8.self) != 0 { walk.skip(Digest256.byteCount) }
    walk.text()
    walk.countedBytes()
    walk.optional(4)
    walk.optional(4)
    walk.optionalPosition()
    walk.smallCount()
    walk.text()
    walk.value(of: Decision.self)
    walk.text()
    walk.text()
    walk.skip(8)
    walk.skip(1)
    walk.smallCount()
    walk.optionalTime()
    let relatedKey = FindingRow.RelatedKey(rawValue: walk.number())
    walk.require(relatedKey != nil)
    if relatedKey == .other { walk.skip(Digest256.byteCount) }
    for _ in 0..<3 { walk.text() }
  }

  /// Walks along a ``KeyRow``.
  private static func walk(key walk: inout RowWalk) {
    walk.skip(Digest256.byteCount)
    let part = walk.number(UInt8.self)
    walk.require(part <= 1)
    walk.bigPosition()
    guard part == 0 else {
      walk.skip(4)
      return walk.value(of: Severity.self)
    }
    walk.text()
    walk.value(of: AttestEnvironment.self, orNone: true)
    walk.value(of: KeyStatus.self)
    walk.optionalTime()
    walk.time()
    walk.time()
    for _ in 0..<4 { walk.smallCount() }
    walk.optional(4)
    walk.optional(4)
    walk.optional(8)
    walk.smallCount()
    walk.value(of: Severity.self, orNone: true)
    walk.text()
    walk.text()
    walk.optional(4)
    walk.text()
    walk.text()
    walk.optionalTime()
    walk.text()
  }

  /// Walks along a ``RejectRow``.
  private static func walk(reject walk: inout RowWalk) {
    walk.bigPosition()
    walk.skip(8)
    walk.value(of: FindingCode.self)
    walk.text()
    walk.skip(Int(walk.number(UInt16.self)))
  }

  /// Walks along a ``VerdictRow``.
  private static func walk(verdict walk: inout RowWalk) {
    walk.bigPosition()
    walk.optionalTime()
    walk.value(of: RecordKind.self, orNone: true)
    if walk.number(UInt8.self) != 0 { walk.skip(Digest256.byteCount) }
    walk.text()
    walk.countedBytes()
    walk.optional(4)
    walk.value(of: Verdict.self)
    walk.codes()
    walk.value(of: Decision.self)
    for _ in 0..<3 { walk.text() }
    walk.optional(4)
    walk.text()
    walk.countedBytes()
  }
}
