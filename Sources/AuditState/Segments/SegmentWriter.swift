internal import AuditEngine
internal import Files
internal import OpenSSL

/// A writer of a run's segment, whose file is made with its first row. Only `advance` has rows.
@safe final class SegmentWriter {
  private static let blocksAtOnce = 16

  private let folder: Folder
  private let isAdvance: Bool
  private var entry: SegmentEntry
  private var file: OpenFile?
  private let payloadBytes: Int
  private let hasLengths: Bool
  private let buffer: UnsafeMutableRawBufferPointer
  private(set) var rows: UInt64 = 0
  /// The place of the next byte of payload, and the bytes for which its block has room. No access overlaps another, since
  /// none calls out.
  @exclusivity(unchecked) private var next: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var room: Int
  /// Full blocks in the buffer, and those in the file, which begins with the header.
  private var sealed = 0
  private var written = 1
  private var digest = SHA256Stream()

  init(_ kind: SegmentKind, _ folder: Folder, run: Int64, isAdvance: Bool) {
    (self.folder, self.isAdvance) = (folder, isAdvance)
    entry = SegmentEntry(kind: kind, run: run)
    payloadBytes = kind.payloadBytes
    hasLengths = kind.rowBytes == nil
    unsafe buffer = .allocate(
      byteCount: Self.blocksAtOnce * SegmentBlock.byteCount, alignment: 64)
    unsafe next = buffer.baseAddress.unsafelyUnwrapped
    unsafe room = payloadBytes
  }

  deinit {
    unsafe buffer.deallocate()
  }

  func append(_ row: UnsafeRawBufferPointer) throws(StateError) {
    guard isAdvance else { throw .misuse("a row is remembered without advance") }
    if hasLengths {
      unsafe try withUnsafeBytes(of: UInt32(truncatingIfNeeded: row.count)) {
        (length) throws(StateError) in unsafe try put(length)
      }
    }
    unsafe try put(row)
    rows += 1
  }

  /// Records that a kept row is of an assertion that named only its device.
  func noteDevice() { entry.namesDevices = true }

  @inline(__always)
  private func put(_ bytes: UnsafeRawBufferPointer) throws(StateError) {
    var bytes = unsafe bytes
    while unsafe bytes.count >= room {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[room...])
      unsafe copy(UnsafeRawBufferPointer(rebasing: bytes[..<room]))
      try seal()
      unsafe bytes = rest
    }
    unsafe copy(bytes)
  }

  @inline(__always)
  private func copy(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    unsafe next.copyMemory(from: start, byteCount: bytes.count)
    unsafe next += bytes.count
    unsafe room -= bytes.count
  }

  /// Ends a block, which is filled up with zeros, and writes those in the buffer if it is full.
  private func seal() throws(StateError) {
    unsafe entry.bytes += UInt64(payloadBytes - room)
    let sums = unsafe seal(at: sealed, filled: payloadBytes - room, number: written + sealed)
    unsafe withUnsafeBytes(of: sums) { unsafe digest.update($0) }
    sealed += 1
    if sealed == Self.blocksAtOnce { try flush() }
    unsafe next = buffer.baseAddress.unsafelyUnwrapped + sealed * SegmentBlock.byteCount
    unsafe room = payloadBytes
  }

  private func seal(at place: Int, filled: Int, number: Int) -> SegmentBlock.Sums {
    let start = place * SegmentBlock.byteCount
    let block = unsafe UnsafeMutableRawBufferPointer(
      rebasing: buffer[start..<(start + SegmentBlock.byteCount)])
    unsafe UnsafeMutableRawBufferPointer(rebasing: block[filled...])
      .initializeMemory(as: UInt8.self, repeating: 0)
    return unsafe SegmentBlock.seal(
      block, number: SegmentBlock.number(run: entry.run, number))
  }

  private func flush() throws(StateError) {
    unsafe try opened().write(
      UnsafeRawBufferPointer(rebasing: buffer[..<(sealed * SegmentBlock.byteCount)]),
      at: written * SegmentBlock.byteCount)
    written += sealed
    sealed = 0
  }

  private func opened() throws(StateError) -> OpenFile {
    if let file { return file }
    let made = try folder.create(entry.path)
    file = made
    return made
  }

  /// Writes what is left and the header, and flushes the file. Returns nil if there are no rows.
  func finish(_ times: RecordTimes) throws(StateError) -> SegmentEntry? {
    guard rows > 0 else { return nil }
    if unsafe room < payloadBytes { try seal() }
    if sealed > 0 { try flush() }
    (entry.rows, entry.sha256) = (rows, digest.digest())
    (entry.created, entry.latest) = (times.clock, times.latest)
    let header = SegmentFile.header(entry)
    unsafe buffer.copyBytes(from: header)
    _ = seal(at: 0, filled: header.count, number: 0)
    let file = try opened()
    unsafe try file.write(
      UnsafeRawBufferPointer(rebasing: buffer[..<SegmentBlock.byteCount]), at: 0)
    try file.flush()
    return entry
  }
}
