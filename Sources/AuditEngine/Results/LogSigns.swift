internal import AppAttest
package import AuditLog

/// A sign of a line, record or input for findings or blind spots (`reports.R66`, `R77`).
enum LogSign: UInt8, CaseIterable, Sendable {
  /// A line that ends early. The value is its length.
  case endsEarly
  case nullRecord, tokenless, part
  case record
  /// A wrong signature or nonce over client data. The value is the length of the data.
  case misfit
  case lossy, identical, ambiguousTime
  /// An expected input. The value is the number of its lines that arrived.
  case missingInput
  /// A verified token with a category.
  case category

  /// Makes the sign that a finding is, or nil if it is none.
  init?(_ code: FindingCode) {
    switch code {
    case .recordClientDataLossy: self = .lossy
    case .streamMissing: self = .missingInput
    default: return nil
    }
  }
}

/// The signs of a run's log by input. Sums do not depend on their order. Memory: ``inputLimit``
/// inputs, and for each sign of an input ``valueLimit`` values.
package struct LogSigns: Sendable, Equatable {
  /// The number of inputs that are told apart; all further ones, and those of earlier runs, are counted together.
  private static let inputLimit: UInt32 = 10_000
  /// The number of values that are told apart, the largest ones.
  static let valueLimit = 256
  /// The source that stands for all that are not told apart.
  static let others = UInt32.max

  /// How often a sign was met in an input.
  struct Count: Sendable, Equatable {
    fileprivate(set) var total: UInt64 = 0
    /// The first line and item (``Position/lineItem``).
    fileprivate(set) var first = UInt64.max
    fileprivate(set) var values: [UInt64: Count] = [:]

    fileprivate mutating func add(_ other: Count) {
      total += other.total
      first = min(first, other.first)
      for (value, count) in other.values {
        values[value, default: Count()].add(count)
        if values.count > LogSigns.valueLimit, let least = values.keys.min() { values[least] = nil }
      }
    }
  }

  private struct Place: Hashable, Comparable {
    var sign: LogSign
    var source: UInt32

    static func < (left: Place, right: Place) -> Bool {
      (left.sign.rawValue, left.source) < (right.sign.rawValue, right.source)
    }
  }

  private let first: UInt32
  private var counts: [Place: Count] = [:]
  /// The signs that were met, a bit each.
  private var met: UInt32 = 0
  /// The length of the longest client data over which a signature or nonce is right, by input.
  private var longest: [UInt32: UInt64] = [:]

  /// Makes no signs; `first` is the number of the run's first source.
  package init(first: UInt32 = 0) { self.first = first }

  package static func == (left: LogSigns, right: LogSigns) -> Bool {
    left.counts == right.counts && left.longest == right.longest
  }

  /// Adds a sign, or `count` of them.
  mutating func add(_ sign: LogSign, at position: Position, value: UInt64? = nil, count: UInt64 = 1)
  {
    let place = Place(sign: sign, source: input(position.source))
    met |= 1 << sign.rawValue
    var added = Count(total: count, first: position.lineItem)
    if let value { added.values[value] = added }
    counts[place, default: Count()].add(added)
  }

  /// Adds the signs of a text without a record. `length` is that of the text, in bytes.
  package mutating func add(_ signs: LineSigns, at position: Position, length: Int) {
    if signs.contains(.endsEarly) { add(.endsEarly, at: position, value: UInt64(length)) }
    if signs.contains(.nullRecord) { add(.nullRecord, at: position) }
    if signs.contains(.tokenless) { add(.tokenless, at: position) }
    if signs.contains(.part) { add(.part, at: position) }
  }

  package mutating func add(_ record: Record, at position: Position) {
    add(.record, at: position)
    if record.ambiguity != 0 { add(.ambiguousTime, at: position) }
  }

  /// Adds client data of a length over which a signature or nonce is right.
  mutating func add(verified length: UInt64, of source: UInt32) {
    let source = input(source)
    guard length > longest[source, default: 0] else { return }
    longest[source] = length
  }

  private func input(_ source: UInt32) -> UInt32 {
    source >= first && source - first < Self.inputLimit ? source : Self.others
  }

  static func += (sum: inout LogSigns, other: LogSigns) {
    for (place, count) in other.counts { sum.counts[place, default: Count()].add(count) }
    sum.met |= other.met
    sum.longest.merge(other.longest) { max($0, $1) }
  }

  func has(_ sign: LogSign) -> Bool { met & 1 << sign.rawValue != 0 }

  func has(_ sign: LogSign, in source: UInt32) -> Bool {
    counts[Place(sign: sign, source: source)] != nil
  }

  /// Returns the inputs with a sign in the order of their numbers.
  func inputs(_ sign: LogSign) -> [(source: UInt32, count: Count)] {
    counts.filter { $0.key.sign == sign }.sorted { $0.key < $1.key }
      .map { ($0.key.source, $0.value) }
  }

  /// Returns the length of the longest client data of an input over which a signature or nonce is right.
  func longest(of source: UInt32) -> UInt64 { longest[source, default: 0] }

  // MARK: Streams

  /// A sign of an input, as a row of a stream has it.
  private struct Entry: CodedRow {
    var sign = LogSign.record
    var source: UInt32 = 0
    var count = Count()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.value(&sign)
      try coder.number(&source)
      try coder.count(&count.total)
      try coder.number(&count.first)
      // Each value, how often it was met, and where first.
      var numbers = count.values.sorted { $0.key < $1.key }
        .flatMap { [$0.key, $0.value.total, $0.value.first] }
      try coder.numbers(&numbers)
      try coder.require(numbers.count.isMultiple(of: 3) && numbers.count <= 3 * LogSigns.valueLimit)
      let values = stride(from: 0, to: numbers.count, by: 3).map {
        (numbers[$0], Count(total: numbers[$0 + 1], first: numbers[$0 + 2]))
      }
      try coder.require(values.allSatisfy { $1.total <= RowBounds.mostCounted })
      count.values = Dictionary(values) { $1 }
    }
  }

  /// Codes a part of a row of a stream.
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var entries = counts.sorted { $0.key < $1.key }
      .map { Entry(sign: $0.key.sign, source: $0.key.source, count: $0.value) }
    var lengths = longest.sorted { $0.key < $1.key }.flatMap { [UInt64($0.key), $0.value] }
    try coder.list(&entries)
    try coder.numbers(&lengths)
    try coder.require(lengths.count.isMultiple(of: 2))
    guard coder.isReading else { return }
    (counts, met, longest) = ([:], 0, [:])
    for entry in entries {
      met |= 1 << entry.sign.rawValue
      counts[Place(sign: entry.sign, source: entry.source), default: Count()].add(entry.count)
    }
    for place in stride(from: 0, to: lengths.count, by: 2) {
      longest[UInt32(truncatingIfNeeded: lengths[place])] = lengths[place + 1]
    }
  }
}
