internal import AppAttest
internal import AuditLog

// How the reading of an input ended, as a row of a stream.
extension InputRow {
  /// Codes all but the name and the hours, of which there are `hours`.
  private mutating func fields<Coder: RowCoder>(
    _ coder: inout Coder, _ number: inout UInt32, hours: inout UInt32
  ) throws(AuditError) {
    try coder.key(&number)
    try coder.count(&bytes)
    try coder.count(&decompressedBytes)
    try coder.count(&lines)
    try coder.count(&unreadableLines)
    try coder.count(&blankLines)
    try coder.require(blankLines <= lines)
    var (hasDigest, digest) = (sha256 != nil, sha256 ?? Digest256())
    try coder.flag(&hasDigest)
    try coder.digest(&digest)
    sha256 = hasDigest ? digest : nil
    var place = UInt8(Status.allCases.firstIndex(of: status) ?? 0)
    try coder.number(&place)
    try coder.require(Int(place) < Status.allCases.count)
    status = Status.allCases[Int(place)]
    var flags: UInt8 = (hasChanged ? 1 : 0) | (isGrown ? 2 : 0) | (isRepaired ? 4 : 0)
    try coder.number(&flags)
    try coder.require(flags < 8)
    (hasChanged, isGrown, isRepaired) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
    try coder.number(&hours)
    try coder.require(hours <= SourceHours.limit)
  }

  /// Returns the row, with its form in front, of the source of that number.
  func bytes(_ number: UInt32) -> [UInt8] {
    var (input, number, hours) = (self, number, self.hours.sorted)
    var count = UInt32(hours.count)
    return BytesEncoder.row(.input) { (row) throws(AuditError) in
      try input.fields(&row, &number, hours: &count)
      for index in hours.indices {
        row.number(&hours[index].hour)
        row.number(&hours[index].count)
      }
    }
  }

  /// Reads a row, without its form, of one of the sources of these names, of which the first has the
  /// number `first`: returns its place among them, too.
  static func read(
    _ row: UnsafeRawBufferPointer, _ names: [String], first: UInt32
  ) throws(AuditError) -> (number: Int, InputRow) {
    var (input, decoder) = (InputRow(), unsafe RowDecoder(row, nil, RowBounds()))
    var (number, count): (UInt32, UInt32) = (0, 0)
    var hours: [Int64: UInt64] = [:]
    do {
      try input.fields(&decoder, &number, hours: &count)
      for _ in 0..<count {
        var (hour, records): (Int64, UInt64) = (0, 0)
        try decoder.number(&hour)
        try decoder.count(&records)
        hours[hour] = records
      }
      try decoder.require(decoder.rest == 0)
    } catch { throw FrameReader.broken("an input's row is not as it should be") }
    let index = Int(number) - Int(first)
    guard names.indices.contains(index) else {
      throw FrameReader.broken("an input is none of the sources")
    }
    input.source = names[index]
    let limit = SourceHours.limit(sources: names.count)
    input.hours = SourceHours(count > limit ? [:] : hours)
    return (index, input)
  }
}
