import AppAttest
import OpenSSL

/// The places of the keys and the client data of a sample's tokens.
struct TokenSearch {
  /// The largest number of signatures and nonces that are checked in all.
  private static let checks = 12_000
  /// The largest number of lines of a kind that are examined.
  private static let lines = 400
  /// The inverse of the smallest share of valid lines at a pointer where tokens belong.
  private static let confirmedShare = 5

  let attestations: TokenLines
  let assertions: TokenLines
  let attestationKeys: KeySearch
  let assertionKeys: KeySearch
  private(set) var attestationData = DataSearch()
  private(set) var assertionData = DataSearch()
  /// The pointers by which assertions name a device instead of a key.
  private(set) var devices: DeviceSearch.Pair?
  private(set) var deviceHits = 0
  /// The key of every assertion whose signature was valid, by the index of its line.
  private(set) var verifiedKeys: [Int: Digest256] = [:]
  let keys: AttestedKeys
  /// The indexes of the lines on which the nonce of an attestation was valid.
  private var attestedLines: Set<Int> = []

  /// Pointers at which no client data is looked for.
  private let excluded: Set<Int>

  /// Searches for the keys and client data of the tokens. If tokens of a kind occur at several
  /// pointers, only those pointers count at which tokens were confirmed: a token elsewhere is only
  /// a copy.
  ///
  /// - Parameter keys: The keys of the whole log, and those that are known.
  static func find(
    _ found: [FoundToken], keys: AttestedKeys, _ sample: LogSample
  ) -> TokenSearch {
    let all = TokenSearch(found, keys, sample)
    let tokens = all.confirmed(found)
    return tokens.count == found.count ? all : TokenSearch(tokens, keys, sample)
  }

  private init(_ tokens: [FoundToken], _ keys: AttestedKeys, _ sample: LogSample) {
    attestations = TokenLines(tokens.filter { $0.attestation != nil })
    assertions = TokenLines(tokens.filter { $0.assertion != nil })
    self.keys = keys
    attestationKeys = KeySearch(attestations.tokens, sample) { digest, token in
      token.attestation?.keyID == digest
    }
    assertionKeys = KeySearch(assertions.tokens, sample) { digest, _ in
      keys.contains(digest)
    }
    excluded = Set(attestations.pointers + assertions.pointers)
    searchAttestations(sample)
    searchAssertions(sample)
  }

  private mutating func searchAttestations(_ sample: LogSample) {
    var checks = Self.checks * 10
    for token in attestations.tokens.spread(Self.lines) {
      guard let attestation = token.attestation, let nonce = attestation.nonce else { continue }
      let isFound = attestationData.look(
        at: sample.lines[token.line], excluding: excluded, sample.pointers, checks: &checks
      ) { hash in
        Digest256.sha256(attestation.authData.span, hash.span) == nonce
      }
      if isFound { attestedLines.insert(token.line) }
    }
  }

  private mutating func searchAssertions(_ sample: LogSample) {
    var checks = Self.checks
    var search = DeviceSearch(attestations.tokens, sample, excluding: excluded)
    let namesKeys = !assertionKeys.pointers.isEmpty
    for token in assertions.tokens.spread(Self.lines) {
      guard let assertion = token.assertion else { continue }
      let line = sample.lines[token.line]
      if namesKeys {
        guard let key = assertionKeys.key(in: line) else { continue }
        if look(line, assertion, key, sample.pointers, &checks) { verifiedKeys[token.line] = key }
      } else {
        for candidate in search.candidates(line)
        where look(line, assertion, candidate.key, sample.pointers, &checks) {
          verifiedKeys[token.line] = candidate.key
          for other in search.candidates(line) where other.key == candidate.key {
            search.credit(other.pair)
          }
          break
        }
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
    return assertionData.look(at: line, excluding: excluded, pointers, checks: &checks) { hash in
      assertion.assertion.holds(assertion.token, clientDataHash: hash, key: publicKey)
    }
  }

  /// Returns the tokens without those at pointers where hardly any was confirmed, if others of
  /// their kind were confirmed at other pointers.
  private func confirmed(_ tokens: [FoundToken]) -> [FoundToken] {
    let strays = [
      true: strays(attestations, confirmed: attestedLines),
      false: strays(assertions, confirmed: Set(verifiedKeys.keys)),
    ]
    return tokens.filter { !(strays[$0.attestation != nil]?.contains($0.pointer) ?? false) }
  }

  private func strays(_ lines: TokenLines, confirmed: Set<Int>) -> [Int] {
    let looked = lines.tokens.spread(Self.lines)
    let strays = lines.pointers.filter { pointer in
      let here = looked.filter { $0.pointer == pointer }
      let held = here.count { confirmed.contains($0.line) }
      return held == 0 || held * Self.confirmedShare < here.count
    }
    return strays.count < lines.pointers.count ? strays : []
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
