/// The form of a row in a stream: its first byte.
package enum RowForm: UInt8, Sendable, CaseIterable {
  /// An input of the run: ``SourceRow``.
  case source
  /// The decisions of a run with a state about its inputs: ``StageNight``.
  case night
  /// The clientDataHashes, or those of several records: ``HashPlaces``.
  case places
  /// The outcome of reading an input: ``InputRow``.
  case input
  /// The counts of a stage: ``AuditTotals``.
  case totals
  /// The facts that later runs are to know: ``MemoryRows``.
  case memory
  /// A row of the shuffle by device.
  case device
  /// A row of the shuffle by key identifier.
  case event
  /// A row of the shuffle by clientDataHash, or a challenge.
  case hash
  /// A row of `findings.csv`.
  case finding
  /// A row of `keys.csv`, or what is added to one.
  case key
  /// A row of `rejects.jsonl`.
  case reject
  /// A row of `verdicts.csv.zst`.
  case verdict
  /// The parts of a row of `builds.csv`.
  case build

  /// Bytes of key at the front of a row, which two rows share only where ``hasEqualKeys``.
  var keyLength: Int {
    switch self {
    case .source: 4
    case .night: StageNight.keyLength
    case .places: HashPlaces.headBytes
    case .input: 4
    case .totals: 0
    case .memory: MemoryRows.keyLength
    case .device: DeviceRow.keyLength
    case .event: EventRow.keyLength
    case .hash: HashRow.keyLength
    case .finding: FindingRow.keyLength
    case .key: KeyRow.keyLength
    case .reject: RejectRow.keyLength
    case .verdict: VerdictRow.keyLength
    case .build: BuildLedger.keyLength
    }
  }

  /// Returns whether rows may share a key. `remembers` is true if earlier runs are known.
  func hasEqualKeys(remembers: Bool) -> Bool {
    switch self {
    case .places, .totals, .memory, .device, .finding, .build: true
    case .event, .hash, .key: remembers
    case .source, .night, .input, .reject, .verdict: false
    }
  }

  /// Checks a row of a shuffle, and returns the reader at the row's end.
  func check(
    _ bytes: UnsafeRawBufferPointer, _ bounds: RowBounds
  ) throws(AuditError) -> RowDecoder {
    var row = unsafe RowDecoder(bytes, nil, bounds)
    switch self {
    case .source, .night, .places, .input, .totals, .memory: try row.skip(row.rest)
    case .device: try DeviceRow.check(&row)
    case .event: try EventRow.check(&row)
    case .hash: try HashRow.check(&row)
    case .finding: try row.check(FindingRow.self)
    case .key where unsafe KeyRow.isAddition(bytes): try row.check(KeyRow.Addition.self)
    case .key: try row.check(KeyRow.self)
    case .reject: try row.check(RejectRow.self)
    case .verdict: try row.check(VerdictRow.self)
    case .build: try BuildLedger.check(&row)
    }
    return row
  }

  /// Whether a row may occur twice: totals of two children, events that come by two ways.
  var mayRepeat: Bool { self != .finding && self != .key }
}
