/// Several records in a line (`records.R84`).
extension RecordReader {
  func keepInLine(_ outcome: RecordOutcome, _ buffer: borrowing ByteBuffer) {
    guard case .record = outcome else { return }
    if firstRule == nil { firstRule = mapper?.ruleName }
    _ = know(lineSearch, buffer)
  }

  func readFirst(
    of line: UnsafeBufferPointer<UInt8>, _ items: LineItems, _ mapper: SchemaMapper,
    _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    start = 0
    source = .line
    items.clear()
    lineSearch.forget()
    firstRule = nil
    lineNames = nil
    let reject =
      unsafe skipsPrefix
      ? readAfterPrefix(line, items.line) : items.line.read(line).map { Reject($0) }
    unsafe linePrefix = UnsafeBufferPointer(rebasing: line[..<start])
    if let reject { return .reject(reject) }
    do throws(Reject) {
      let object = unsafe UnsafeBufferPointer(rebasing: line[start...])
      guard unsafe try items.start(object) else { return .skipped(.noRecords) }
      guard hasTooMany(items, mapper) else {
        guard let first = items.next() else { return .skipped(.noRecords) }
        return read(first, items, mapper, &buffer)
      }
      items.clear()
      throw Reject(.malformedJSON, "The line has more than \(LineItems.limit) records.")
    } catch {
      return .reject(error)
    }
  }

  /// Returns whether a line has more items than a position can say (`records.R87`).
  private func hasTooMany(_ items: LineItems, _ mapper: SchemaMapper) -> Bool {
    let elements = items.count()
    guard elements <= LineItems.limit else { return true }
    guard elements * mapper.mostItems > LineItems.limit else { return false }
    var count = 0
    items.look { element in
      count += 1
      guard case .record(let text) = element, unsafe json.read(text) == nil else { return }
      json.take(items.line, items.shared)
      count += mapper.itemCount(json) - 1
    }
    return count > LineItems.limit
  }

  func read(
    _ element: LineItems.Element, _ items: LineItems, _ mapper: SchemaMapper,
    _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    buffer.removeAll()
    mapper.clear()
    keepsTokens = false
    switch element {
    case .record(let record):
      unsafe text = record
      return unsafe readOne(record, mapper, &buffer)
    case .other(let value):
      unsafe text = value
      source = .text
      return .skipped(.noRecord)
    }
  }
}
