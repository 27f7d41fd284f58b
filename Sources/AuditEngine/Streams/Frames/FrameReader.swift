internal import Compression
internal import Files

/// A reader of a stream of rows. A row is valid until the next one is asked for.
@safe final class FrameReader {
  private let file: OpenFile
  private let mostRowBytes: Int
  private var checksum: UInt32 = 0
  private var buffer: UnsafeMutableRawBufferPointer
  private var offsets: [UInt32] = []
  /// The next row of the block at hand.
  private var next = 0
  private(set) var rowCount: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var isAtEnd = false

  /// Reads the header, for rows of `mostRowBytes`. Throws `.otherSettings` for another digest.
  init(_ file: OpenFile, header: [UInt8], mostRowBytes: Int) throws(AuditError) {
    self.file = file
    self.mostRowBytes = mostRowBytes
    unsafe buffer = .allocate(byteCount: FrameFormat.headerBytes, alignment: 64)
    try fill(FrameFormat.headerBytes)
    guard unsafe buffer.prefix(8).elementsEqual(FrameFormat.magic) else {
      throw Self.broken("it does not begin as a stream of rows does")
    }
    let version: UInt32 = number(at: 8)
    guard version == FrameFormat.version else {
      throw Self.broken(
        "it is of version \(version), and this program reads version \(FrameFormat.version)")
    }
    guard unsafe buffer.prefix(header.count).elementsEqual(header) else {
      throw AuditError(
        .otherSettings, "the stream on standard input was made with other settings than these")
    }
  }

  deinit {
    unsafe buffer.deallocate()
  }

  static func broken(_ why: String) -> AuditError {
    AuditError(.brokenStream, "the stream of rows on standard input is broken: \(why)")
  }

  /// Returns the next row, or nil behind the last, when the trailer was read and agrees.
  func nextRow() throws(AuditError) -> UnsafeRawBufferPointer? {
    while next + 1 >= offsets.count {
      if isAtEnd { return nil }
      try readBlock()
    }
    let (start, end) = (Int(offsets[next]), Int(offsets[next + 1]))
    next += 1
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
  }

  // MARK: Blocks

  private func readBlock() throws(AuditError) {
    offsets.removeAll(keepingCapacity: true)
    next = 0
    try fill(FrameFormat.blockHeadBytes)
    let (count, bytes) = (Int(number(at: 0) as UInt32), Int(number(at: 4) as UInt32))
    guard count > 0 else { return try readTrailer(bytes) }
    guard count <= FrameFormat.mostRows,
      bytes <= (count == 1 ? mostRowBytes : FrameFormat.mostBytes)
    else {
      throw Self.broken("a block is said to have \(count) rows of \(bytes) bytes")
    }
    try fill((count + 1) * MemoryLayout<UInt32>.size)
    offsets.reserveCapacity(count + 1)
    for index in 0...count {
      let offset: UInt32 = number(at: index * MemoryLayout<UInt32>.size)
      guard offset >= offsets.last ?? 0, offset <= bytes, index > 0 || offset == 0 else {
        throw Self.broken("the rows of a block do not follow one another")
      }
      offsets.append(offset)
    }
    guard Int(offsets[count]) == bytes else {
      throw Self.broken("the rows of a block do not fill it")
    }
    try fill(bytes)
    rowCount += UInt64(count)
    byteCount += UInt64(bytes)
  }

  private func readTrailer(_ bytes: Int) throws(AuditError) {
    guard bytes == FrameFormat.trailerBytes else { throw Self.broken("a block is empty") }
    try fill(FrameFormat.trailerBytes - 4)
    let isAll = number(at: 0) == rowCount && number(at: 8) == byteCount
    let found = checksum
    try fill(4)
    guard isAll else { throw Self.broken("it has not the rows that its trailer says") }
    guard number(at: 0) == found else { throw Self.broken("its checksum is another") }
    isAtEnd = true
    var rest = 0
    do throws(AuditError) {
      rest = unsafe try file.readNext(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<1]))
    } catch { throw Self.broken(error.context) }
    guard rest == 0 else { throw Self.broken("something follows its trailer") }
  }

  private func fill(_ count: Int) throws(AuditError) {
    if unsafe count > buffer.count {
      unsafe buffer.deallocate()
      unsafe buffer = .allocate(byteCount: max(count, 1 << 16), alignment: 64)
    }
    let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    var filled = 0
    do throws(AuditError) { filled = unsafe try file.readNext(into: part) } catch {
      throw Self.broken(error.context)
    }
    guard filled == count else { throw Self.broken("it ends early") }
    checksum = unsafe CRC32.update(checksum, UnsafeRawBufferPointer(part))
  }

  private func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
    Number(littleEndian: unsafe buffer.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}
