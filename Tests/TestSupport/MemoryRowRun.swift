package import Files
internal import RowShuffle
internal import Synchronization

/// A sorted run in memory, read in pieces.
// One thread at a time reads it.
package final class MemoryRowRun: RowRunSource, @unchecked Sendable {
  private let bytes: [UInt8]
  /// The most bytes of a piece.
  private let piece: Int
  private let position = Mutex(0)
  package let bufferBytes = 2 * RowRun.maximumRowBytes

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

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(AuditError) -> Int {
    position.withLock { position in
      let count = min(bytes.count - position, piece, buffer.count)
      unsafe buffer.copyBytes(from: bytes[position..<(position + count)])
      position += count
      return count
    }
  }
}
