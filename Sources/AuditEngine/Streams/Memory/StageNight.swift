internal import AppAttest
internal import AuditLog

/// The decisions of a run with a state before its first stage: when it began, and which inputs it
/// accounts for. All stages are told, so that they go by the same.
struct StageNight {
  /// Milliseconds since 1970, by the clock that the state measures ages with.
  var startedAt: Int64
  /// The inputs, but for the sources, which stand in rows of their own.
  var accounted: AccountedSources
  /// Marks in what earlier runs kept of keys.
  var marks: [KeptRowMark]

  /// The kind of a row. The kind and a number, 4 bytes, big-endian, come first in it.
  private enum Kind: UInt8, CaseIterable {
    case start, fresh, copy, known, wait, mark
  }

  static let keyLength = 1 + 4
  /// The longest row: of an input with as many lines as are remembered of a damaged one.
  static let mostRowBytes = 48 << 20

  init(startedAt: Int64, accounted: AccountedSources, marks: [KeptRowMark]) {
    self.startedAt = startedAt
    self.accounted = accounted
    self.marks = marks
  }

  /// Takes the rows at the front of a stage's input.
  init(_ input: StageInput) throws(AuditError) {
    var startedAt: Int64?
    var entries: [[AccountedSources.Entry]] = [[], [], []]
    var waits: [AccountedSources.Wait] = []
    var marks: [KeptRowMark] = []
    unsafe try input.forEach(.night) { (row) throws(AuditError) in
      let broken = FrameReader.broken("what was decided about the inputs is not as it should be")
      guard row.count >= Self.keyLength, let kind = unsafe row.first.flatMap(Kind.init(rawValue:))
      else { throw broken }
      var reader = unsafe VariableBytesReader(Array(row[Self.keyLength...]))
      switch kind {
      case .start: startedAt = reader.signed()
      case .fresh, .copy, .known:
        guard let entry = AccountedSources.Entry(&reader) else { throw broken }
        entries[Int(kind.rawValue) - 1].append(entry)
      case .wait:
        guard let path = reader.text(), let since = reader.signed() else { throw broken }
        waits.append(AccountedSources.Wait(path: path, since: since))
      case .mark:
        guard let run = reader.signed(), let head = reader.number(),
          let position = reader.number(as: Int.self)
        else { throw broken }
        marks.append(KeptRowMark(run: run, head: head, position: position))
      }
      guard reader.isAtEnd else { throw broken }
    }
    guard let startedAt else {
      throw FrameReader.broken("what was decided about the inputs is missing")
    }
    self.init(
      startedAt: startedAt,
      accounted: AccountedSources(
        fresh: entries[0], copies: entries[1], known: entries[2], waits: waits),
      marks: marks)
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
    try add(.start, 0) { $0.put(signed: startedAt) }
    let lists = [
      (Kind.fresh, accounted.fresh), (.copy, accounted.copies), (.known, accounted.known),
    ]
    for (kind, entries) in lists {
      for (index, entry) in entries.enumerated() {
        try add(kind, index) { entry.write(to: &$0) }
      }
    }
    for (index, wait) in accounted.waits.enumerated() {
      try add(.wait, index) {
        $0.put(wait.path)
        $0.put(signed: wait.since)
      }
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

extension AccountedSources.Entry {
  fileprivate func write(to writer: inout VariableBytesWriter) {
    writer.put(UInt64(input.source))
    writer.put(input.name)
    writer.put(input.sha256)
    for number in [input.bytes, input.lines, input.resumeBytes, input.resumeLines] {
      writer.put(number)
    }
    writer.put(
      (input.head == nil ? 0 : 1) | (input.isDamaged ? 2 : 0) | (stamp == nil ? 0 : 4)
        | (input.isHeadProven ? 8 : 0))
    if let head = input.head { writer.put(head) }
    if let stamp {
      writer.put(stamp.path)
      for number in [stamp.device, stamp.inode, stamp.size] { writer.put(number) }
      writer.put(signed: stamp.modified)
      writer.put(signed: stamp.changed)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * digests.count)
    for digest in digests { bytes.append(number: digest) }
    writer.put(bytes)
    writer.put(UInt64(replaced.count))
    for replaced in replaced {
      writer.put(UInt64(replaced.source))
      writer.put(UInt64(replaced.lines.count))
      for line in replaced.lines { writer.put(line) }
      writer.put(UInt64(replaced.moves.runs.count))
      for run in replaced.moves.runs {
        for number in [run.from, run.to, run.count] { writer.put(number) }
      }
    }
  }

  /// Reads what was written of an entry, or gives nil for any other bytes.
  fileprivate init?(_ reader: inout VariableBytesReader) {
    guard let source = reader.number(as: UInt32.self), let name = reader.text(),
      let sha256 = reader.block(), sha256.count == Digest256.byteCount,
      let bytes = reader.number(), let lines = reader.number(), let resumeBytes = reader.number(),
      let resumeLines = reader.number(), let flags = reader.number(), flags < 16
    else { return nil }
    var head: [UInt8]?
    if flags & 1 != 0 {
      guard let bytes = reader.block() else { return nil }
      head = bytes
    }
    var input = AccountedInput(
      source: source, name: name, sha256: sha256, bytes: bytes, lines: lines,
      resumeBytes: resumeBytes, resumeLines: resumeLines, head: head)
    input.isDamaged = flags & 2 != 0
    input.isHeadProven = flags & 8 != 0
    var stamp: FileStamp?
    if flags & 4 != 0 {
      guard let path = reader.text(), let device = reader.number(), let inode = reader.number(),
        let size = reader.number(), let modified = reader.signed(), let changed = reader.signed()
      else { return nil }
      stamp = FileStamp(
        path: path, device: device, inode: inode, size: size, modified: modified,
        changed: changed)
    }
    self.init(input: input, stamp: stamp)
    guard let bytes = reader.block(), bytes.count.isMultiple(of: 8),
      let count = reader.number(as: Int.self)
    else { return nil }
    digests = stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    for _ in 0..<min(count, reader.left + 1) {
      guard let source = reader.number(as: UInt32.self),
        let lines = Self.list(&reader, { $0.number() }),
        let runs = Self.list(
          &reader,
          { reader -> LineMoves.Run? in
            guard let from = reader.number(), let to = reader.number(), let count = reader.number()
            else { return nil }
            return LineMoves.Run(from: from, to: to, count: count)
          })
      else { return nil }
      var entry = ReplacedInput(source: source, lines: lines)
      entry.moves = LineMoves(runs)
      replaced.append(entry)
    }
  }

  /// Reads things behind their number. Returns nil if one of them cannot be read.
  private static func list<Element>(
    _ reader: inout VariableBytesReader, _ read: (inout VariableBytesReader) -> Element?
  ) -> [Element]? {
    guard let count = reader.number(as: Int.self), count <= reader.left else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let element = read(&reader) else { return nil }
      elements.append(element)
    }
    return elements
  }
}
