internal import AppAttest
internal import AuditLog

/// When a run with a state began, and which inputs it accounts for, for all of its stages.
struct StageNight {
  /// Milliseconds since 1970, by the clock that the state measures ages with.
  var startedAt: Int64
  /// The inputs, but for the sources, which are in rows of their own.
  var accounted: ReadInputs
  /// Marks in what earlier runs kept of keys.
  var marks: [KeptRowMark]

  /// The kind of a row. The kind and a number, 4 bytes, big-endian, come first in it.
  fileprivate enum Kind: UInt8 {
    case start, input, explained, mark
  }

  fileprivate struct Start: CodedRow {
    var startedAt: Int64 = 0
    var key: [UInt64] = []

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&startedAt)
      try coder.numbers(&key)
      try coder.require(key.count == 2)
    }
  }

  /// An input, or more digests of the lines of the one before.
  fileprivate struct Input: CodedRow {
    var entry: ReadInputs.Entry?
    var digests: [LineDigest] = []

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.optional(&entry)
      try coder.digests(&digests)
    }
  }

  static let keyLength = 1 + 4
  /// The digests of lines in one row.
  static let mostDigests = 1 << 20
  static let mostRowBytes = 8 * mostDigests + (1 << 20)
}

extension StageNight {
  /// Takes the rows at the front of a stage's input.
  init(_ input: StageInput) throws(AuditError) {
    var begin: Start?
    var entries: [ReadInputs.Entry] = []
    var explained: [ReadInputs.Explained] = []
    var marks: [KeptRowMark] = []
    unsafe try input.forEach(.night) { (row) throws(AuditError) in
      let broken = FrameReader.broken("what was decided about the inputs is not as it should be")
      func part<Row: CodedRow>(_ type: Row.Type) throws(AuditError) -> Row {
        guard let part = unsafe Row(packed: Array(row[Self.keyLength...])) else { throw broken }
        return part
      }
      guard row.count >= Self.keyLength, let kind = unsafe row.first.flatMap(Kind.init(rawValue:))
      else { throw broken }
      switch kind {
      case .start: begin = try part(Start.self)
      case .input:
        let input = try part(Input.self)
        if let entry = input.entry { entries.append(entry) }
        guard let last = entries.indices.last else { throw broken }
        entries[last].digests += input.digests
      case .explained: explained.append(try part(ReadInputs.Explained.self))
      case .mark: marks.append(try part(KeptRowMark.self))
      }
    }
    guard let begin else {
      throw FrameReader.broken("what was decided about the inputs is missing")
    }
    self.init(
      startedAt: begin.startedAt,
      accounted: ReadInputs(
        key: LineKey(begin.key[0], begin.key[1]), entries: entries, explained: explained),
      marks: marks)
  }

  func write(to output: FrameWriter) throws(AuditError) {
    func add(_ kind: Kind, _ index: Int, _ part: some CodedRow) throws(AuditError) {
      var row = [RowForm.night.rawValue, kind.rawValue]
      row.append(number: UInt32(truncatingIfNeeded: index).bigEndian)
      try output.add(row + part.packed)
    }
    let key = accounted.key.halves
    try add(.start, 0, Start(startedAt: startedAt, key: [key.0, key.1]))
    var index = 0
    for entry in accounted.entries {
      try add(.input, index, Input(entry: entry))
      index += 1
      for start in stride(from: 0, to: entry.digests.count, by: Self.mostDigests) {
        let piece = entry.digests[start...].prefix(Self.mostDigests)
        try add(.input, index, Input(digests: Array(piece)))
        index += 1
      }
    }
    for (index, entry) in accounted.explained.enumerated() { try add(.explained, index, entry) }
    for (index, mark) in marks.enumerated() { try add(.mark, index, mark) }
  }
}
