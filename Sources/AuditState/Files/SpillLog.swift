internal import Files

/// Bytes in a file without a name, written one behind the other, then read from the front.
@safe final class SpillLog: @unchecked Sendable {
  // Used by one thread at a time: its owner's, or whoever holds its owner's lock.

  private static let bufferBytes = 1 << 18

  private let folder: Folder
  private var file: OpenFile?
  private let buffer: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var written = 0

  /// Makes an empty log. No file is created before the buffer is full.
  init(_ folder: Folder) {
    self.folder = folder
    unsafe buffer = .allocate(byteCount: Self.bufferBytes, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// The error of a log whose content is not what was appended.
  static var damage: StateError {
    .damaged("a file without a name", "its content is not what was written")
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(StateError) {
    var taken = 0
    while taken < bytes.count {
      if unsafe filled == buffer.count { try flush() }
      let count = unsafe min(bytes.count - taken, buffer.count - filled)
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken..<(taken + count)]))
      filled += count
      taken += count
    }
  }

  /// Appends a row behind its length (4 bytes, in the machine's order).
  func append(row: [UInt8]) throws(StateError) {
    let bytes = unsafe withUnsafeBytes(of: UInt32(row.count)) { unsafe Array($0) } + row
    unsafe try bytes.span.withUnsafeBytes { (bytes) throws(StateError) in unsafe try append(bytes) }
  }

  private func flush() throws(StateError) {
    let file: OpenFile
    if let held = self.file { file = held } else { file = try folder.createNameless() }
    self.file = file
    unsafe try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), at: written)
    written += filled
    filled = 0
  }

  /// Calls `body` with all bytes, in pieces; nothing is appended afterwards.
  func forEachPiece(
    _ body: (UnsafeRawBufferPointer) throws(StateError) -> Void
  ) throws(StateError) {
    if let file {
      try flush()
      var position = 0
      while position < written {
        let count = unsafe min(buffer.count, written - position)
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        unsafe try file.fill(piece, at: position)
        unsafe try body(UnsafeRawBufferPointer(piece))
        position += count
      }
    } else {
      unsafe try body(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
    }
  }

  /// Calls `body` with each row of ``append(row:)``.
  func eachRow(_ body: (ArraySlice<UInt8>) throws(StateError) -> Void) throws(StateError) {
    var held: [UInt8] = []
    unsafe try forEachPiece { piece throws(StateError) in
      unsafe held.append(contentsOf: piece)
      var used = 0
      while held.count - used >= 4 {
        let length = unsafe held.withUnsafeBytes {
          unsafe Int($0.loadUnaligned(fromByteOffset: used, as: UInt32.self))
        }
        guard held.count - used - 4 >= length else { break }
        try body(held[(used + 4)..<(used + 4 + length)])
        used += 4 + length
      }
      held.removeFirst(used)
    }
    guard held.isEmpty else { throw Self.damage }
  }
}
