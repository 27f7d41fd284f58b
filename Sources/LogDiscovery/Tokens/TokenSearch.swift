import AppAttest
import AuditLog
import OpenSSL

/// The tokens of a kind, and the places of their keys and client data.
struct TokenKind {
  let role: Role
  /// The pointers of tokens, the most frequent first.
  let pointers: [Int]
  /// The form of most tokens at the first pointer.
  let form: FoundToken.Form
  /// The tokens at these pointers, one for each line, in the order of the log.
  let tokens: [FoundToken]
  let keys: KeySearch
  fileprivate(set) var data: DataSearch
  /// The indexes of the lines on which a nonce or a signature was valid.
  fileprivate var valid: Set<Int> = []

  fileprivate init(
    _ role: Role, _ found: [FoundToken], _ sample: LogSample,
    isKey: (Digest256, FoundToken) -> Bool
  ) {
    self.role = role
    let own = found.filter { $0.role == role }
    let ranked = Dictionary(grouping: own, by: \.pointer)
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    // Somebody may put a few tokens elsewhere.
    let pointers = ranked.filter { $0.value.count >= max(1, own.count / 20) }.prefix(4).map(\.key)
    self.pointers = pointers
    form =
      Dictionary(grouping: ranked.first?.value ?? [], by: \.form)
      .max { ($0.value.count, $0.key.rawValue) < ($1.value.count, $1.key.rawValue) }?.key
      ?? .base64
    var lines: Set<Int> = []
    tokens = own.filter { pointers.contains($0.pointer) && lines.insert($0.line).inserted }
    keys = KeySearch(tokens, sample, isKey: isKey)
    data = DataSearch(sample.pointers)
  }

  fileprivate var examined: [FoundToken] { tokens.spread(400) }

  /// The pointers at which hardly any token was valid, if others were: there are only copies.
  fileprivate var strays: [Int] {
    let strays = pointers.filter { pointer in
      let here = examined.filter { $0.pointer == pointer }
      let held = here.count { valid.contains($0.line) }
      return held == 0 || held * 5 < here.count
    }
    return strays.count < pointers.count ? strays : []
  }
}

/// The places of the keys and the client data of a sample's tokens.
struct TokenSearch {
  private(set) var attestations: TokenKind
  private(set) var assertions: TokenKind
  /// The pointers by which assertions name a device instead of a key.
  private(set) var devices: DeviceSearch.Pair?
  private(set) var deviceHits = 0
  /// The key of every assertion whose signature was valid, by the index of its line.
  private(set) var verifiedKeys: [Int: Digest256] = [:]
  /// The public keys that are attested or known, as X9.62 points.
  let keys: [Digest256: [UInt8]]

  var kinds: [TokenKind] { [attestations, assertions] }

  /// Returns the tokens of a role's lines, or nil if these have none.
  subscript(role: Role) -> TokenKind? { kinds.first { $0.role == role } }

  /// Searches for keys and client data. Of several pointers only those with valid tokens count.
  static func find(
    _ found: [FoundToken], keys: [Digest256: [UInt8]], _ sample: LogSample
  ) -> TokenSearch {
    let all = TokenSearch(found, keys, sample)
    let strays = Dictionary(uniqueKeysWithValues: all.kinds.map { ($0.role, $0.strays) })
    let tokens = found.filter { !(strays[$0.role]?.contains($0.pointer) ?? false) }
    return tokens.count == found.count ? all : TokenSearch(tokens, keys, sample)
  }

  private init(_ tokens: [FoundToken], _ keys: [Digest256: [UInt8]], _ sample: LogSample) {
    attestations = TokenKind(.attestation, tokens, sample) { $1.keyID == $0 }
    assertions = TokenKind(.assertion, tokens, sample) { key, _ in keys[key] != nil }
    self.keys = keys
    let excluded = Set(attestations.pointers + assertions.pointers)
    searchAttestations(sample, excluded)
    searchAssertions(sample, excluded)
  }

  private mutating func searchAttestations(_ sample: LogSample, _ excluded: Set<Int>) {
    var checks = 120_000
    for token in attestations.examined {
      guard let attestation = token.attestation, let nonce = attestation.leafNonce else { continue }
      let authData = attestation.authData
      let isFound = attestations.data.look(
        at: sample.lines[token.line], excluding: excluded, checks: &checks
      ) { hash in
        Digest256.sha256(authData.span, hash.span) == nonce
      }
      if isFound { attestations.valid.insert(token.line) }
    }
  }

  private mutating func searchAssertions(_ sample: LogSample, _ excluded: Set<Int>) {
    var checks = 12_000
    var search = DeviceSearch(attestations.tokens, sample, excluding: excluded)
    let namesKeys = !assertions.keys.pointers.isEmpty
    for token in assertions.examined {
      guard let (bytes, assertion) = token.assertion else { continue }
      let line = sample.lines[token.line]
      let candidates = namesKeys ? [] : search.candidates(line)
      let found =
        namesKeys ? assertions.keys.key(in: line).map { [$0] } ?? [] : candidates.map(\.key)
      let key = found.first { key in
        guard let publicKey = keys[key].flatMap({ P256PublicKey(point: $0) }) else { return false }
        return assertions.data.look(at: line, excluding: excluded, checks: &checks) {
          assertion.isValid(bytes, clientDataHash: $0, key: publicKey)
        }
      }
      guard let key else { continue }
      verifiedKeys[token.line] = key
      assertions.valid.insert(token.line)
      for candidate in candidates where candidate.key == key {
        search.hits[candidate.pair, default: 0] += 1
      }
    }
    devices = search.best(sample.pointers)
    deviceHits = devices.flatMap { search.hits[$0] } ?? 0
  }
}

extension Assertion {
  /// Returns whether the signature of the assertion that `token` was parsed to is valid.
  fileprivate func isValid(_ token: [UInt8], clientDataHash: [UInt8], key: P256PublicKey) -> Bool {
    let digest = digest(in: token.span, clientDataHash: clientDataHash.span)
    return withSignature(in: token.span) { signature in
      digest.withSpan { P256Verifier().verify(digest: $0, signatureDER: signature, key: key) }
    }
  }
}

/// The pointers at which lines have their key identifier.
struct KeySearch {
  /// The pointers, the most frequent first. A line has the identifier at one of them.
  private(set) var pointers: [Int] = []
  /// The number of lines on which they are the line's own key, or an attested one.
  private(set) var matches = 0

  /// Searches for texts of 32 bytes for which `isKey` returns true.
  init(_ tokens: [FoundToken], _ sample: LogSample, isKey: (Digest256, FoundToken) -> Bool) {
    var matching = sample.collect(tokens, at: \.line) { token, value in
      Self.digest(value).flatMap { isKey($0, token) ? token.line : nil }
    }.mapValues { Set($0) }
    while pointers.count < 4, let best = matching.mapValues(\.count).most,
      best.count >= max(1, tokens.count / 50)
    {
      pointers.append(best.pointer)
      matches += best.count
      let covered = matching.removeValue(forKey: best.pointer) ?? []
      matching = matching.mapValues { $0.subtracting(covered) }
    }
  }

  func key(in line: SampleLine) -> Digest256? {
    let value = pointers.lazy.compactMap { line[$0] }.first { $0.kind != .null }
    return value.flatMap(Self.digest)
  }

  /// Returns the pointer under a name for keys that has 32 bytes on nearly every line, with the
  /// number of these lines: a guess for logs in which no attested key confirms one.
  static func guess(_ tokens: [FoundToken], _ sample: LogSample) -> (pointer: Int, count: Int)? {
    tokens.lazy.map { sample.lines[$0.line] }.counts { digest($0) != nil }.filter {
      $1 * 10 >= tokens.count * 9 && NameWords(sample.pointers.name($0)).contains(WordLists.keys)
    }.most
  }

  private static func digest(_ value: SampleValue) -> Digest256? {
    // An array of 32 numbers, with spaces and Node's names, is no longer.
    guard value.raw.count <= 256 else { return nil }
    let plain = value.kind == .string ? ValueDecoder.digest(value.text) : nil
    return (plain ?? (value.raw.count > 42 ? ValueDecoder.bytes(value, .keyId) : nil))
      .flatMap { Digest256($0) }
  }
}

/// A search for the text by which assertions name their attestation: a signature under its key decides.
struct DeviceSearch {
  /// A pointer in attestations, and one in assertions.
  struct Pair: Hashable {
    var attestation, assertion: Int
  }

  /// The largest number of keys that occur with the name of a device.
  private static let keyLimit = 4

  private var keys: [ArraySlice<UInt8>: [(pointer: Int, key: Digest256)]] = [:]
  /// The number of signatures that were valid by each pair.
  var hits: [Pair: Int] = [:]

  init(_ attestations: [FoundToken], _ sample: LogSample, excluding: Set<Int>) {
    for token in attestations {
      guard let key = token.keyID else { continue }
      for value in sample.lines[token.line].values.prefix(64)
      where value.isText && !excluding.contains(value.pointer)
        && (1...128).contains(value.text.count)
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

  /// Returns the keys that a line may belong to, by pairs that were valid before first.
  func candidates(_ line: SampleLine) -> [(pair: Pair, key: Digest256)] {
    let found = line.values.flatMap { value -> [(pair: Pair, key: Digest256, keys: Int)] in
      guard value.isText, let known = keys[value.text], known.count <= Self.keyLimit else {
        return []
      }
      return known.map {
        (Pair(attestation: $0.pointer, assertion: value.pointer), $0.key, known.count)
      }
    }
    return found.sorted { left, right in
      (hits[right.pair, default: 0], left.keys) < (hits[left.pair, default: 0], right.keys)
    }.prefix(8).map { ($0.pair, $0.key) }
  }

  /// Returns the pair that was valid most often, or of several one named for a device.
  func best(_ pointers: PointerTable) -> Pair? {
    func rank(_ pair: Pair) -> Int {
      let name = NameWords(pointers.name(pair.assertion))
      return (name.contains(["device", "install", "client"]) ? 4 : 0)
        + (name.contains(["user", "account", "subject", "session"]) ? -2 : 0)
        + (pair.assertion == pair.attestation ? 1 : 0)
    }
    return hits.max { left, right in
      (left.value, rank(left.key), right.key.attestation, right.key.assertion)
        < (right.value, rank(right.key), left.key.attestation, left.key.assertion)
    }?.key
  }
}
