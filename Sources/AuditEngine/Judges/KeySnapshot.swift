internal import AppAttest

/// The knowledge of a key from before the first of its events at hand, without its attestations.
struct KeySnapshot: Equatable {
  /// The key's first subject.
  struct Subject: Equatable {
    /// The identity of its text: see ``RowText/identity``.
    var identity: [UInt8]
    /// The record that set it, or nil if a list of known keys did.
    var position: Position?
    /// The time of that record, if it is known.
    var time: Int64?

    var place: EventPlace? { position.map { EventPlace(position: $0, time: time) } }
  }

  var counters = CounterPast()
  var subject: Subject?

  /// Makes a snapshot of a key of which nothing is known.
  init() {}

  /// Makes it from what is kept of the key.
  init(_ key: KeptKey) {
    counters = CounterPast(key)
    subject = key.subject.map {
      Subject(identity: $0.identity, position: $0.position, time: $0.time)
    }
  }

  // MARK: Bytes

  /// The snapshot as ``init(bytes:)`` reads it: numbers little-endian, lists behind their lengths.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
      unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
    func put(_ position: Position?) {
      put(UInt8(position == nil ? 0 : 1))
      put(position?.source ?? 0)
      put(position?.lineItem ?? 0)
    }
    for highs in [counters.highs, counters.stored] {
      put(UInt32(highs.count))
      for high in highs {
        put(high.time)
        put(high.counter)
        put(high.position)
      }
    }
    put(UInt32(counters.seen.count))
    for range in counters.seen {
      put(range.lowerBound)
      put(range.upperBound)
    }
    guard let subject else { return bytes }
    put(subject.position)
    put(UInt8(subject.time == nil ? 0 : 1))
    put(subject.time ?? 0)
    return bytes + subject.identity
  }

  /// Reads what ``bytes`` gave.
  ///
  /// - Throws: `.inconsistent` for anything else.
  init(bytes: [UInt8]) throws(AuditError) {
    var at = 0
    func number<Number: FixedWidthInteger & BitwiseCopyable>(
      _ type: Number.Type = Number.self
    ) throws(AuditError) -> Number {
      let size = MemoryLayout<Number>.size
      guard bytes.count - at >= size else { throw Self.broken }
      defer { at += size }
      var value: Number = 0
      for index in 0..<size {
        value |= Number(truncatingIfNeeded: bytes[at + index]) << (8 * index)
      }
      return value
    }
    func position() throws(AuditError) -> Position? {
      let tag = try number(UInt8.self)
      let position = Position(source: try number(), lineItem: try number())
      return tag == 0 ? nil : position
    }
    func highs() throws(AuditError) -> [KeptKey.High] {
      var highs: [KeptKey.High] = []
      for _ in 0..<(try number(UInt32.self)) {
        let high = KeptKey.High(
          time: try number(), counter: try number(), position: try position())
        guard KeptKey.High.times.contains(high.time) else { throw Self.broken }
        highs.append(high)
      }
      return highs
    }
    counters.highs = try highs()
    counters.stored = try highs()
    for _ in 0..<(try number(UInt32.self)) {
      let (from, to) = (try number(UInt32.self), try number(UInt32.self))
      guard from <= to else { throw Self.broken }
      counters.seen.append(from...to)
    }
    guard at < bytes.count else { return }
    let place = try position()
    let tag = try number(UInt8.self)
    let time = try number(Int64.self)
    subject = Subject(
      identity: Array(bytes[at...]), position: place, time: tag == 0 ? nil : time)
  }

  private static var broken: AuditError {
    AuditError(.inconsistent, "a key's snapshot is not what was written")
  }
}
