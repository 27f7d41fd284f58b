internal import AuditEngine
internal import Files
internal import OpenSSL

/// A writer of a run's segment, whose file is made with its first row.
@safe final class SegmentWriter {
  private static let blocksAtOnce = 16

  private let folder: Folder
  private var entry: SegmentEntry
  private var file: OpenFile?
  private let payloadBytes: Int
  private let buffer: UnsafeMutableRawBufferPointer
  /// Bytes of payload in the block that is being filled.
  private var filled = 0
  /// Full blocks in the buffer, and those in the file, which begins with the header.
  private var sealed = 0
  private var written = 1
  private var digest = SHA256Stream()

  init(_ kind: SegmentKind, _ folder: Folder, run: Int64) {
    self.folder = folder
    entry = SegmentEntry(kind: kind, run: run)
    payloadBytes = kind.payloadBytes
    unsafe buffer = .allocate(
      byteCount: Self.blocksAtOnce * SegmentBlock.byteCount, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  var rows: UInt64 { entry.rows }

  func append(_ row: UnsafeRawBufferPointer) throws(StateError) {
    if entry.kind.rowBytes == nil {
      unsafe try withUnsafeBytes(of: UInt32(truncatingIfNeeded: row.count)) {
        (length) throws(StateError) in unsafe try put(length)
      }
    }
    unsafe try put(row)
    entry.rows += 1
  }

  /// Records that a kept row is of an assertion that named only its device.
  func noteDevice() { entry.namesDevices = true }

  private func put(_ bytes: UnsafeRawBufferPointer) throws(StateError) {
    var done = 0
    while done < bytes.count {
      let count = min(bytes.count - done, payloadBytes - filled)
      let start = sealed * SegmentBlock.byteCount + filled
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done..<(done + count)]))
      filled += count
      done += count
      if filled == payloadBytes { try seal() }
    }
    entry.bytes += UInt64(bytes.count)
  }

  /// Ends a block, which is filled up with zeros, and writes those in the buffer if it is full.
  private func seal() throws(StateError) {
    let sums = seal(at: sealed, number: written + sealed)
    unsafe withUnsafeBytes(of: sums) { unsafe digest.update($0) }
    sealed += 1
    filled = 0
    if sealed == Self.blocksAtOnce { try flush() }
  }

  private func seal(at place: Int, number: Int) -> SegmentBlock.Sums {
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
    guard entry.rows > 0 else { return nil }
    if filled > 0 { try seal() }
    if sealed > 0 { try flush() }
    entry.sha256 = digest.digest()
    (entry.created, entry.latest) = (times.clock, times.latest)
    let header = SegmentFile.header(entry)
    unsafe buffer.copyBytes(from: header)
    filled = header.count
    _ = seal(at: 0, number: 0)
    let file = try opened()
    unsafe try file.write(
      UnsafeRawBufferPointer(rebasing: buffer[..<SegmentBlock.byteCount]), at: 0)
    try file.flush()
    return entry
  }
}
