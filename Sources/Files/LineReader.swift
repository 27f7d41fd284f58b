internal import CLinux

/// The lines of a file that is read piece by piece, one at a time.
package struct LineReader: ~Copyable {
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// The number of the line that was returned last, from 1.
  package private(set) var number: UInt64 = 0

  package init() {}

  /// Returns the next line without its LF, or nil at the end. `read` returns the next bytes, or none at the end;
  /// `tooLong` the error of a line of more than `limit` bytes, with its number.
  package mutating func next<Failure: Error>(
    limit: Int, tooLong: (UInt64) -> Failure, read: () throws(Failure) -> [UInt8]
  ) throws(Failure) -> ArraySlice<UInt8>? {
    var searched = start
    while true {
      let end = buffer[searched...].firstIndex(of: 0x0A)
      guard (end ?? buffer.count) - start <= limit else { throw tooLong(number + 1) }
      if end != nil || isAtEnd {
        guard start < buffer.count else { return nil }
        let line = buffer[start..<(end ?? buffer.count)]
        start = end.map { $0 + 1 } ?? buffer.count
        number += 1
        return line
      }
      buffer.removeFirst(start)
      start = 0
      searched = buffer.count
      let bytes = try read()
      if bytes.isEmpty { isAtEnd = true } else { buffer += bytes }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Returns whether the bytes of `mark` occur in a row.
  package func holds(_ mark: [UInt8]) -> Bool {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe attest_find(start, bytes.count, mark, mark.count) != nil
    }
  }
}
