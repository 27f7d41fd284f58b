package import AppAttest
internal import AuditLog

/// A row with one list of its fields, along which coders write, read and check it.
package protocol CodedRow {
  /// Makes a row without content, to be read into.
  init()
  /// Codes the fields in their order.
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError)
  // Each conformance has these made for its fields, whichever module calls them.
  /// The fields one after the other, texts included.
  var packed: [UInt8] { get }
  /// Reads what ``packed`` wrote, or gives nil for any other bytes.
  init?(packed bytes: [UInt8])
}

/// A walk along the fields of a row. Numbers are in the machine's order; a `key` sorts as bytes.
package protocol RowCoder {
  /// Whether the fields get their values from the row. A coder that writes leaves them as they are.
  var isReading: Bool { get }
  /// The bounds of what a row from another process may name, or nil for a row of this process.
  var bounds: RowBounds? { get }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: inout Number
  ) throws(AuditError)
  /// Codes whether the field that follows is there: 1 byte.
  mutating func presence(_ isThere: inout Bool) throws(AuditError)
  mutating func digest(_ digest: inout Digest256) throws(AuditError)
  /// Codes bytes whose number the row has elsewhere.
  mutating func bytes(_ bytes: inout [UInt8], count: Int) throws(AuditError)
  /// Codes bytes after their number.
  mutating func counted(_ bytes: inout [UInt8]) throws(AuditError)
  mutating func position(_ position: inout Position) throws(AuditError)
  mutating func optional(_ position: inout Position?) throws(AuditError)
  /// Codes a case of 1 byte, which is 255 if there is none.
  mutating func value<Value: RawRepresentable>(
    _ value: inout Value?
  ) throws(AuditError) where Value.RawValue == UInt8
  /// Codes the fields of a part after 1 byte that says whether it is there.
  mutating func optional<Part: CodedRow>(_ part: inout Part?) throws(AuditError)
  /// Codes a text as ``RowText``.
  mutating func text(_ text: inout String) throws(AuditError)
  /// Fails if a value that was read is impossible.
  mutating func require(_ isPossible: Bool) throws(AuditError)
}

/// The bounds of what a row from another process may name.
package struct RowBounds {
  /// The times that records have, in milliseconds: far more than any date.
  static let times: ClosedRange<Int64> = (-1 << 52)...(1 << 52)
  /// A number up to which sums of counts cannot overflow.
  static let mostCounted: UInt64 = 1 << 48

  var apps = 0
  /// The number of sources, or nil if it is not known here.
  var sources: Int?
  /// Whether the run knows of earlier ones, whose events may be among the rows.
  var remembers = false
  /// Whether the long texts of a row come after it.
  var hasTextsAfter = false
}

/// Calls `body` with coders that cannot fail.
@inline(__always)
package func withoutFailure<Result>(_ body: () throws(AuditError) -> Result) -> Result {
  do throws(AuditError) { return try body() } catch { preconditionFailure(error.context) }
}

// MARK: Fields

extension RowCoder {
  package var bounds: RowBounds? { nil }

  package mutating func text(_ text: inout String) throws(AuditError) {
    preconditionFailure("these fields have no texts")
  }

  package mutating func require(_ isPossible: Bool) throws(AuditError) {}

  package mutating func flag(_ flag: inout Bool) throws(AuditError) {
    var byte: UInt8 = flag ? 1 : 0
    try number(&byte)
    try require(byte <= 1)
    flag = byte != 0
  }

  package mutating func presence(_ isThere: inout Bool) throws(AuditError) { try flag(&isThere) }

  /// Codes a value where it is there, else reads none; `none` is any value.
  @inline(__always)
  private mutating func optional<Value>(
    _ value: inout Value?, _ none: Value,
    _ code: (inout Self, inout Value) throws(AuditError) -> Void
  ) throws(AuditError) {
    var isThere = value != nil
    try presence(&isThere)
    var some = value ?? none
    if isThere { try code(&self, &some) }
    value = isThere ? some : nil
  }

  package mutating func optional<Number: FixedWidthInteger & BitwiseCopyable>(
    _ value: inout Number?
  ) throws(AuditError) {
    try optional(&value, 0) { (coder, some) throws(AuditError) in try coder.number(&some) }
  }

  package mutating func optional(_ value: inout Digest256?) throws(AuditError) {
    try optional(&value, Digest256()) { (coder, some) throws(AuditError) in
      try coder.digest(&some)
    }
  }

  package mutating func optional(_ value: inout String?) throws(AuditError) {
    try optional(&value, "") { (coder, some) throws(AuditError) in try coder.text(&some) }
  }

  package mutating func optional(_ value: inout Position?) throws(AuditError) {
    try optional(&value, Position(source: 0, lineItem: 0)) { (coder, some) throws(AuditError) in
      try coder.position(&some)
    }
  }

  package mutating func position(_ position: inout Position) throws(AuditError) {
    try number(&position.source)
    try number(&position.lineItem)
    try check(position)
  }

  package mutating func counted(_ value: inout [UInt8]) throws(AuditError) {
    var count = UInt8(truncatingIfNeeded: value.count)
    try number(&count)
    try bytes(&value, count: Int(count))
  }

  /// Codes numbers of 8 bytes after the number of their bytes.
  package mutating func numbers(_ numbers: inout [UInt64]) throws(AuditError) {
    var bytes: [UInt8] = []
    if !isReading {
      bytes = unsafe numbers.map { $0.bigEndian }.withUnsafeBytes { unsafe Array($0) }
    }
    try counted(&bytes)
    guard isReading else { return }
    try require(bytes.count.isMultiple(of: 8))
    numbers = unsafe bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count & ~7, by: 8).map { start in
        unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      }
    }
  }

  /// Codes the fields of a part that a row has only if `isThere`.
  package mutating func some<Part: CodedRow>(_ part: inout Part?, if isThere: Bool)
    throws(AuditError)
  {
    guard isThere else { return }
    var some = part ?? Part()
    try some.fields(&self)
    part = some
  }

  package mutating func optional<Part: CodedRow>(_ part: inout Part?) throws(AuditError) {
    var isThere = part != nil
    try flag(&isThere)
    try some(&part, if: isThere)
  }

  /// Codes a list after its length of 4 bytes.
  package mutating func list<Element: CodedRow>(_ list: inout [Element]) throws(AuditError) {
    var count = UInt32(list.count)
    try number(&count)
    // What a row says of its length is believed element by element.
    if isReading { list = [] }
    for index in 0..<Int(count) {
      var element = isReading ? Element() : list[index]
      try element.fields(&self)
      if isReading { list.append(element) }
    }
  }

  @inline(__always)
  package mutating func value<Value: RawRepresentable>(
    _ value: inout Value
  ) throws(AuditError) where Value.RawValue == UInt8 {
    var byte = value.rawValue
    try number(&byte)
    guard isReading else { return }
    let found = Value(rawValue: byte)
    try require(found != nil)
    value = found ?? value
  }

  package mutating func value<Value: RawRepresentable>(
    _ value: inout Value?
  ) throws(AuditError) where Value.RawValue == UInt8 {
    var byte = value?.rawValue ?? .max
    try number(&byte)
    guard isReading else { return }
    value = Value(rawValue: byte)
    try require(value != nil || byte == .max)
  }

  /// Codes a case after 1 byte that says whether it is there.
  package mutating func optional<Value: RawRepresentable>(
    _ value: inout Value?
  ) throws(AuditError) where Value.RawValue: FixedWidthInteger & BitwiseCopyable {
    var number = value?.rawValue
    try optional(&number)
    guard isReading else { return }
    value = number.flatMap(Value.init(rawValue:))
    try require(number == nil || value != nil)
  }

  package mutating func time(_ time: inout Int64) throws(AuditError) {
    try number(&time)
    try check(time: time)
  }

  package mutating func optional(time: inout Int64?) throws(AuditError) {
    try optional(&time)
    try check(time: time ?? 0)
  }

  /// Codes a number of things counted.
  package mutating func count(_ count: inout UInt64) throws(AuditError) {
    try number(&count)
    if bounds != nil { try require(count <= RowBounds.mostCounted) }
  }

  /// Codes a number that is small nearly always: 1 byte, or 255 and 8 bytes.
  package mutating func smallCount(_ count: inout UInt64) throws(AuditError) {
    var byte = UInt8(exactly: count) ?? .max
    try number(&byte)
    if byte < .max { count = UInt64(byte) } else { try self.count(&count) }
  }

  @inline(__always)
  mutating func codes(_ codes: inout CodeSet) throws(AuditError) {
    try number(&codes.bits)
    try require(codes.bits >> UInt64(FindingCode.allCases.count) == 0)
  }

  package mutating func codes(_ codes: inout [FindingCode]) throws(AuditError) {
    var set = CodeSet(codes)
    try self.codes(&set)
    if isReading { codes = set.codes }
  }

  /// Codes the index of a configured app, or none.
  package mutating func app(_ app: inout UInt16) throws(AuditError) {
    try number(&app)
    if let bounds { try require(Int(app) < bounds.apps || app == EventRow.noApp) }
  }

  @inline(__always)
  package mutating func digest(_ digest: inout Digest128) throws(AuditError) {
    var (high, low) = digest.words
    try key(&high)
    try key(&low)
    digest = Digest128(high, low)
  }

  // MARK: Keys

  @inline(__always)
  package mutating func key<Number: FixedWidthInteger & BitwiseCopyable>(
    _ value: inout Number
  ) throws(AuditError) {
    var big = value.bigEndian
    try number(&big)
    value = Number(bigEndian: big)
  }

  /// Codes a time, which is signed, in the order of bytes.
  package mutating func key(time: inout Int64) throws(AuditError) {
    var bits = UInt64(bitPattern: time) ^ 1 << 63
    try key(&bits)
    time = Int64(bitPattern: bits ^ 1 << 63)
    try check(time: time)
  }

  @inline(__always)
  package mutating func key(_ position: inout Position) throws(AuditError) {
    try key(&position.source)
    try key(&position.lineItem)
    try check(position)
  }

  private mutating func check(_ position: Position) throws(AuditError) {
    if let sources = bounds?.sources { try require(position.source < sources) }
  }

  private mutating func check(time: Int64) throws(AuditError) {
    if bounds != nil { try require(RowBounds.times.contains(time)) }
  }
}
