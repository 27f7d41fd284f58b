internal import AppAttest
internal import AuditLog

/// A walk along the fields of a row that another process wrote: are they all there, and what they
/// say possible? Every field is checked before it is read.
@safe struct RowWalk {
  /// The bounds of what a row may name.
  struct Bounds {
    /// The number of configured apps.
    var apps: Int
    /// The number of sources, or nil if it is not known here.
    var sources: Int?
    /// Whether the run knows of earlier ones, whose events may be among the rows.
    var remembers = false
    /// Whether the long texts of a row stand behind it.
    var hasTextsBehind = false
  }

  /// The times that records have, in milliseconds: far more than any date.
  private static let times: ClosedRange<Int64> = (-1 << 52)...(1 << 52)
  /// A number up to which sums of counts cannot overflow.
  private static let mostCounted: UInt64 = 1 << 48

  private let row: UnsafeRawBufferPointer
  let bounds: Bounds
  /// The bytes walked along.
  private(set) var at = 0
  /// The offsets in the row of texts that are kept elsewhere, or behind the row.
  private(set) var storedTexts: [Int] = []
  /// False once a field was missing or impossible.
  private(set) var isSound = true

  init(_ row: UnsafeRawBufferPointer, _ bounds: Bounds) {
    unsafe self.row = row
    self.bounds = bounds
  }

  /// Whether a field of the row itself follows.
  var hasMore: Bool { rest > (bounds.hasTextsBehind ? storedBytes : 0) }

  /// The bytes of the long texts of the fields so far.
  private var storedBytes: Int {
    guard isSound else { return 0 }
    return storedTexts.reduce(0) { unsafe $0 + StoredText(row, at: $1).keptBytes }
  }

  /// The bytes behind the fields so far.
  var rest: Int { unsafe row.count - at }

  mutating func require(_ condition: Bool) {
    if !condition { isSound = false }
  }

  mutating func skip(_ count: Int) {
    guard count <= rest else {
      isSound = false
      at = unsafe row.count
      return
    }
    at += count
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) -> Number {
    let start = at
    skip(MemoryLayout<Number>.size)
    guard isSound else { return 0 }
    return unsafe row.loadUnaligned(fromByteOffset: start, as: Number.self)
  }

  /// Walks along some bytes and returns them, or no bytes if the row has fewer.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    let start = at
    skip(count)
    return unsafe UnsafeRawBufferPointer(rebasing: row[(isSound ? start : at)..<at])
  }

  /// Walks along a digest and returns it; zeroes where it is not there.
  mutating func digest() -> Digest256 {
    let bytes = unsafe bytes(Digest256.byteCount)
    guard isSound, let base = bytes.baseAddress else { return Digest256() }
    return unsafe Digest256(copying: base)
  }

  mutating func text() {
    let start = at
    switch number(UInt16.self) {
    case RowText.absentTag: break
    case RowText.storedTag:
      skip(RowText.storedBytes - 2)
      storedTexts.append(start)
    case let length:
      require(length <= TextStore.inlineBytes)
      skip(Int(length))
    }
  }

  /// Walks along ``RowTexts``.
  mutating func texts() {
    let present = number(UInt8.self)
    require(present >> RowTexts.count == 0)
    for bit in 0..<RowTexts.count where present & 1 << bit != 0 { text() }
  }

  // MARK: Fields of several forms

  /// Walks along an optional field of that many bytes.
  mutating func optional(_ count: Int) {
    if number(UInt8.self) != 0 { skip(count) }
  }

  /// Walks along a time of the key.
  mutating func bigTime() {
    let time = Int64(bitPattern: UInt64(bigEndian: number()) ^ 1 << 63)
    require(Self.times.contains(time))
  }

  mutating func time() { require(Self.times.contains(number(Int64.self))) }

  mutating func optionalTime() {
    if number(UInt8.self) != 0 { time() }
  }

  /// Walks along a position of the key.
  mutating func bigPosition() {
    check(source: UInt32(bigEndian: number()))
    skip(8)
  }

  mutating func optionalPosition() {
    guard number(UInt8.self) != 0 else { return }
    check(source: number())
    skip(8)
  }

  private mutating func check(source: UInt32) {
    if let sources = bounds.sources { require(source < sources) }
  }

  mutating func app(orNone isOptional: Bool = true) {
    let app = number(UInt16.self)
    require(Int(app) < bounds.apps || (isOptional && app == EventRow.noApp))
  }

  mutating func codes() {
    let codes = number(UInt64.self)
    require(codes >> UInt64(FindingCode.allCases.count) == 0)
  }

  /// Walks along a number of things counted and returns it.
  @discardableResult
  mutating func count() -> UInt64 {
    let count = number(UInt64.self)
    require(count <= Self.mostCounted)
    return isSound ? count : 0
  }

  /// Walks along a number of things counted, which is small nearly always.
  mutating func smallCount() {
    if number(UInt8.self) == RowCursor.largeCount { count() }
  }

  mutating func value<Value: RawRepresentable>(
    of type: Value.Type, orNone: Bool = false
  ) where Value.RawValue == UInt8 {
    let raw = number(UInt8.self)
    require(Value(rawValue: raw) != nil || (orNone && raw == .max))
  }

  /// Walks along bytes behind their number.
  mutating func countedBytes() { skip(Int(number(UInt8.self))) }
}
