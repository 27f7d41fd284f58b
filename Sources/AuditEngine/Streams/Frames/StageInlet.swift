internal import RowShuffle

/// One form's rows of a stage's input, as a sorted run.
@safe final class StageInlet: RowRunSource, @unchecked Sendable {
  // Used by the one thread that merges.

  private static let bufferBytes = 1 << 18

  private let form: RowForm
  private let input: StageInput
  private let buffer: UnsafeMutableRawBufferPointer

  init(_ form: RowForm, _ input: StageInput) {
    self.form = form
    self.input = input
    unsafe buffer = .allocate(byteCount: Self.bufferBytes, alignment: 64)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  var nothing: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: buffer[..<0]) }

  func read(behind held: UnsafeRawBufferPointer) throws(AuditError) -> UnsafeRawBufferPointer {
    unsafe buffer.copyMemory(from: held)
    var filled = held.count
    let base = unsafe buffer.baseAddress.unsafelyUnwrapped
    while try input.nextForm() == form {
      let start = filled + RowRun.lengthBytes
      guard start < Self.bufferBytes,
        let length = unsafe try input.copy(
          form, to: base + start, room: Self.bufferBytes - start)
      else { break }
      unsafe base.storeBytes(of: UInt32(length), toByteOffset: filled, as: UInt32.self)
      filled = start + length
      try input.advance()
    }
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<filled])
  }
}
