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
