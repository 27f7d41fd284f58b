internal import AppAttest
internal import AuditLog

// How the reading of an input ended, as a row of a stream.
extension InputRow {
  /// The records of one hour.
  private struct HourCount: CodedRow {
    var hour: Int64 = 0
    var records: UInt64 = 0
    /// The hours whose begin and end are times.
    private static let hours = TimeBins.hour(of: .min) + 2...TimeBins.hour(of: .max) - 2

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&hour)
      try coder.require(Self.hours.contains(hour))
      try coder.count(&records)
    }
  }

  /// Codes all but the name. `limit` is the most hours that are kept.
  private mutating func fields<Coder: RowCoder>(
    _ coder: inout Coder, _ number: inout UInt32, limit: Int = .max
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
    var counts = hours.sorted.map { HourCount(hour: $0.hour, records: $0.count) }
    try coder.list(&counts)
    try coder.require(counts.count <= SourceHours.limit)
    guard coder.isReading else { return }
    let kept = counts.count > limit ? [] : counts
    hours = SourceHours(Dictionary(kept.map { ($0.hour, $0.records) }) { $1 })
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
    do {
      try input.fields(&decoder, &number, limit: SourceHours.limit(sources: names.count))
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
