internal import RowShuffle

/// Reads a segment of kept rows from front to back.
@safe final class EventSegmentReader: RowRunSource {
  /// Blocks that are read at once.
  private static let blocksAtOnce = 4

  private let file: StateFile
  private let run: Int64
  private let section: SegmentSection
  private let buffer: UnsafeMutableRawBufferPointer
  private var block = 0

  init(_ segment: SegmentFile) {
    file = segment.file
    run = segment.header.run
    section = segment.header.body
    let rows = 4 + EventSegmentWriter.maximumRowBytes
    unsafe buffer = .allocate(
      byteCount: rows + Self.blocksAtOnce * section.blockBytes, alignment: 64)
    file.readsAhead()
  }

  deinit {
    unsafe buffer.deallocate()
  }

  var nothing: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: buffer[..<0]) }

  func read(behind held: UnsafeRawBufferPointer) throws(ShuffleError) -> UnsafeRawBufferPointer {
    guard unsafe held.count + section.blockBytes <= buffer.count else {
      throw ShuffleError(.damagedSource, "the state is damaged: \(file.name): a row is too long")
    }
    unsafe buffer.copyMemory(from: held)
    var end = held.count
    while block < section.blockCount, unsafe end + section.blockBytes <= buffer.count {
      // The block's trailer is overwritten by the next one's payload.
      let place = unsafe UnsafeMutableRawBufferPointer(
        rebasing: buffer[end..<(end + section.blockBytes)])
      do throws(StateError) {
        unsafe try section.read(block, of: file, run: run, into: place)
      } catch { throw error.shuffleError }
      end += section.payload(of: block)
      block += 1
    }
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<end])
  }
}
