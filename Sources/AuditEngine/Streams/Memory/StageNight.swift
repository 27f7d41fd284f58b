internal import AppAttest
internal import AuditLog

/// The decisions of a run with a state before its first stage: when it began, and which inputs it
/// accounts for. All stages are told, so that they go by the same.
struct StageNight {
  /// Milliseconds since 1970, by the clock that the state measures ages with.
  var startedAt: Int64
  /// The inputs, but for the sources, which stand in rows of their own.
  var accounted: ReadInputs
  /// Marks in what earlier runs kept of keys.
  var marks: [KeptRowMark]

  /// The kind of a row. The kind and a number, 4 bytes, big-endian, come first in it.
  private enum Kind: UInt8, CaseIterable {
    case start, input, explained, mark
  }

  static let keyLength = 1 + 4
  /// The digests of lines in one row.
  static let mostDigests = 1 << 20
  /// The longest row.
  static let mostRowBytes = 8 * mostDigests + (1 << 20)

  init(startedAt: Int64, accounted: ReadInputs, marks: [KeptRowMark]) {
    self.startedAt = startedAt
    self.accounted = accounted
    self.marks = marks
  }

  /// Takes the rows at the front of a stage's input.
  init(_ input: StageInput) throws(AuditError) {
    var startedAt: Int64?
    var key: LineKey?
    var entries: [ReadInputs.Entry] = []
    var explained: [ReadInputs.Explained] = []
    var marks: [KeptRowMark] = []
    unsafe try input.forEach(.night) { (row) throws(AuditError) in
      let broken = FrameReader.broken("what was decided about the inputs is not as it should be")
      guard row.count >= Self.keyLength, let kind = unsafe row.first.flatMap(Kind.init(rawValue:))
      else { throw broken }
      var reader = unsafe VariableBytesReader(Array(row[Self.keyLength...]))
      switch kind {
      case .start:
        startedAt = reader.signed()
        guard let halves = reader.list(), halves.count == 2 else { throw broken }
        key = LineKey(halves[0], halves[1])
      case .input:
        guard let numbers = reader.list() else { throw broken }
        if numbers.isEmpty {
          guard let entry = ReadInputs.Entry(&reader) else { throw broken }
          entries.append(entry)
        } else {
          // More digests of the input before.
          guard let last = entries.indices.last else { throw broken }
          entries[last].digests += numbers.map(LineDigest.init)
        }
      case .explained:
        guard let entry = ReadInputs.Explained(&reader) else { throw broken }
        explained.append(entry)
      case .mark:
        guard let run = reader.signed(), let head = reader.number(),
          let position = reader.number(as: Int.self)
        else { throw broken }
        marks.append(KeptRowMark(run: run, head: head, position: position))
      }
      guard reader.isAtEnd else { throw broken }
    }
    guard let startedAt, let key else {
      throw FrameReader.broken("what was decided about the inputs is missing")
    }
    self.init(
      startedAt: startedAt,
      accounted: ReadInputs(key: key, entries: entries, explained: explained), marks: marks)
  }

  /// Writes the rows.
  func write(to output: FrameWriter) throws(AuditError) {
    func add(
      _ kind: Kind, _ index: Int, _ put: (inout VariableBytesWriter) -> Void
    ) throws(AuditError) {
      var writer = VariableBytesWriter()
      put(&writer)
      var row = [RowForm.night.rawValue, kind.rawValue]
      row.append(number: UInt32(truncatingIfNeeded: index).bigEndian)
      try output.add(row + writer.bytes)
    }
    try add(.start, 0) {
      $0.put(signed: startedAt)
      $0.put(list: [accounted.key.halves.0, accounted.key.halves.1])
    }
    var index = 0
    for entry in accounted.entries {
      try add(.input, index) {
        $0.put(list: [])
        entry.write(to: &$0)
      }
      index += 1
      for start in stride(from: 0, to: entry.digests.count, by: Self.mostDigests) {
        let piece = entry.digests[start...].prefix(Self.mostDigests)
        try add(.input, index) { $0.put(list: piece.map(\.bits)) }
        index += 1
      }
    }
    for (index, entry) in accounted.explained.enumerated() {
      try add(.explained, index) { entry.write(to: &$0) }
    }
    for (index, mark) in marks.enumerated() {
      try add(.mark, index) {
        $0.put(signed: mark.run)
        $0.put(mark.head)
        $0.put(UInt64(mark.position))
      }
    }
  }
}

extension VariableBytesWriter {
  /// Writes numbers, 8 bytes each.
  fileprivate mutating func put(list numbers: [UInt64]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * numbers.count)
    for number in numbers { bytes.append(number: number) }
    put(bytes)
  }
}

extension VariableBytesReader {
  /// Reads what ``VariableBytesWriter/put(list:)`` wrote, or gives nil for any other bytes.
  fileprivate mutating func list() -> [UInt64]? {
    guard let bytes = block(), bytes.count.isMultiple(of: 8) else { return nil }
    return stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}

extension ReadInputs.Entry {
  /// Writes all but the digests of the lines.
  fileprivate func write(to writer: inout VariableBytesWriter) {
    writer.put(UInt64(input.source))
    writer.put(input.name)
    writer.put(input.lines)
    writer.put(input.content)
    writer.put(list: input.first.map(\.bits))
    writer.put(list: input.damage.numbers)
    writer.put(list: input.superseded.bounds)
    writer.put(optional: input.span?.lowerBound)
    writer.put(optional: input.span?.upperBound)
    writer.put(stamp == nil ? 0 : 1)
    guard let stamp else { return }
    writer.put(stamp.path)
    for number in [stamp.device, stamp.inode, stamp.size] { writer.put(number) }
    writer.put(signed: stamp.modified)
    writer.put(signed: stamp.changed)
  }

  /// Reads what was written of an entry, or gives nil for any other bytes.
  fileprivate init?(_ reader: inout VariableBytesReader) {
    guard let source = reader.number(as: UInt32.self), let name = reader.text(),
      let lines = reader.number(), let content = reader.block(), content.count == 16,
      let first = reader.list(), let damage = reader.list().flatMap(LineDamage.init(numbers:)),
      let superseded = reader.list().flatMap(LineRanges.init(bounds:)),
      let start = reader.optional(), let end = reader.optional(), let hasStamp = reader.number()
    else { return nil }
    var span: ClosedRange<Int64>?
    if let start, let end {
      guard start <= end else { return nil }
      span = start...end
    }
    var input = KnownInput(
      source: source, name: name, lines: lines, content: content, first: first.map(LineDigest.init),
      span: span, damage: damage)
    input.superseded = superseded
    var stamp: FileStamp?
    if hasStamp == 1 {
      guard let path = reader.text(), let device = reader.number(), let inode = reader.number(),
        let size = reader.number(), let modified = reader.signed(), let changed = reader.signed()
      else { return nil }
      stamp = FileStamp(
        path: path, device: device, inode: inode, size: size, modified: modified,
        changed: changed)
    }
    self.init(input: input, digests: [], stamp: stamp)
  }
}

extension ReadInputs.Explained {
  fileprivate func write(to writer: inout VariableBytesWriter) {
    writer.put(UInt64(source))
    writer.put(list: superseded)
    var damage = LineDamage()
    damage.places = repaired
    writer.put(list: damage.numbers)
  }

  /// Reads what was written, or gives nil for any other bytes.
  fileprivate init?(_ reader: inout VariableBytesReader) {
    guard let source = reader.number(as: UInt32.self), let superseded = reader.list(),
      let damage = reader.list().flatMap(LineDamage.init(numbers:))
    else { return nil }
    self.init(source: source, superseded: superseded, repaired: damage.places)
  }
}
