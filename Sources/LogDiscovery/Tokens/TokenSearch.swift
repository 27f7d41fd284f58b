import AppAttest
import OpenSSL

/// The tokens of a kind, and the places of their keys and client data.
struct TokenKind {
  let role: Role
  let lines: TokenLines
  let keys: KeySearch
  fileprivate(set) var data = DataSearch()
  /// The indexes of the lines on which a nonce or a signature was valid.
  fileprivate var valid: Set<Int> = []

  /// The inverse of the smallest share of valid lines at a pointer where tokens belong.
  private static let confirmedShare = 5

  /// The largest number of lines that are examined.
  private static let limit = 400

  fileprivate init(
    _ role: Role, _ found: [FoundToken], _ sample: LogSample,
    isKey: (Digest256, FoundToken) -> Bool
  ) {
    self.role = role
    lines = TokenLines(found.filter { $0.role == role })
    keys = KeySearch(lines.tokens, sample, isKey: isKey)
  }

  /// The tokens that are examined.
  fileprivate var examined: [FoundToken] { lines.tokens.spread(Self.limit) }

  /// Returns the form that was valid most often.
  func form(_ pointers: PointerTable) -> DataForm? { data.best(pointers)?.form }

  /// The pointers at which hardly any token was confirmed, if others were confirmed elsewhere: a
  /// token there is only a copy.
  fileprivate var strays: [Int] {
    let strays = lines.pointers.filter { pointer in
      let here = examined.filter { $0.pointer == pointer }
      let held = here.count { valid.contains($0.line) }
      return held == 0 || held * Self.confirmedShare < here.count
    }
    return strays.count < lines.pointers.count ? strays : []
  }
}

/// The places of the keys and the client data of a sample's tokens.
struct TokenSearch {
  /// The largest numbers of nonces and of signatures that are checked in all.
  private static let (nonces, signatures) = (120_000, 12_000)

  private(set) var attestations: TokenKind
  private(set) var assertions: TokenKind
  /// The pointers by which assertions name a device instead of a key.
  private(set) var devices: DeviceSearch.Pair?
  private(set) var deviceHits = 0
  /// The key of every assertion whose signature was valid, by the index of its line.
  private(set) var verifiedKeys: [Int: Digest256] = [:]
  let keys: AttestedKeys

  /// Pointers at which no client data is looked for.
  private let excluded: Set<Int>

  var kinds: [TokenKind] { [attestations, assertions] }

  /// Returns the tokens of a role's lines, or nil if these have none.
  subscript(role: Role) -> TokenKind? { kinds.first { $0.role == role } }

  /// Searches for the keys and client data of the tokens. If tokens of a kind occur at several
  /// pointers, only those pointers count at which tokens were confirmed.
  ///
  /// - Parameter keys: The keys of the whole log, and those that are known.
  static func find(
    _ found: [FoundToken], keys: AttestedKeys, _ sample: LogSample
  ) -> TokenSearch {
    let all = TokenSearch(found, keys, sample)
    let strays = Dictionary(uniqueKeysWithValues: all.kinds.map { ($0.role, $0.strays) })
    let tokens = found.filter { !(strays[$0.role]?.contains($0.pointer) ?? false) }
    return tokens.count == found.count ? all : TokenSearch(tokens, keys, sample)
  }

  private init(_ tokens: [FoundToken], _ keys: AttestedKeys, _ sample: LogSample) {
    attestations = TokenKind(.attestation, tokens, sample) { digest, token in
      token.attestation?.keyID == digest
    }
    assertions = TokenKind(.assertion, tokens, sample) { digest, _ in keys.contains(digest) }
    self.keys = keys
    excluded = Set(attestations.lines.pointers + assertions.lines.pointers)
    searchAttestations(sample)
    searchAssertions(sample)
  }

  private mutating func searchAttestations(_ sample: LogSample) {
    var checks = Self.nonces
    for token in attestations.examined {
      guard let attestation = token.attestation, let nonce = attestation.nonce else { continue }
      let isFound = attestations.data.look(
        at: sample.lines[token.line], excluding: excluded, sample.pointers, checks: &checks
      ) { hash in
        Digest256.sha256(attestation.authData.span, hash.span) == nonce
      }
      if isFound { attestations.valid.insert(token.line) }
    }
  }

  private mutating func searchAssertions(_ sample: LogSample) {
    var checks = Self.signatures
    var search = DeviceSearch(attestations.lines.tokens, sample, excluding: excluded)
    let namesKeys = !assertions.keys.pointers.isEmpty
    for token in assertions.examined {
      guard let assertion = token.assertion else { continue }
      let line = sample.lines[token.line]
      let candidates = namesKeys ? [] : search.candidates(line)
      let found =
        namesKeys ? assertions.keys.key(in: line).map { [$0] } ?? [] : candidates.map(\.key)
      for key in found where look(line, assertion, key, sample.pointers, &checks) {
        verifiedKeys[token.line] = key
        assertions.valid.insert(token.line)
        for candidate in candidates where candidate.key == key { search.credit(candidate.pair) }
        break
      }
    }
    devices = search.best(sample.pointers)
    deviceHits = devices.flatMap { search.hits[$0] } ?? 0
  }

  private mutating func look(
    _ line: SampleLine, _ assertion: FoundAssertion, _ key: Digest256, _ pointers: PointerTable,
    _ checks: inout Int
  ) -> Bool {
    guard let publicKey = keys.publicKey(key) else { return false }
    return assertions.data.look(at: line, excluding: excluded, pointers, checks: &checks) { hash in
      assertion.assertion.holds(assertion.token, clientDataHash: hash, key: publicKey)
    }
  }
}

extension Assertion {
  /// Returns whether the signature of the assertion that `token` was parsed to is valid.
  fileprivate func holds(_ token: [UInt8], clientDataHash: [UInt8], key: P256PublicKey) -> Bool {
    let digest = digest(in: token.span, clientDataHash: clientDataHash.span)
    return withSignature(in: token.span) { signature in
      digest.withSpan { P256Verifier().verify(digest: $0, signatureDER: signature, key: key) }
    }
  }
}
