/// Values by key, of which at most so many are held. Keys that come when it is full are counted.
struct Top<Key: Hashable, Value> {
  private let limit: Int
  private(set) var values: [Key: Value] = [:]
  private(set) var others: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  subscript(key: Key) -> Value? { values[key] }

  /// Changes the value of a key, beginning with `new`.
  mutating func update(
    _ key: Key, from new: @autoclosure () -> Value, _ body: (inout Value) -> Void
  ) {
    guard values.count < limit || values[key] != nil else {
      others += 1
      return
    }
    body(&values[key, default: new()])
  }

  func first(
    _ count: Int, by precedes: ((key: Key, value: Value), (key: Key, value: Value)) -> Bool
  ) -> [(key: Key, value: Value)] {
    Array(values.map { ($0.key, $0.value) }.sorted(by: precedes).prefix(count))
  }
}

extension Top: Sendable where Key: Sendable, Value: Sendable {}
