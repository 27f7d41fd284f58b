internal import AppAttest

/// A coder that reads fields, and throws if one is missing or impossible. A row from another
/// process has ``RowBounds``: its texts are passed over, and ``storedTexts`` says where those are
/// that it does not contain.
@safe struct RowDecoder: RowCoder {
  var isReading: Bool { true }
  private let row: UnsafeRawBufferPointer
  private let texts: TextStore?
  /// Whether the row is a ``CodedRow/packed`` one.
  private let isPacked: Bool
  let bounds: RowBounds?
  private(set) var at = 0
  /// The offsets in the row of texts that are kept elsewhere.
  private(set) var storedTexts: [Int] = []

  /// Makes a reader of a row, or of one from another process if it has `bounds`.
  init(
    _ row: UnsafeRawBufferPointer, _ texts: TextStore? = nil, _ bounds: RowBounds? = nil,
    isPacked: Bool = false
  ) {
    unsafe self.row = row
    self.texts = texts
    self.isPacked = isPacked
    self.bounds = bounds
  }

  var rest: Int { unsafe row.count - at }

  /// Whether a field of the row itself follows.
  var hasMore: Bool {
    guard bounds?.hasTextsAfter == true else { return rest > 0 }
    return rest > storedTexts.reduce(0) { unsafe $0 + RowText(stored: row, at: $1).storedLength }
  }

  func require(_ isPossible: Bool) throws(AuditError) {
    guard isPossible else {
      throw AuditError(.inconsistent, "a row is not what was written")
    }
  }

  mutating func skip(_ count: Int) throws(AuditError) {
    try require(count <= rest)
    at += count
  }

  /// Reads some bytes, which are valid as long as the row is.
  mutating func span(_ count: Int) throws(AuditError) -> UnsafeRawBufferPointer {
    try skip(count)
    return unsafe UnsafeRawBufferPointer(rebasing: row[(at - count)..<at])
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: inout Number
  ) throws(AuditError) {
    number = unsafe try span(MemoryLayout<Number>.size).loadUnaligned(as: Number.self)
  }

  mutating func digest(_ digest: inout Digest256) throws(AuditError) {
    digest = unsafe Digest256(
      copying: try span(Digest256.byteCount).baseAddress.unsafelyUnwrapped)
  }

  mutating func bytes(_ bytes: inout [UInt8], count: Int) throws(AuditError) {
    bytes = unsafe Array(try span(count))
  }

  mutating func counted(_ value: inout [UInt8]) throws(AuditError) {
    let count =
      unsafe isPacked
      ? Int(try span(4).loadUnaligned(as: UInt32.self)) : Int(try span(1).load(as: UInt8.self))
    try bytes(&value, count: count)
  }

  mutating func text(_ text: inout String) throws(AuditError) {
    if isPacked {
      var content: [UInt8] = []
      try counted(&content)
      text = String(decoding: content, as: UTF8.self)
    } else {
      let found = try self.text()
      if let texts { text = try found.string(texts) }
    }
  }

  @discardableResult
  mutating func text() throws(AuditError) -> RowText {
    let start = at
    var tag: UInt16 = 0
    try number(&tag)
    switch tag {
    case RowText.absentTag: break
    case RowText.storedTag:
      try skip(RowText.storedBytes - 2)
      if bounds != nil { storedTexts.append(start) }
    case RowText.cutTag:
      var count: UInt16 = 0
      try skip(RowText.cutHeadBytes - 4)
      try number(&count)
      try require((1...RowText.longestCut).contains(Int(count)))
      try skip(Int(count))
    default:
      try require(tag <= TextStore.inlineBytes)
      try skip(Int(tag))
    }
    return unsafe RowText(encoded: UnsafeRawBufferPointer(rebasing: row[start..<at]))
  }

  /// Reads a text that needs no store of its run.
  mutating func wholeText() throws(AuditError) -> RowText {
    let found = try text()
    try require(!found.isStored)
    return found
  }

  /// Reads texts as they are in the row. If they are `whole`, none needs a store of its run.
  @discardableResult
  mutating func rowTexts(whole: Bool = false) throws(AuditError) -> RowTexts {
    let start = at
    var present: UInt8 = 0
    try number(&present)
    try require(present >> RowTexts.count == 0)
    for _ in 0..<present.nonzeroBitCount {
      let found = try text()
      try require(!whole || !found.isStored)
    }
    return unsafe RowTexts(encoded: UnsafeRawBufferPointer(rebasing: row[start..<at]))
  }

  /// Reads fields and leaves them at that.
  mutating func check(_ type: (some CodedRow).Type) throws(AuditError) {
    var row = type.init()
    try row.fields(&self)
  }
}
