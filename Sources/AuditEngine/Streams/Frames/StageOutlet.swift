internal import RowShuffle

/// One form's end of a stage's output: rows with their form in front, long texts behind.
final class StageOutlet: RowOutlet {
  private let form: RowForm
  private let output: FrameWriter
  private let texts: TextStore

  init(_ form: RowForm, _ output: FrameWriter, _ texts: TextStore) {
    self.form = form
    self.output = output
    self.texts = texts
  }

  func take(
    _ count: Int, _ row: (Int) -> UnsafeRawBufferPointer
  ) throws(AuditError) {
    try output.add(count) { (index, bytes) throws(AuditError) in
      unsafe try put(row(index), &bytes)
    }
  }

  private func put(
    _ row: UnsafeRawBufferPointer, _ bytes: inout [UInt8]
  ) throws(AuditError) {
    bytes.append(form.rawValue)
    unsafe bytes.append(contentsOf: row)
    let fields = unsafe try form.check(row, RowBounds(apps: .max, remembers: true))
    try fields.require(fields.rest == 0)
    for place in fields.storedTexts {
      let text = unsafe StoredText(row, at: place)
      bytes += try texts.fetch(text.offset, count: text.byteCount)
    }
  }
}
