internal import Basics

/// The pairs of inputs that might have rows that count: with a common request, or a common beginning.
struct CommonRequests {
  /// The indices of two inputs, the earlier one first.
  struct Pair: Hashable {
    var first: Int
    var second: Int
  }

  let pairs: Set<Pair>

  /// Finds the pairs.
  ///
  /// - Parameters:
  ///   - firstNew: The index of the first input of this run.
  ///   - least: The least number of requests in common, unless the later input repairs a damaged one: a copy has as many
  ///     times.
  init(_ inputs: [ComparedInput], firstNew: Int, least: Int = InputPair.leastTimes) {
    var seen = DigestFilter(count: inputs.reduce(0) { $0 + $1.count })
    var repeated = seen
    for input in inputs {
      for digest in input.table.digests where digest.isRequest && !seen.insert(digest.content) {
        _ = repeated.insert(digest.content)
      }
    }
    var places: [(content: UInt64, input: Int, line: Int)] = []
    for (index, input) in inputs.enumerated() {
      for (line, digest) in input.table.digests.enumerated()
      where digest.isRequest && repeated.contains(digest.content) {
        places.append((digest.content, index, line))
      }
    }
    places.sort { $0 < $1 }
    var common: [Pair: Int] = [:]
    var start = 0
    while start < places.count {
      var group: [(input: Int, line: Int)] = []
      let content = places[start].content
      while start < places.count, places[start].content == content {
        let (_, input, line) = places[start]
        if group.last?.input != input { group.append((input, line)) }
        start += 1
      }
      for (place, second) in group.enumerated() where second.input >= firstNew {
        let times = inputs[second.input].table.times(second.line..<(second.line + 1))
        // Of a request that very many inputs have, an earlier one and the nearest are enough.
        let others = group[..<place]
        for first in others.prefix(Self.mostInputs) + others.dropFirst(Self.mostInputs).suffix(1) {
          common[Pair(first: first.input, second: second.input), default: 0] += max(1, times.count)
        }
      }
    }
    let alike = Self.alike(inputs, firstNew: firstNew)
    pairs = alike.union(common.keys).filter { pair in
      let first = inputs[pair.first]
      return alike.contains(pair) || common[pair] ?? 0 >= least
        || first.isEarlier && first.damage.isDamaged
    }
  }

  /// The largest number of inputs with a request that each later one is compared with because of it.
  private static let mostInputs = 64

  /// Returns the pairs of which the later input begins with all of the earlier one, but for a last line without an end.
  private static func alike(_ inputs: [ComparedInput], firstNew: Int) -> Set<Pair> {
    var byFront: [UInt64: [Int]] = [:]
    var pairs: Set<Pair> = []
    for (index, input) in inputs.enumerated() where input.count > 0 {
      let front = input.content(0)
      if index >= firstNew {
        for other in byFront[front] ?? [] where begins(input, with: inputs[other]) {
          pairs.insert(Pair(first: other, second: index))
        }
      }
      byFront[front, default: []].append(index)
    }
    return pairs
  }

  private static func begins(_ input: ComparedInput, with other: ComparedInput) -> Bool {
    let count = other.count - (other.damage.openBytes > 0 ? 1 : 0)
    guard other.isEarlier ? input.count >= count : input.count == other.count else { return false }
    return (0..<count).allSatisfy { input.content($0) == other.content($0) }
  }
}

/// A Bloom filter of digests. It needs only one function, since a digest is as good as random.
struct DigestFilter {
  private var words: [UInt64]
  private let shift: UInt64

  /// Makes a filter for so many digests: one in 16 others is taken for one of them.
  init(count: Int) {
    let bits = max(10, min(36, Int.bitWidth - max(1, count * 16 - 1).leadingZeroBitCount))
    words = [UInt64](repeating: 0, count: 1 << (bits - 6))
    shift = UInt64(64 - bits)
  }

  /// Inserts a digest, and returns whether it was not there.
  mutating func insert(_ digest: UInt64) -> Bool {
    let bit = digest >> shift
    let isNew = words[Int(bit >> 6)] & 1 << (bit & 63) == 0
    words[Int(bit >> 6)] |= 1 << (bit & 63)
    return isNew
  }

  func contains(_ digest: UInt64) -> Bool {
    let bit = digest >> shift
    return words[Int(bit >> 6)] & 1 << (bit & 63) != 0
  }
}

/// The requests of some tables: which other requests are equal to one of them.
struct RequestFilter {
  private let tables: [LineTable]
  private var filter: DigestFilter
  private var isEmpty = true
  private var span: ClosedRange<Int64>?

  init(_ tables: [LineTable]) {
    self.tables = tables
    filter = DigestFilter(count: tables.reduce(0) { $0 + $1.count })
    for table in tables {
      for digest in table.digests where digest.isRequest {
        _ = filter.insert(digest.content)
        isEmpty = false
      }
      if let other = table.span { span = span?.joined(other) ?? other }
    }
  }

  /// Returns whether some request might have a time of a range: every time, if no time was read.
  func mayBe(in times: ClosedRange<Int64>) -> Bool {
    !isEmpty && span?.overlaps(times) ?? true
  }

  /// Returns whether a request of a table might be equal to this one; of others, one in 16 might.
  func mayContain(_ digest: LineDigest) -> Bool { filter.contains(digest.content) }

  /// Returns those of the contents that requests of the tables have.
  func common(_ contents: [UInt64]) -> Set<UInt64> {
    guard !contents.isEmpty else { return [] }
    let asked = Set(contents)
    var askedFilter = DigestFilter(count: asked.count)
    for content in asked { _ = askedFilter.insert(content) }
    var common: Set<UInt64> = []
    for table in tables {
      for digest in table.digests
      where digest.isRequest && askedFilter.contains(digest.content)
        && asked.contains(digest.content)
      {
        common.insert(digest.content)
      }
    }
    return common
  }
}
