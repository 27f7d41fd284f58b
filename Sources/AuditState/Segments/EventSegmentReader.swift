internal import AuditEngine
internal import Files
internal import RowShuffle

/// A reader of a segment of kept rows, from front to back.
@safe final class EventSegmentReader: RowRunSource {
  private static let blocksAtOnce = 4

  let bufferBytes =
    RowRun.lengthBytes + RowRun.maximumRowBytes + blocksAtOnce * SegmentBlock.byteCount
  private let segment: SegmentFile
  private var block: Int
  /// Bytes of the first block that are not asked for.
  private var skipped: Int

  /// Reads from a position on, where a row begins.
  init(_ segment: SegmentFile, from position: Int = 0) {
    block = 1 + position / SegmentBlock.payloadBytes
    skipped = position % SegmentBlock.payloadBytes
    self.segment = segment
    segment.file.readsAhead()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AuditError) -> Int {
    var end = 0
    while segment.entry.blocks.contains(block), end + SegmentBlock.byteCount <= buffer.count {
      // The block's sums are overwritten by the next one's payload.
      unsafe try segment.read(block, into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
      end += segment.entry.payload(of: block)
      block += 1
    }
    guard skipped > 0 else { return end }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[min(skipped, end)..<end])
    unsafe buffer.copyMemory(from: rest)
    skipped = 0
    return rest.count
  }

  // MARK: Marks

  /// The most marks in a segment, and the least bytes between two.
  private static let mostMarks = 4096
  private static let leastDistance = 1 << 20

  /// Returns marks all along the segment, which is read from front to back.
  func marks() throws(AuditError) -> [KeptRowMark] {
    let distance = max(Self.leastDistance, Int(segment.entry.bytes) / Self.mostMarks)
    var marks: [KeptRowMark] = []
    var position = 0
    let rows = try RowMerger([self], keyLength: 8)
    while let row = unsafe try rows.next() {
      if position - (marks.last?.position ?? 0) >= distance {
        let head = unsafe row.loadUnaligned(as: UInt64.self).bigEndian
        marks.append(KeptRowMark(run: segment.entry.run, head: head, position: position))
      }
      position += RowRun.lengthBytes + row.count
    }
    return marks
  }
}
