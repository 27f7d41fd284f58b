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

  /// How to come by the bytes.
  private enum Origin: UInt8 {
    case file, unreadable, duplicate
  }

  /// The row, with its form in front: the number, 4 bytes, big-endian; how to come by the bytes, 1; the
  /// size, 8; the name and the path, or why there is none, each behind its length of 4 bytes.
  package var bytes: [UInt8] {
    let origin: Origin
    var path = ""
    switch source.origin {
    case .file(let place): (origin, path) = (.file, place)
    case .standardInput: (origin, path) = (.file, "/dev/stdin")
    case .unreadable(let why): (origin, path) = (.unreadable, why)
    case .duplicate, .known, .waiting: origin = .duplicate
    }
    var row = [RowForm.source.rawValue]
    row.append(number: number.bigEndian)
    row.append(origin.rawValue)
    row.append(number: source.size)
    for text in [source.name, path] {
      row.append(number: UInt32(text.utf8.count))
      row += Array(text.utf8)
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
    guard walk.isSound, walk.rest == 0, let origin else {
      throw FrameReader.broken("a source's row is not as it should be")
    }
    let place: LogSource.Origin =
      switch origin {
      case .file: .file(path: path)
      case .unreadable: .unreadable(path)
      case .duplicate: .duplicate(of: 0)
      }
    source = LogSource(name: name, origin: place, size: size)
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

  /// Takes the sources at the front, which are all of the run's, and returns their names.
  func allNames() throws(AuditError) -> [String] {
    let rows = try sources()
    guard rows.enumerated().allSatisfy({ UInt32($0.offset) == $0.element.number }) else {
      throw FrameReader.broken("a source is missing")
    }
    bounds.sources = rows.count
    return rows.map(\.source.name)
  }
}
