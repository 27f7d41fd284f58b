internal import AppAttest
internal import Files
internal import Glibc
internal import RowShuffle
internal import Synchronization

/// The rows of a stage: a stream of which each form is a section, for one thread at a time.
@safe final class StageInput: @unchecked Sendable {
  private let reader: FrameReader
  private let texts: TextStore
  var bounds: RowBounds
  /// The row that comes next, with its form. It is nil before the first and behind the last.
  private var row: UnsafeRawBufferPointer?
  private var form: RowForm?
  private var hasStarted = false
  private var last: [UInt8] = []

  /// Makes the input of a stage. `remembers` is true if the run knows of earlier ones.
  init(_ reader: FrameReader, texts: TextStore, apps: Int, remembers: Bool) {
    self.reader = reader
    self.texts = texts
    bounds = RowBounds(apps: apps, remembers: remembers, hasTextsAfter: true)
  }

  /// Returns the form of the row that comes next, or nil behind the last.
  func nextForm() throws(AuditError) -> RowForm? {
    if !hasStarted { try advance() }
    return form
  }

  /// The row that comes next, without its form; there is one.
  var next: UnsafeRawBufferPointer {
    guard let row = unsafe row else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeRawBufferPointer(rebasing: row[1...])
  }

  func advance() throws(AuditError) {
    hasStarted = true
    if let row = unsafe row {
      last.removeAll(keepingCapacity: true)
      unsafe last.append(contentsOf: row)
    }
    unsafe row = try reader.nextRow()
    form = nil
    guard let row = unsafe row else { return }
    guard let first = unsafe row.first, let form = RowForm(rawValue: first) else {
      throw FrameReader.broken("row \(reader.rowCount) is of no form")
    }
    self.form = form
    try unsafe checkOrder(row, form)
  }

  /// Throws unless a row stands behind the last one.
  private func checkOrder(_ row: UnsafeRawBufferPointer, _ form: RowForm) throws(AuditError) {
    guard !last.isEmpty else { return }
    let order = unsafe last.withUnsafeBytes { last in
      let shared = min(last.count, row.count)
      let order = unsafe memcmp(
        last.baseAddress.unsafelyUnwrapped, row.baseAddress.unsafelyUnwrapped, shared)
      return order == 0 ? Int32(clamping: last.count - row.count) : order
    }
    guard order <= 0 else { throw FrameReader.broken("its rows are not in order") }
    guard order < 0 || form.mayRepeat else { throw FrameReader.broken("a row occurs in it twice") }
    let key = 1 + form.keyLength
    guard !form.hasEqualKeys(remembers: bounds.remembers), last.count >= key, row.count >= key
    else { return }
    let isSame = unsafe last.withUnsafeBytes { last in
      unsafe memcmp(
        last.baseAddress.unsafelyUnwrapped, row.baseAddress.unsafelyUnwrapped, key) == 0
    }
    guard !isSame else { throw FrameReader.broken("a row occurs in it twice") }
  }

  // MARK: Sections

  /// Calls `body` with every row of a form that comes next, without its form.
  func forEach(
    _ wanted: RowForm, _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
  ) throws(AuditError) {
    while try nextForm() == wanted {
      unsafe try body(next)
      try advance()
    }
  }

  /// Passes rows of the forms `passed` on, up to the first of one of the forms `wanted`.
  func pass(_ passed: [RowForm], before wanted: [RowForm], to output: FrameWriter)
    throws(AuditError)
  {
    while let form = try nextForm(), !wanted.contains(form) {
      guard passed.contains(form), let row = unsafe row else {
        throw FrameReader.broken("it contains rows of another stage (\(form))")
      }
      try output.add(1) { _, bytes in unsafe bytes.append(contentsOf: row) }
      try advance()
    }
  }

  func end() throws(AuditError) {
    if let form = try nextForm() {
      throw FrameReader.broken("it contains rows of another stage (\(form))")
    }
  }

  /// Copies the next row, its long texts to the store. Returns its length, or nil if `room` is less.
  func copy(
    _ form: RowForm, to target: UnsafeMutableRawPointer, room: Int
  ) throws(AuditError) -> Int? {
    let bytes = unsafe next
    guard let row = unsafe try? form.check(bytes, bounds), row.at <= RowRun.maximumRowBytes,
      row.rest == 0 || !row.storedTexts.isEmpty
    else {
      throw FrameReader.broken("row \(reader.rowCount) is not as a stage writes it (\(form))")
    }
    let length = row.at
    guard length <= room else { return nil }
    unsafe target.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: length)
    guard !row.storedTexts.isEmpty else { return length }
    var start = length
    for place in row.storedTexts {
      let text = unsafe RowText(stored: bytes, at: place)
      guard text.storedLength <= bytes.count - start else {
        throw FrameReader.broken("a long text does not follow its row")
      }
      let end = start + Int(text.storedLength)
      let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      guard unsafe Digest256.sha256(Span(_unsafeBytes: content)).firstHalf == text.digest.0 else {
        throw FrameReader.broken("a long text is not the one of its row")
      }
      let offset = unsafe try texts.store(content)
      unsafe target.storeBytes(
        of: offset, toByteOffset: place + RowText.offsetPlace, as: UInt64.self)
      start = end
    }
    guard start == bytes.count else {
      throw FrameReader.broken("there are bytes after the texts of a row")
    }
    return length
  }
}
