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

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.key(&number)
      try coder.value(&origin)
      // No file is so large that sums of sizes overflow.
      try coder.count(&size)
      try coder.text(&name)
      try coder.text(&path)
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
      number: number, size: source.size, name: source.name, planned: source.planned)
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
      if var part = source.part { try part.fields(&bytes) }
    }
  }

  /// Reads a row, without its form.
  init(_ bytes: UnsafeRawBufferPointer) throws(AuditError) {
    var (row, decoder) = (Row(), unsafe RowDecoder(bytes, nil, RowBounds(), isPacked: true))
    var part: PlannedPart?
    do {
      try row.fields(&decoder)
      if decoder.rest > 0 {
        var found = PlannedPart(fileBytes: 0, sums: [])
        try found.fields(&decoder)
        part = found
      }
      try decoder.require(decoder.rest == 0)
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
    source = LogSource(name: row.name, origin: place, size: row.size, part: part)
    source.planned = row.planned
  }
}

extension PlannedPart {
  /// Codes a part: its size, whether it is open, its sums, the places that are repaired, and the
  /// first lines of what is passed over with those behind it, all ascending.
  fileprivate mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var lines = passed.flatMap { [$0.lowerBound, $0.upperBound] }
    try coder.number(&fileBytes)
    try coder.flag(&isOpen)
    try coder.bytes(&sums, count: Digest256.byteCount)
    try coder.numbers(&repaired)
    try coder.numbers(&lines)
    try coder.require(lines.count.isMultiple(of: 2) && zip([0] + lines, lines).allSatisfy(<))
    passed = stride(from: 0, to: lines.count, by: 2).map { lines[$0]..<lines[$0 + 1] }
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
