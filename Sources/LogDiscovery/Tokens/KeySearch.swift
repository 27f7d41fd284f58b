import AppAttest
import OpenSSL

/// The attested keys of a sample.
struct AttestedKeys {
  private var points: [Digest256: [UInt8]] = [:]

  init(_ tokens: [FoundToken]) {
    for token in tokens {
      guard let attestation = token.attestation, let key = attestation.keyID else { continue }
      points[key] = attestation.publicKey
    }
  }

  var isEmpty: Bool { points.isEmpty }

  func contains(_ key: Digest256) -> Bool { points[key] != nil }

  /// The key to verify signatures with; nil where it is not attested here.
  func publicKey(_ key: Digest256) -> P256PublicKey? {
    points[key].flatMap { P256PublicKey(point: $0) }
  }
}

/// Where lines have their key identifier.
struct KeySearch {
  /// The pointers, the most frequent first; a line has it at one of them.
  private(set) var pointers: [Int] = []
  /// Lines that have 32 bytes at one of the pointers.
  private(set) var lines = 0
  /// Lines on which they are the identifier of the line's own, or of an attested, key.
  private(set) var matches = 0

  /// A further pointer has to hold this share of the lines.
  private static let leastShare = 0.02
  /// A guess has to hold this share of the lines.
  private static let leastGuess = 0.9
  /// The most pointers of a field.
  private static let mostPointers = 4

  /// Looks for texts of 32 bytes that `isKey` knows, the index of the line's token being told too.
  init(
    _ tokens: [FoundToken], _ sample: LogSample, isKey: (Digest256, FoundToken) -> Bool
  ) {
    var matching: [Int: Set<Int>] = [:]
    for (index, token) in tokens.enumerated() {
      for value in sample.lines[token.line].values where value.kind == .string {
        if let digest = Self.digest(value), isKey(digest, token) {
          matching[value.pointer, default: []].insert(index)
        }
      }
    }
    var covered: Set<Int> = []
    let least = max(1, Int(Double(tokens.count) * Self.leastShare))
    while pointers.count < Self.mostPointers,
      let best = matching.min(by: {
        ($1.value.count, $0.key) < ($0.value.count, $1.key)
      }), best.value.count >= least
    {
      pointers.append(best.key)
      covered.formUnion(best.value)
      matching[best.key] = nil
      for pointer in matching.keys { matching[pointer]?.subtract(covered) }
    }
    matches = covered.count
    lines = tokens.count { key(in: sample.lines[$0.line]) != nil }
  }

  /// The key identifier of a line; nil where there is none.
  func key(in line: SampleLine) -> Digest256? {
    for pointer in pointers {
      if let value = line[pointer], value.kind != .null { return Self.digest(value) }
    }
    return nil
  }

  /// Where key identifiers may stand, where no key is attested that could say so: 32 bytes on nearly
  /// every line, under a name that speaks of a key. With it the lines that have them.
  static func guess(_ tokens: [FoundToken], _ sample: LogSample) -> (pointer: Int, lines: Int)? {
    var counts: [Int: Int] = [:]
    for token in tokens {
      for value in sample.lines[token.line].values where digest(value) != nil {
        counts[value.pointer, default: 0] += 1
      }
    }
    return counts.filter { pointer, count in
      Double(count) >= Double(tokens.count) * leastGuess
        && NameWords(sample.pointers.name(pointer)).contains(["key", "kid", "credential"])
    }.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { ($0.key, $0.value) }
  }

  static func digest(_ value: SampleValue) -> Digest256? {
    guard value.kind == .string else { return nil }
    return ValueDecoder.digest(value.text).flatMap { Digest256($0) }
  }
}
