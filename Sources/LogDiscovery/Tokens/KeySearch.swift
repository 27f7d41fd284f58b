import AppAttest
import AuditLog
import OpenSSL

/// The attested keys of a sample, and those of a list.
struct AttestedKeys {
  private var points: [Digest256: [UInt8]]

  init(_ tokens: [FoundToken], known: [Digest256: [UInt8]]) {
    points = known
    for attestation in tokens.lazy.compactMap(\.attestation) {
      if let key = attestation.keyID { points[key] = attestation.publicKey }
    }
  }

  var isEmpty: Bool { points.isEmpty }

  func contains(_ key: Digest256) -> Bool { points[key] != nil }

  /// Returns the key to verify signatures with, or nil if it is not attested here.
  func publicKey(_ key: Digest256) -> P256PublicKey? {
    points[key].flatMap { P256PublicKey(point: $0) }
  }
}

/// The pointers at which lines have their key identifier.
struct KeySearch {
  /// The pointers, the most frequent first. A line has the identifier at one of them.
  private(set) var pointers: [Int] = []
  /// The number of lines on which they are the identifier of the line's own key, or of an attested
  /// one.
  private(set) var matches = 0

  /// The share of the lines that a further pointer has to hold.
  private static let leastShare = 0.02
  /// The share of the lines that a guess has to hold.
  private static let leastGuess = 0.9
  /// The largest number of pointers of a field.
  private static let mostPointers = 4
  /// The length of the longest array of 32 numbers, with spaces and Node's names, in bytes.
  private static let longestArray = 256

  /// Searches for texts of 32 bytes for which `isKey` returns true. It is called with the bytes and
  /// the line's token.
  init(
    _ tokens: [FoundToken], _ sample: LogSample, isKey: (Digest256, FoundToken) -> Bool
  ) {
    var matching: [Int: Set<Int>] = [:]
    for (index, token) in tokens.enumerated() {
      for value in sample.lines[token.line].values {
        if let digest = Self.digest(value), isKey(digest, token) {
          matching[value.pointer, default: []].insert(index)
        }
      }
    }
    let least = max(1, Int(Double(tokens.count) * Self.leastShare))
    while pointers.count < Self.mostPointers, let best = matching.mapValues(\.count).most,
      best.count >= least
    {
      pointers.append(best.pointer)
      matches += best.count
      let covered = matching.removeValue(forKey: best.pointer) ?? []
      matching = matching.mapValues { $0.subtracting(covered) }
    }
  }

  /// Returns the key identifier of a line, or nil if there is none.
  func key(in line: SampleLine) -> Digest256? {
    let value = pointers.lazy.compactMap { line[$0] }.first { $0.kind != .null }
    return value.flatMap(Self.digest)
  }

  /// Returns a guess of the pointer of key identifiers, for logs in which no attested key confirms
  /// one: 32 bytes on nearly every line, under a name that refers to a key. Returns the number of
  /// lines that have them, too.
  static func guess(_ tokens: [FoundToken], _ sample: LogSample) -> (pointer: Int, count: Int)? {
    tokens.lazy.map { sample.lines[$0.line] }.counts { digest($0) != nil }.filter {
      pointer, count in
      Double(count) >= Double(tokens.count) * leastGuess
        && NameWords(sample.pointers.name(pointer)).contains(WordLists.keys)
    }.most
  }

  private static func digest(_ value: SampleValue) -> Digest256? {
    if value.kind == .string, let bytes = ValueDecoder.digest(value.text) {
      return Digest256(bytes)
    }
    return value.raw.count <= longestArray
      ? ValueDecoder.marked(value).flatMap { Digest256($0) } : nil
  }
}
