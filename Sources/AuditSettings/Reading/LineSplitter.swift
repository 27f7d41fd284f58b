/// The lines of a file, pulled one at a time with a fixed amount of memory.
struct LineSplitter: ~Copyable {
  /// The next piece.
  enum Piece: Equatable {
    /// A line without its LF. A CR before the LF may belong to a quoted field.
    case line([UInt8])
    /// A line that is longer than ``limit``. Nothing can be read after it.
    case tooLong
    case end
  }

  /// The length of the longest line that is accepted, in bytes.
  static let limit = 1 << 20

  private var source: ByteSource
  private var buffer: [UInt8] = []
  private var offset = 0
  private var atEnd = false
  /// The number of the line that ``next()`` returned last, from 1.
  private(set) var number = 0

  init(_ source: consuming ByteSource) {
    self.source = source
  }

  mutating func next() throws(CommandError) -> Piece {
    var searched = offset
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        return line(upTo: end, next: end + 1)
      }
      if buffer.count - offset > Self.limit {
        number += 1
        return .tooLong
      }
      if atEnd {
        return offset < buffer.count ? line(upTo: buffer.count, next: buffer.count) : .end
      }
      buffer.removeFirst(offset)
      offset = 0
      searched = buffer.count
      atEnd = try !source.read(into: &buffer)
    }
  }

  private mutating func line(upTo end: Int, next: Int) -> Piece {
    number += 1
    let content = buffer[offset..<end]
    offset = next
    guard content.count <= Self.limit else { return .tooLong }
    return .line(Array(content))
  }
}
