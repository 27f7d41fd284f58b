internal import AppAttest

/// The knowledge of a key from before the first of its events at hand, without its attestations.
package struct KeySnapshot: Sendable, Equatable {
  /// The key's first subject.
  package struct Subject: Sendable, Equatable {
    /// The identity of its text: see ``RowText/identity``.
    var identity: [UInt8]
    /// The record that set it, or nil if a list of known keys did.
    var position: Position?
    var time: Int64?

    var place: EventPlace? { position.map { EventPlace(position: $0, time: time) } }
  }

  package var counters = CounterPast()
  var subject: Subject?

  package init() {}
}

extension KeySnapshot: CodedRow {
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try counters.fields(&coder)
    try coder.optional(&subject)
  }
}

extension KeySnapshot.Subject: CodedRow {
  package init() { self.init(identity: []) }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.counted(&identity)
    try coder.optional(&position)
    try coder.optional(&time)
  }
}

extension CounterPast: CodedRow {
  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
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
package struct CounterPast: Sendable, Equatable {
  /// The running highs of the last `reorderTolerance`, and before them the last older one: in the order of time, the
  /// last with the highest counter so far. A list adds others, in any order.
  package var highs: [KeptKey.High] = []
  /// The same for requests that were not rejected, without positions, or empty if not known.
  package var stored: [KeptKey.High] = []
  /// The counters seen, as inclusive ranges in ascending order, apart from each other.
  package var seen: [ClosedRange<UInt32>] = []

  package init() {}

  /// The highest counter that is known, or nil if none is.
  package var last: UInt32? {
    [highs.lazy.map(\.counter).max(), seen.last?.upperBound].compactMap(\.self).max()
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
