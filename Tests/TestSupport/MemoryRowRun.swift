package import Files
internal import RowShuffle
internal import Synchronization

/// A sorted run in memory, read in pieces.
// One thread at a time reads it.
@safe package final class MemoryRowRun: RowRunSource, @unchecked Sendable {
  private let bytes: [UInt8]
  /// The most bytes of a piece.
  private let piece: Int
  private let position = Mutex(0)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 2 * RowRun.maximumRowBytes, alignment: 64)

  package convenience init(_ rows: [[UInt8]], piece: Int = .max) {
    let bytes = rows.flatMap { row in
      unsafe withUnsafeBytes(of: UInt32(row.count)) { unsafe Array($0) } + row
    }
    self.init(raw: bytes, piece: piece)
  }

  /// A run of these bytes, whatever they are.
  package init(raw bytes: [UInt8], piece: Int = .max) {
    self.bytes = bytes
    self.piece = piece
  }

  deinit { unsafe buffer.deallocate() }

  package var nothing: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: buffer[..<0])
  }

  package func read(
    behind held: UnsafeRawBufferPointer
  ) throws(AuditError) -> UnsafeRawBufferPointer {
    unsafe buffer.copyMemory(from: held)
    let start = held.count
    let count = position.withLock { position in
      let count = unsafe min(bytes.count - position, piece, buffer.count - start)
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + count)])
        .copyBytes(from: bytes[position..<(position + count)])
      position += count
      return count
    }
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<(start + count)])
  }
}
