internal import AuditEngine
internal import Files
internal import RowShuffle

/// A reader of a segment of kept rows, from front to back.
@safe final class EventSegmentReader: RowRunSource {
  private static let blocksAtOnce = 4

  private let file: OpenFile
  private let run: Int64
  private let section: SegmentSection
  private let buffer: UnsafeMutableRawBufferPointer
  private var block: Int
  /// Bytes of the first block that are not asked for.
  private var skipped: Int

  /// Reads from a position on, where a row begins.
  init(_ segment: SegmentFile, from position: Int = 0) {
    block = position / segment.header.body.payloadBytes
    skipped = position % segment.header.body.payloadBytes
    file = segment.file
    run = segment.header.run
    section = segment.header.body
    let rows = RowRun.lengthBytes + RowRun.maximumRowBytes
    unsafe buffer = .allocate(
      byteCount: rows + Self.blocksAtOnce * section.blockBytes, alignment: 64)
    file.readsAhead()
  }

  deinit {
    unsafe buffer.deallocate()
  }

  var nothing: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: buffer[..<0]) }

  func read(behind held: UnsafeRawBufferPointer) throws(AuditError) -> UnsafeRawBufferPointer {
    guard unsafe held.count + section.blockBytes <= buffer.count else {
      throw .damaged(file.name, "a row is too long")
    }
    unsafe buffer.copyMemory(from: held)
    var end = held.count
    while block < section.blockCount, unsafe end + section.blockBytes <= buffer.count {
      // The block's trailer is overwritten by the next one's payload.
      let place = unsafe UnsafeMutableRawBufferPointer(
        rebasing: buffer[end..<(end + section.blockBytes)])
      unsafe try section.read(block, of: file, run: run, into: place)
      end += section.payload(of: block)
      block += 1
    }
    if skipped > 0, end > held.count {
      let start = held.count + min(skipped, end - held.count)
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[held.count...]).copyMemory(from: rest)
      end = held.count + rest.count
      skipped = 0
    }
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<end])
  }

  // MARK: Marks

  /// The most marks in a segment, and the least bytes between two.
  private static let mostMarks = 4096
  private static let leastDistance = 1 << 20

  /// Returns marks all along the segment, which is read from front to back.
  func marks() throws(AuditError) -> [KeptRowMark] {
    let distance = max(Self.leastDistance, section.totalBytes / Self.mostMarks)
    var marks: [KeptRowMark] = []
    var position = 0
    let rows = try RowMerger([self], keyLength: 8)
    while let row = unsafe try rows.next() {
      if position - (marks.last?.position ?? 0) >= distance {
        let head = unsafe row.loadUnaligned(as: UInt64.self).bigEndian
        marks.append(KeptRowMark(run: run, head: head, position: position))
      }
      position += RowRun.lengthBytes + row.count
    }
    return marks
  }
}
