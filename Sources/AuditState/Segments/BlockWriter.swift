internal import OpenSSL

/// A writer of a section of a segment, block after block.
@safe final class BlockWriter {
  /// Bytes that are written at once.
  private static let batchBytes = 1 << 18

  private let file: StateFile
  private let run: Int64
  private let blockBytes: Int
  private let payloadBytes: Int
  private let firstBlock: Int
  private let buffer: UnsafeMutableRawBufferPointer
  /// The place of the buffer's first block in the file.
  private var position: Int
  /// Blocks in the buffer that are sealed.
  private var sealed = 0
  /// Bytes of payload in the block that is being filled.
  private var filled = 0
  private var blocks = 0
  private(set) var totalBytes = 0

  /// Makes a section that begins at `offset` of the file, with the segment's block `firstBlock`.
  init(
    _ file: StateFile, run: Int64, blockBytes: Int, payloadBytes: Int, offset: Int,
    firstBlock: Int
  ) {
    self.file = file
    self.run = run
    self.blockBytes = blockBytes
    self.payloadBytes = payloadBytes
    self.firstBlock = firstBlock
    position = offset
    unsafe buffer = .allocate(byteCount: max(Self.batchBytes, blockBytes), alignment: 64)
    unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// Appends bytes of payload; each full block's checksum goes into `digest`.
  func append(
    _ bytes: UnsafeRawBufferPointer, _ digest: inout SHA256Stream
  ) throws(StateError) {
    var taken = 0
    while taken < bytes.count {
      let count = min(bytes.count - taken, payloadBytes - filled)
      let start = sealed * blockBytes + filled
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken..<(taken + count)]))
      filled += count
      taken += count
      if filled == payloadBytes { try seal(&digest) }
    }
    totalBytes += bytes.count
  }

  /// Writes what is left, the last block filled up with zeros: where the section ends in the file.
  func finish(_ digest: inout SHA256Stream) throws(StateError) -> Int {
    if filled > 0 { try seal(&digest) }
    try flush()
    return position
  }

  private func seal(_ digest: inout SHA256Stream) throws(StateError) {
    let start = sealed * blockBytes
    let block = unsafe UnsafeMutableRawBufferPointer(
      rebasing: buffer[start..<(start + blockBytes)])
    for index in filled..<(blockBytes - SegmentBlock.trailerBytes) { unsafe block[index] = 0 }
    let number = SegmentBlock.number(run: run, index: firstBlock + blocks)
    let checksum = unsafe SegmentBlock.seal(block, number: number).littleEndian
    unsafe withUnsafeBytes(of: checksum) { unsafe digest.update($0) }
    blocks += 1
    sealed += 1
    filled = 0
    if unsafe (sealed + 1) * blockBytes > buffer.count { try flush() }
  }

  private func flush() throws(StateError) {
    guard sealed > 0 else { return }
    unsafe try file.write(
      UnsafeRawBufferPointer(rebasing: buffer[..<(sealed * blockBytes)]), at: position)
    position += sealed * blockBytes
    sealed = 0
  }
}
