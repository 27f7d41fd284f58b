internal import AppAttest
internal import AuditLog

// How the reading of an input ended, as a row of a stream.
extension InputRow {
  /// Returns the row, with its form in front, of the source of that number.
  func bytes(_ number: UInt32) -> [UInt8] {
    var row = [RowForm.input.rawValue]
    row.append(number: number.bigEndian)
    for count in [bytes, decompressedBytes, lines, unreadableLines, blankLines] {
      row.append(number: count)
    }
    row.append(sha256 == nil ? 0 : 1)
    row += (sha256 ?? Digest256()).bytes
    row.append(UInt8(Status.allCases.firstIndex(of: status) ?? 0))
    row.append((hasChanged ? 1 : 0) | (isGrown ? 2 : 0) | (isRepaired ? 4 : 0))
    let hours = hours.sorted
    row.append(number: UInt32(hours.count))
    for (hour, count) in hours {
      row.append(number: hour)
      row.append(number: count)
    }
    return row
  }

  /// Reads a row, without its form, of one of the sources of these names, of which the first has the
  /// number `first`: returns its place among them, too.
  static func read(
    _ row: UnsafeRawBufferPointer, _ names: [String], first: UInt32
  ) throws(AuditError) -> (number: Int, InputRow) {
    var walk = unsafe RowWalk(row, RowWalk.Bounds(apps: 0))
    let number = Int(UInt32(bigEndian: walk.number())) - Int(first)
    guard names.indices.contains(number) else {
      throw FrameReader.broken("an input is none of the sources")
    }
    var input = InputRow(names[number], .ok)
    input.bytes = walk.count()
    input.decompressedBytes = walk.count()
    input.lines = walk.count()
    input.unreadableLines = walk.count()
    input.blankLines = walk.count()
    walk.require(input.blankLines <= input.lines)
    let hasDigest = walk.number(UInt8.self) != 0
    let digest = walk.digest()
    if hasDigest { input.sha256 = digest }
    let status = Int(walk.number(UInt8.self))
    walk.require(Status.allCases.indices.contains(status))
    if walk.isSound { input.status = Status.allCases[status] }
    let flags = walk.number(UInt8.self)
    walk.require(flags < 8)
    input.hasChanged = flags & 1 != 0
    input.isGrown = flags & 2 != 0
    input.isRepaired = flags & 4 != 0
    let hours = Int(walk.number(UInt32.self))
    walk.require(hours <= SourceHours.limit)
    if walk.isSound {
      let limit = SourceHours.limit(sources: names.count)
      var found: [Int64: UInt64] = [:]
      for _ in 0..<hours {
        let hour = walk.number(Int64.self)
        found[hour] = walk.count()
      }
      input.hours = SourceHours(hours > limit ? [:] : found)
    }
    guard walk.isSound, walk.rest == 0 else {
      throw FrameReader.broken("an input's row is not as it should be")
    }
    return (number, input)
  }
}
