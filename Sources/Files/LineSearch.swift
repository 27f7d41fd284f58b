internal import CLinux

/// A search for one line of a file that may be far larger than the memory.
package struct LineSearch {
  private static let pieceBytes = 1 << 20
  /// The longest line taken, in bytes.
  private static let lineLimit = 1 << 30

  private let file: OpenFile
  /// The bytes that were read and may belong to the line: whole lines, and the beginning of one.
  private var buffer: [UInt8] = []

  /// Examines a file from its beginning.
  package init(path: String) throws(AuditError) { file = try OpenFile(reading: path) }

  /// Returns the next line that has `mark`, without its LF, or nil if none has, or a line is longer
  /// than 1 GiB. An LF in front of `mark` stands for the beginning of a further line.
  package mutating func line(holding mark: [UInt8]) throws(AuditError) -> [UInt8]? {
    var isAtEnd = false
    while !isAtEnd {
      isAtEnd = try !readOn()
      guard let place = place(of: mark) else {
        // The next line's mark may begin with the last LF.
        if let last = buffer.lastIndex(of: 0x0A) { buffer.removeFirst(last) }
        guard buffer.count <= Self.lineLimit else { return nil }
        continue
      }
      let inside = mark.first == 0x0A ? place + 1 : place
      let start = buffer[..<inside].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      while true {
        if let end = buffer[inside...].firstIndex(of: 0x0A) { return take(start..<end) }
        guard buffer.count <= Self.lineLimit else { return nil }
        guard try readOn() else { return take(start..<buffer.count) }
      }
    }
    return nil
  }

  /// Returns a line and drops it, but not its LF.
  private mutating func take(_ line: Range<Int>) -> [UInt8] {
    defer { buffer.removeFirst(line.upperBound) }
    return Array(buffer[line])
  }

  private mutating func readOn() throws(AuditError) -> Bool {
    let piece = try file.readNext(limit: Self.pieceBytes)
    buffer += piece
    return !piece.isEmpty
  }

  private func place(of mark: [UInt8]) -> Int? {
    unsafe buffer.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress,
        let found = unsafe attest_find(start, bytes.count, mark, mark.count)
      else { return nil }
      return unsafe found - start
    }
  }
}
