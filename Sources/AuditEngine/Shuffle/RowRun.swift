/// A sorted run in a spill file: rows one behind the other, each behind its length (4 bytes, in
/// the machine's order).
struct RowRun: Sendable {
  /// Bytes of a length.
  static let lengthBytes = 4
  /// The longest row that a shuffle takes.
  static let maximumRowBytes = 16_384

  var offset: Int
  var byteCount: Int
}

/// Writes one run, buffered.
@safe struct RowRunWriter: ~Copyable {
  private let file: SpillFile
  private let buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var position: Int

  /// A run that starts at `offset` of `file`, where its bytes have been reserved.
  init(file: SpillFile, offset: Int, bufferBytes: Int) {
    self.file = file
    position = offset
    unsafe buffer = .allocate(
      byteCount: max(bufferBytes, 2 * RowRun.maximumRowBytes), alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  mutating func append(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    if unsafe filled + RowRun.lengthBytes + row.count > buffer.count { try flush() }
    unsafe buffer.storeBytes(of: UInt32(row.count), toByteOffset: filled, as: UInt32.self)
    filled += RowRun.lengthBytes
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: row)
    filled += row.count
  }

  mutating func flush() throws(AuditError) {
    unsafe try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), at: position)
    position += filled
    filled = 0
  }
}

/// Reads one run from front to back, buffered.
@safe final class RowRunReader {
  private let file: SpillFile
  private let buffer: UnsafeMutableRawBufferPointer
  private var position: Int
  private var remaining: Int
  private var start = 0
  private var end = 0

  init(file: SpillFile, run: RowRun, bufferBytes: Int) {
    self.file = file
    position = run.offset
    remaining = run.byteCount
    unsafe buffer = .allocate(
      byteCount: max(bufferBytes, 2 * RowRun.maximumRowBytes), alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// The next row, valid until the next call; nil at the end.
  func next() throws(AuditError) -> UnsafeRawBufferPointer? {
    guard try fill(RowRun.lengthBytes) else { return nil }
    let length = unsafe Int(buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self))
    guard length <= RowRun.maximumRowBytes, try fill(RowRun.lengthBytes + length) else {
      throw AuditError(.inconsistent, "a spilled run does not hold what was written to it")
    }
    let row = unsafe UnsafeRawBufferPointer(
      rebasing: buffer[(start + RowRun.lengthBytes)..<(start + RowRun.lengthBytes + length)])
    start += RowRun.lengthBytes + length
    return unsafe row
  }

  /// Makes `count` bytes available at `start`; false where the run has fewer.
  private func fill(_ count: Int) throws(AuditError) -> Bool {
    if end - start >= count { return true }
    let held = end - start
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<held]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
    start = 0
    end = held
    let wanted = unsafe min(remaining, buffer.count - held)
    unsafe try file.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[held..<(held + wanted)]), at: position)
    position += wanted
    remaining -= wanted
    end += wanted
    return end >= count
  }
}
