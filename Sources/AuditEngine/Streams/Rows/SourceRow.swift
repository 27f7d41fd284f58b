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

  /// The row, with its form in front: the number, 4 bytes, big-endian; the way to come by the
  /// bytes, 1; the size, 8; the name and the path, or the reason for which it is missing, each
  /// behind its length of 4 bytes; a mark of whether a file was planned, 1, and which, 16; and the
  /// part of it that is to be read, if that is not all.
  package var bytes: [UInt8] {
    let origin: Origin
    var path = ""
    switch source.origin {
    case .file(let place): (origin, path) = (.file, place)
    case .standardInput: (origin, path) = (.file, "/dev/stdin")
    case .unreadable(let why): (origin, path) = (.unreadable, why)
    case .duplicate: origin = .duplicate
    case .known: origin = .known
    case .waiting: origin = .waiting
    }
    var row = [RowForm.source.rawValue]
    row.append(number: number.bigEndian)
    row.append(origin.rawValue)
    row.append(number: source.size)
    for text in [source.name, path] {
      row.append(number: UInt32(text.utf8.count))
      row += Array(text.utf8)
    }
    row.append(source.planned.map { $0.isLink ? 2 : 1 } ?? 0)
    if let planned = source.planned {
      row.append(number: planned.inode)
      row.append(number: planned.modified)
    }
    guard let part = source.part else { return row }
    for number in [part.fileBytes, part.isOpen ? 1 : 0, UInt64(part.repaired.count)] {
      row.append(number: number)
    }
    row += part.sha256
    for offset in part.repaired { row.append(number: offset) }
    for range in part.passed {
      row.append(number: range.lowerBound)
      row.append(number: range.upperBound)
    }
    return row
  }

  /// Reads a row, without its form.
  init(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    var walk = unsafe RowWalk(row, RowWalk.Bounds(apps: 0))
    number = UInt32(bigEndian: walk.number())
    let origin = Origin(rawValue: walk.number())
    // No file is so large that sums of sizes overflow.
    let size = walk.count()
    func text() -> String {
      let length = Int(walk.number(UInt32.self))
      return unsafe String(decoding: walk.bytes(length), as: UTF8.self)
    }
    let (name, path) = (text(), text())
    let kind = walk.number(UInt8.self)
    walk.require(kind <= 2)
    let planned =
      kind == 0
      ? nil : PlannedFile(inode: walk.number(), modified: walk.number(), isLink: kind == 2)
    let part = walk.rest > 0 ? PlannedPart(&walk) : nil
    guard walk.isSound, walk.rest == 0, let origin else {
      throw FrameReader.broken("a source's row is not as it should be")
    }
    let place: LogSource.Origin =
      switch origin {
      case .file: .file(path: path)
      case .unreadable: .unreadable(path)
      case .duplicate: .duplicate(of: 0)
      case .known: .known
      case .waiting: .waiting
      }
    source = LogSource(name: name, origin: place, size: size, part: part)
    source.planned = planned
  }
}

extension PlannedPart {
  /// Reads the part behind a source's other fields, to the end of its row.
  fileprivate init(_ walk: inout RowWalk) {
    self.init(fileBytes: walk.number(), sha256: [])
    isOpen = walk.number(UInt64.self) == 1
    let count: UInt64 = walk.number()
    sha256 = walk.digest().bytes
    walk.require(count <= UInt64(walk.rest / 8))
    while walk.isSound, UInt64(repaired.count) < count { repaired.append(walk.number()) }
    while walk.isSound, walk.rest > 0 {
      let (start, end): (UInt64, UInt64) = (walk.number(), walk.number())
      walk.require(start < end && start > passed.last?.upperBound ?? 0)
      if walk.isSound { passed.append(start..<end) }
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
