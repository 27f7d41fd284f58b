internal import AppAttest
internal import AuditLog

// How the reading of an input ended, as a row of a stream.
extension InputRow {
  /// Codes all but the name.
  private mutating func fields<Coder: RowCoder>(
    _ coder: inout Coder, _ number: inout UInt32
  ) throws(AuditError) {
    try coder.key(&number)
    try coder.count(&bytes)
    try coder.count(&decompressedBytes)
    try coder.count(&lines)
    try coder.count(&unreadableLines)
    try coder.count(&knownLines)
    try coder.count(&blankLines)
    try coder.require(blankLines <= lines)
    try coder.optional(&sha256)
    var place = UInt8(Status.allCases.firstIndex(of: status) ?? 0)
    try coder.number(&place)
    try coder.require(Int(place) < Status.allCases.count)
    status = Status.allCases[Int(place)]
    try coder.flag(&hasChanged)
    try coder.flag(&isGrown)
    try coder.flag(&isRepaired)
    try hours.fields(&coder)
  }

  /// Returns the row, with its form in front, of the source of that number.
  func bytes(_ number: UInt32) -> [UInt8] {
    var (input, number) = (self, number)
    return BytesEncoder.bytes(.input) { (row) throws(AuditError) in
      try input.fields(&row, &number)
    }
  }

  /// Reads a row, without its form, of a source of these names, from `first` on, and its place.
  static func read(
    _ row: UnsafeRawBufferPointer, _ names: [String], first: UInt32
  ) throws(AuditError) -> (number: Int, InputRow) {
    var (input, number, decoder) = (InputRow(), UInt32(0), unsafe RowDecoder(row, nil, RowBounds()))
    input.hours = TimeBins(kinds: 1, limit: InputRow.hourLimit(sources: names.count))
    do {
      try input.fields(&decoder, &number)
      try decoder.require(decoder.rest == 0)
    } catch { throw FrameReader.broken("an input's row is not as it should be") }
    let index = Int(number) - Int(first)
    guard names.indices.contains(index) else {
      throw FrameReader.broken("an input is none of the sources")
    }
    input.source = names[index]
    return (index, input)
  }
}
