internal import RowShuffle

/// One form's rows of a stage's input, as a sorted run.
final class StageInlet: RowRunSource, @unchecked Sendable {
  // Used by the one thread that merges.

  let bufferBytes = 1 << 18
  private let form: RowForm
  private let input: StageInput

  init(_ form: RowForm, _ input: StageInput) {
    self.form = form
    self.input = input
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AuditError) -> Int {
    var filled = 0
    let base = unsafe buffer.baseAddress.unsafelyUnwrapped
    while try input.nextForm() == form {
      let start = filled + RowRun.lengthBytes
      guard start < buffer.count,
        let length = unsafe try input.copy(form, to: base + start, room: buffer.count - start)
      else { break }
      unsafe base.storeBytes(of: UInt32(length), toByteOffset: filled, as: UInt32.self)
      filled = start + length
      try input.advance()
    }
    return filled
  }
}
