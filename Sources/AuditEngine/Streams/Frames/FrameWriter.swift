internal import Compression
internal import Files
internal import Synchronization

/// A writer of a stream of rows, from any thread.
final class FrameWriter: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var offsets: [UInt32] = [0]
    var rowCount: UInt64 = 0
    var byteCount: UInt64 = 0
    var checksum: UInt32 = 0
  }

  private let file: OpenFile
  private let state = Mutex(State())

  init(_ file: OpenFile, header: [UInt8]) throws(AuditError) {
    self.file = file
    try state.withLock { (state) throws(AuditError) in try write(header, &state) }
  }

  /// Adds rows, each of the bytes that `put` appends; `put` is called once for each.
  func add(
    _ count: Int, _ put: (Int, inout [UInt8]) throws(AuditError) -> Void
  ) throws(AuditError) {
    try state.withLock { (state) throws(AuditError) in
      for index in 0..<count {
        try put(index, &state.bytes)
        if state.bytes.count > FrameFormat.mostBytes, state.offsets.count > 1 {
          // A long row is a block of its own.
          let row = Array(state.bytes[Int(state.offsets[state.offsets.count - 1])...])
          state.bytes.removeLast(row.count)
          try writeBlock(&state)
          state.bytes += row
        }
        guard let end = UInt32(exactly: state.bytes.count) else {
          throw AuditError(.inconsistent, "a row is longer than a stream takes")
        }
        state.offsets.append(end)
        if state.bytes.count >= FrameFormat.blockBytes
          || state.offsets.count > FrameFormat.blockRows
        {
          try writeBlock(&state)
        }
      }
    }
  }

  func add(_ row: [UInt8]) throws(AuditError) {
    try add(1) { _, bytes in bytes += row }
  }

  /// Writes what is left, and the trailer; nothing is added any more.
  func finish() throws(AuditError) {
    try state.withLock { (state) throws(AuditError) in
      try writeBlock(&state)
      var trailer: [UInt8] = []
      trailer.append(number: 0 as UInt32)
      trailer.append(number: UInt32(FrameFormat.trailerBytes))
      trailer.append(number: state.rowCount)
      trailer.append(number: state.byteCount)
      try write(trailer, &state)
      var checksum: [UInt8] = []
      checksum.append(number: state.checksum)
      try write(checksum, &state)
    }
  }

  private func writeBlock(_ state: inout State) throws(AuditError) {
    let count = state.offsets.count - 1
    guard count > 0 else { return }
    var head: [UInt8] = []
    head.reserveCapacity(FrameFormat.blockHeadBytes + 4 * state.offsets.count)
    head.append(number: UInt32(count))
    head.append(number: UInt32(state.bytes.count))
    for offset in state.offsets { head.append(number: offset) }
    try write(head, &state)
    let bytes = state.bytes
    try write(bytes, &state)
    state.rowCount += UInt64(count)
    state.byteCount += UInt64(bytes.count)
    state.bytes.removeAll(keepingCapacity: true)
    state.offsets.removeAll(keepingCapacity: true)
    state.offsets.append(0)
  }

  private func write(_ bytes: [UInt8], _ state: inout State) throws(AuditError) {
    state.checksum = unsafe bytes.withUnsafeBytes { unsafe CRC32.update(state.checksum, $0) }
    do throws(AuditError) { try file.append(bytes.span) } catch {
      throw AuditError(.brokenStream, error.context)
    }
  }
}

extension [UInt8] {
  /// Appends a number, little-endian.
  package mutating func append(number: some FixedWidthInteger & BitwiseCopyable) {
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
  }
}
