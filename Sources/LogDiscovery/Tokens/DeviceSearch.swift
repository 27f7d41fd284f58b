import AppAttest

/// A search for the value by which assertions without a key identifier name the attestation they
/// belong to: a text that occurs in both. A signature that is valid under the attestation's key
/// decides.
struct DeviceSearch {
  /// A pointer in attestations, and one in assertions.
  struct Pair: Hashable {
    var attestation: Int
    var assertion: Int
  }

  /// A key that an assertion may belong to.
  struct Candidate {
    var pair: Pair
    var key: Digest256
  }

  /// The length of the longest text that names a device, in bytes.
  private static let textLimit = 128
  /// The largest number of keys that occur with the name of a device.
  private static let keyLimit = 4
  /// The largest number of values of an attestation's line that are examined.
  private static let valueLimit = 64
  /// The largest number of candidates of a line.
  private static let candidateLimit = 8

  private var keys: [ArraySlice<UInt8>: [(pointer: Int, key: Digest256)]] = [:]
  /// The number of signatures that were valid by each pair.
  private(set) var hits: [Pair: Int] = [:]

  init(_ attestations: [FoundToken], _ sample: LogSample, excluding: Set<Int>) {
    for token in attestations {
      guard let key = token.attestation?.keyID else { continue }
      for value in sample.lines[token.line].values.prefix(Self.valueLimit)
      where value.isText && !excluding.contains(value.pointer)
        && (1...Self.textLimit).contains(value.text.count)
      {
        let known = keys[value.text, default: []]
        if known.count <= Self.keyLimit,
          !known.contains(where: { $0.pointer == value.pointer && $0.key == key })
        {
          keys[value.text, default: []].append((value.pointer, key))
        }
      }
    }
  }

  /// Returns the keys that a line may belong to. Those by pairs that were valid before come first,
  /// then those by texts that occur with the fewest keys.
  func candidates(_ line: SampleLine) -> [Candidate] {
    let found = line.values.flatMap { value -> [(candidate: Candidate, keys: Int)] in
      guard value.isText, let known = keys[value.text], known.count <= Self.keyLimit else {
        return []
      }
      return known.map {
        let pair = Pair(attestation: $0.pointer, assertion: value.pointer)
        return (Candidate(pair: pair, key: $0.key), known.count)
      }
    }
    return found.sorted { left, right in
      (hits[right.candidate.pair, default: 0], left.keys)
        < (hits[left.candidate.pair, default: 0], right.keys)
    }.prefix(Self.candidateLimit).map(\.candidate)
  }

  mutating func credit(_ pair: Pair) {
    hits[pair, default: 0] += 1
  }

  /// Returns the pair that was valid most often. Of several it returns the one whose name refers to
  /// a device.
  func best(_ pointers: PointerTable) -> Pair? {
    hits.max { left, right in
      (left.value, Self.rank(left.key, pointers), right.key.attestation, right.key.assertion)
        < (right.value, Self.rank(right.key, pointers), left.key.attestation, left.key.assertion)
    }?.key
  }

  private static func rank(_ pair: Pair, _ pointers: PointerTable) -> Int {
    let name = NameWords(pointers.name(pair.assertion))
    return (name.contains(["device", "install", "client"]) ? 4 : 0)
      + (name.contains(["user", "account", "subject", "session"]) ? -2 : 0)
      + (pair.assertion == pair.attestation ? 1 : 0)
  }
}
