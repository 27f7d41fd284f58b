internal import AppAttest
package import AuditLog
internal import Files

/// An input of a run as a row of a stream: what is to be read, and under which number.
package struct SourceRow: Sendable {
  /// The number that the source has in all positions.
  package var number: UInt32
  package var source: LogSource

  package init(number: UInt32, _ source: LogSource) {
    self.number = number
    self.source = source
  }

  /// The way to come by the bytes.
  private enum Origin: UInt8 {
    case file, unreadable, duplicate, known, waiting
  }

  /// The fields of the row: the number, 4 bytes, big-endian; the way to come by the bytes, 1; the
  /// size, 8; the name and the path, or the reason for which it is missing; a mark of whether a
  /// file was planned, 1, and which, 16; and the part of it that is to be read, if that is not all.
  private struct Row: CodedRow {
    var number: UInt32 = 0
    var origin = Origin.file
    var size: UInt64 = 0
    var name = ""
    var path = ""
    var planned: PlannedFile?
    var part: PlannedPart?

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.key(&number)
      try coder.value(&origin)
      // No file is so large that sums of sizes overflow.
      try coder.count(&size)
      try coder.longText(&name)
      try coder.longText(&path)
      var kind: UInt8 = planned.map { $0.isLink ? 2 : 1 } ?? 0
      try coder.number(&kind)
      try coder.require(kind <= 2)
      guard kind > 0 else { return }
      var file = planned ?? PlannedFile(inode: 0, modified: 0, isLink: kind == 2)
      try coder.number(&file.inode)
      try coder.number(&file.modified)
      planned = file
    }
  }

  /// The row, with its form in front.
  package var bytes: [UInt8] {
    var row = Row(
      number: number, size: source.size, name: source.name, planned: source.planned,
      part: source.part)
    switch source.origin {
    case .file(let place): (row.origin, row.path) = (.file, place)
    case .standardInput: (row.origin, row.path) = (.file, "/dev/stdin")
    case .unreadable(let why): (row.origin, row.path) = (.unreadable, why)
    case .duplicate: row.origin = .duplicate
    case .known: row.origin = .known
    case .waiting: row.origin = .waiting
    }
    return BytesEncoder.bytes(.source) { (bytes) throws(AuditError) in
      try row.fields(&bytes)
      guard var part = row.part else { return }
      var count = UInt64(part.repaired.count)
      try part.fields(&bytes, &count)
      for range in part.passed {
        for var line in [range.lowerBound, range.upperBound] { bytes.number(&line) }
      }
    }
  }

  /// Reads a row, without its form.
  init(_ bytes: UnsafeRawBufferPointer) throws(AuditError) {
    var (row, decoder) = (Row(), unsafe RowDecoder(bytes, nil, RowBounds()))
    do {
      try row.fields(&decoder)
      row.part = decoder.rest > 0 ? try PlannedPart(&decoder) : nil
    } catch { throw FrameReader.broken("a source's row is not as it should be") }
    let place: LogSource.Origin =
      switch row.origin {
      case .file: .file(path: row.path)
      case .unreadable: .unreadable(row.path)
      case .duplicate: .duplicate(of: 0)
      case .known: .known
      case .waiting: .waiting
      }
    number = row.number
    source = LogSource(name: row.name, origin: place, size: row.size, part: row.part)
    source.planned = row.planned
  }
}

/// A part: its size, whether it is open, how many places are repaired, 8 bytes each; the digest;
/// the places; the lines that are passed over.
extension PlannedPart {
  fileprivate mutating func fields<Coder: RowCoder>(
    _ coder: inout Coder, _ count: inout UInt64
  ) throws(AuditError) {
    var open: UInt64 = isOpen ? 1 : 0
    try coder.number(&fileBytes)
    try coder.number(&open)
    try coder.number(&count)
    try coder.bytes(&sha256, count: Digest256.byteCount)
    isOpen = open == 1
    for offset in repaired.indices { try coder.number(&repaired[offset]) }
  }

  fileprivate init(_ row: inout RowDecoder) throws(AuditError) {
    self.init(fileBytes: 0, sha256: [])
    var count: UInt64 = 0
    try fields(&row, &count)
    try row.require(count <= UInt64(row.rest / 8))
    repaired = [UInt64](repeating: 0, count: Int(count))
    for index in repaired.indices { try row.number(&repaired[index]) }
    while row.rest > 0 {
      var (start, end): (UInt64, UInt64) = (0, 0)
      try row.number(&start)
      try row.number(&end)
      try row.require(start < end && start > passed.last?.upperBound ?? 0)
      passed.append(start..<end)
    }
  }
}

extension StageInput {
  /// Takes the sources at the front, in the order of their numbers.
  func sources() throws(AuditError) -> [SourceRow] {
    var rows: [SourceRow] = []
    unsafe try forEach(.source) { (row) throws(AuditError) in unsafe rows.append(try SourceRow(row))
    }
    return rows
  }

}

extension AuditRun {
  /// Throws unless sources are all of the run's, in the order of their numbers.
  func check(_ sources: [SourceRow], _ input: StageInput) throws(AuditError) {
    let first = UInt64(configuration.history?.firstSource ?? 0)
    guard
      sources.enumerated().allSatisfy({ first + UInt64($0.offset) == UInt64($0.element.number) })
    else { throw FrameReader.broken("a source is missing") }
    input.bounds.sources = Int(first) + sources.count
  }
}
