internal import AppAttest

/// The knowledge of a key from before the first of its events at hand, without its attestations.
struct KeySnapshot: Equatable {
  /// The key's first subject.
  struct Subject: Equatable {
    /// The identity of its text: see ``RowText/identity``.
    var identity: [UInt8] = []
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

  init(_ key: KeptKey) {
    counters = CounterPast(key)
    subject = key.subject.map {
      Subject(identity: $0.identity, position: $0.position, time: $0.time)
    }
  }
}

extension KeySnapshot: CodedRow {
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try counters.fields(&coder)
    try coder.optional(&subject)
  }
}

extension KeySnapshot.Subject: CodedRow {
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.counted(&identity)
    try coder.optional(&position)
    try coder.optional(&time)
  }
}

extension CounterPast: CodedRow {
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.list(&highs)
    try coder.list(&stored)
    try coder.list(&seen)
  }
}

extension KeptKey.High: CodedRow {
  package init() { self.init(time: 0, counter: 0) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.number(&time)
    try coder.require(Self.times.contains(time))
    try coder.number(&counter)
    try coder.optional(&position)
  }
}

extension ClosedRange<UInt32>: CodedRow {
  package init() { self = 0...0 }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (from, to) = (lowerBound, upperBound)
    try coder.number(&from)
    try coder.number(&to)
    try coder.require(from <= to)
    self = from...Swift.max(from, to)
  }
}

/// The knowledge of a key's counters from before the events at hand.
struct CounterPast: Equatable {
  /// Counters that were reached, in any order.
  var highs: [KeptKey.High] = []
  /// Counters that the server may have stored, likewise.
  var stored: [KeptKey.High] = []
  /// The counters seen.
  var seen: [ClosedRange<UInt32>] = []

  /// Makes a past of which nothing is known before the first event.
  init() {}

  init(_ key: KeptKey) {
    // Times that no record can have would overflow where they are compared.
    highs = key.highs.filter { KeptKey.High.times.contains($0.time) }
    stored = key.stored.filter { KeptKey.High.times.contains($0.time) }
    seen = key.seen
  }

  /// Takes a list's word for the counter reached by a time, if it is higher than what is known.
  mutating func take(lastCounter: UInt32, at time: Int64 = KeptKey.High.beforeAll) {
    guard highs.allSatisfy({ $0.counter < lastCounter }), KeptKey.High.times.contains(time) else {
      return
    }
    let high = KeptKey.High(time: time, counter: lastCounter)
    highs.append(high)
    if !stored.isEmpty { stored.append(high) }
    seen.append(lastCounter...lastCounter)
  }
}
