package import Files

/// A sorted run in a spill file: rows, each behind its length (4 bytes, in the machine's order).
package struct RowRun: Sendable {
  package static let lengthBytes = 4
  package static let maximumRowBytes = 16_384

  let room: SpillRoom
  let cuts: RowCuts

  func size(of range: RowRange) -> Int { cuts.bytes(of: range).count }

  var byteCount: Int { size(of: .all) }
}

/// A sorted run of rows, each behind its length (4 bytes, in the machine's order), read from front
/// to back in pieces.
package protocol RowRunSource: AnyObject {
  /// The size of the buffer that it is read through: room for the longest row, and for a piece.
  var bufferBytes: Int { get }
  /// Copies the bytes that follow in the run to the front of `buffer`, which has room for a piece.
  /// Returns their number, 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AuditError) -> Int
}

/// A buffered writer of one run.
@safe struct RowRunWriter: ~Copyable {
  private let room: SpillRoom
  private let buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var position = 0
  private var cuts = RowCuts()

  init(_ room: SpillRoom, bufferBytes: Int) {
    self.room = room
    unsafe buffer = .allocate(
      byteCount: max(bufferBytes, 2 * RowRun.maximumRowBytes), alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  mutating func append(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    if unsafe filled + RowRun.lengthBytes + row.count > buffer.count { try flush() }
    unsafe cuts.add(row, at: position + filled)
    unsafe buffer.storeBytes(of: UInt32(row.count), toByteOffset: filled, as: UInt32.self)
    filled += RowRun.lengthBytes
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: row)
    filled += row.count
  }

  /// Writes what is left, and returns the run.
  mutating func finish() throws(AuditError) -> RowRun {
    try flush()
    cuts.end(at: position)
    return RowRun(room: room, cuts: cuts)
  }

  private mutating func flush() throws(AuditError) {
    unsafe try room.write(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), at: position)
    position += filled
    filled = 0
  }
}

/// A reader of the rows of one run that are in a range, from front to back.
final class RowRunReader: RowRunSource {
  /// The largest buffer that is of use: those of all runs of a merge stay near the processor.
  static let mostBufferBytes = 1 << 17

  let bufferBytes: Int
  private let run: RowRun
  private var position = 0
  private var remaining = 0
  /// Whether nobody reads the rows again, whose room is given back.
  private let isReadOnce: Bool

  /// Reads through `bufferBytes`, or as many as two rows may need; nothing before ``move(to:)``.
  init(_ run: RowRun, bufferBytes: Int, isReadOnce: Bool) {
    self.isReadOnce = isReadOnce
    self.run = run
    self.bufferBytes = max(bufferBytes, 2 * RowRun.maximumRowBytes)
  }

  func move(to range: RowRange) {
    let bytes = run.cuts.bytes(of: range)
    position = bytes.lowerBound
    remaining = bytes.count
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AuditError) -> Int {
    let wanted = min(remaining, buffer.count)
    unsafe try run.room.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: position)
    if isReadOnce { run.room.giveBack(position..<(position + wanted)) }
    position += wanted
    remaining -= wanted
    return wanted
  }
}
