import AppAttest

/// A search for the counter that the server had stored before a request: an integer one step behind
/// that of the assertion.
enum CounterSearch {
  /// The smallest number of lines that have to agree.
  private static let leastLines = 3
  /// The share of the lines with the value that have to agree.
  private static let leastShare = 0.7

  /// Returns the field `serverCounter` of assertions, or nil if no pointer holds one.
  ///
  /// - Parameter isClients: Returns whether a client writes the value at a pointer.
  static func find(
    _ tokens: [FoundToken], _ sample: LogSample, isClients: (Int) -> Bool
  ) -> FoundField? {
    var present: [Int: Int] = [:]
    var agreeing: [Int: Int] = [:]
    var different: [Int: Set<UInt32>] = [:]
    for token in tokens {
      guard let counter = token.assertion?.assertion.counter else { continue }
      for value in sample.lines[token.line].values where value.isText && value.text.count <= 10 {
        guard value.text.allSatisfy({ (0x30...0x39).contains($0) }),
          let number = UInt32(value.string)
        else { continue }
        present[value.pointer, default: 0] += 1
        if number &+ 1 == counter, counter > 0 {
          agreeing[value.pointer, default: 0] += 1
          different[value.pointer, default: []].insert(number)
        }
      }
    }
    let found = agreeing.filter { pointer, count in
      !isClients(pointer) && count >= leastLines && (different[pointer]?.count ?? 0) >= 2
        && Double(count) >= Double(present[pointer] ?? 0) * leastShare
    }
    guard let (pointer, count) = found.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
      return nil
    }
    return FoundField(
      name: "serverCounter", form: .pointers([pointer]),
      what: "one step behind the assertion's counter", sureness: .certain, lines: count,
      of: present[pointer] ?? count)
  }
}
