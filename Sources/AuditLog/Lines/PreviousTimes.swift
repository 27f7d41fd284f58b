/// The time before each batch of an input's lines. In the hour that clocks show twice it decides which instant a local time
/// means (`records.R88`), and batches are decoded in any order: so the end of each batch is read when it arrives.
package final class PreviousTimes {
  private let reader: RecordReader
  private let lineLimit: Int
  private var fields = ByteBuffer()
  /// The time at the end of the last batch, if its input has a record so far.
  private var time: Int64?

  /// Makes the times of inputs read by one thread, or nil if no time can mean two instants.
  package init?(
    _ schema: CompiledSchema, lineLimit: Int, isAppAttestObject: @escaping (Span<UInt8>) -> Bool
  ) {
    guard schema.hasAmbiguousTimes else { return nil }
    reader = RecordReader(schema: schema, isAppAttestObject: isAppAttestObject)
    self.lineLimit = lineLimit
  }

  /// Sets the time before a batch; batches of an input come in order.
  package func set(_ batch: LineBatch) {
    if batch.sequence == 0 { time = nil }
    batch.previousTime = time
    var lines = unsafe [UnsafeBufferPointer<UInt8>]()
    batch.forEachLine(limit: lineLimit) { line in
      if line.hasTime { unsafe lines.append(line.text) }
    }
    time = unsafe last(lines) ?? time
  }

  /// Returns the time of the last record of some lines, or nil if there is none. Most often only the last line is read.
  private func last(_ lines: [UnsafeBufferPointer<UInt8>]) -> Int64? {
    var ambiguous: [Int] = []
    var certain: Int64?
    for index in unsafe lines.indices.reversed() {
      reader.previousTime = nil
      guard let isCertain = unsafe reader.readTimes(lines[index], into: &fields) else { continue }
      guard isCertain else {
        ambiguous.append(index)
        continue
      }
      certain = reader.previousTime
      break
    }
    reader.previousTime = certain ?? time
    for index in ambiguous.reversed() {
      _ = unsafe reader.readTimes(lines[index], into: &fields)
    }
    return reader.previousTime
  }
}

extension LogLine {
  /// Whether its records have times that count for the lines after it, even if it is not read again.
  package var hasTime: Bool { state == .whole || state == .passed }
}
