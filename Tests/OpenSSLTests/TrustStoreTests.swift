import Testing

@testable import OpenSSL

struct TrustStoreTests {
  private static let noon = seconds("2026-01-15T12:00:00Z")

  private func verdict(
    _ leaf: [UInt8], _ others: [[UInt8]] = [pki.intermediate],
    anchors: [[UInt8]] = [pki.root], at time: Int64 = noon
  ) throws -> ChainVerdict {
    try TrustStore(anchors: anchors).verify(
      Certificate(der: leaf), others: others.map { try Certificate(der: $0) }, at: time
    ).verdict
  }

  private func isUntrusted(_ verdict: ChainVerdict) -> Bool {
    if case .untrusted(let reason) = verdict { return !reason.isEmpty }
    return false
  }

  @Test func `a chain to the root is trusted`() throws {
    #expect(try verdict(pki.leaf) == .trusted)
    #expect(try verdict(pki.leafWithOddUsage) == .trusted)
    #expect(try verdict(pki.leafP384) == .trusted)
  }

  @Test func `an intermediate or the leaf's own bare issuer may be the anchor`() throws {
    #expect(try verdict(pki.leaf, [], anchors: [pki.intermediate]) == .trusted)
    #expect(try verdict(pki.leafOfBareAnchor, [], anchors: [pki.bareAnchor]) == .trusted)
  }

  @Test func `the others stand in any order, with strangers among them`() throws {
    let strangers = [pki.impostorRoot, pki.plainIssuer, pki.leafP384]
    for index in 0...strangers.count {
      var others = strangers
      others.insert(pki.intermediate, at: index)
      #expect(try verdict(pki.leaf, others) == .trusted)
    }
  }

  @Test func `a certificate of the same name does not hide the issuer`() throws {
    let pair = [pki.impostorIntermediate, pki.intermediate]
    #expect(try verdict(pki.leaf, pair) == .trusted)
    #expect(try verdict(pki.leaf, pair.reversed()) == .trusted)
    let anchors = [pki.impostorRoot, pki.root]
    #expect(try verdict(pki.leaf, pair, anchors: anchors) == .trusted)
    #expect(try verdict(pki.leaf, pair, anchors: anchors.reversed()) == .trusted)
    #expect(try verdict(pki.impostorLeaf, pair, anchors: anchors) == .trusted)
    #expect(isUntrusted(try verdict(pki.leafOfAnotherKey, pair, anchors: anchors)))
  }

  @Test func `a renewed intermediate counts at the time it is valid`() throws {
    let both = [pki.earlierIntermediate, pki.intermediate]
    #expect(try verdict(pki.leaf, both) == .trusted)
    #expect(try verdict(pki.leaf, both.reversed()) == .trusted)
    #expect(try verdict(pki.leaf, [pki.earlierIntermediate]) == .timeOnly)
  }

  @Test func `a root among the others is never trusted by itself`() throws {
    let impostors = [pki.impostorIntermediate, pki.impostorRoot]
    #expect(isUntrusted(try verdict(pki.impostorLeaf, impostors)))
    #expect(isUntrusted(try verdict(pki.impostorRoot, impostors)))
    #expect(isUntrusted(try verdict(pki.impostorRoot, [])))
  }

  @Test func `a missing or a wrong issuer is untrusted`() throws {
    #expect(isUntrusted(try verdict(pki.leaf, [])))
    #expect(isUntrusted(try verdict(pki.leaf, [pki.impostorIntermediate])))
    #expect(isUntrusted(try verdict(pki.leafOfAnotherKey)))
    #expect(isUntrusted(try verdict(pki.leaf, anchors: [pki.impostorRoot])))
  }

  @Test func `an issuer has to be a CA that may sign certificates`() throws {
    #expect(isUntrusted(try verdict(pki.underPlainIssuer, [pki.plainIssuer])))
    #expect(isUntrusted(try verdict(pki.underEndEntityIssuer, [pki.endEntityIssuer])))
    #expect(
      isUntrusted(
        try verdict(pki.underIssuerWithoutCertSign, [pki.issuerWithoutCertSign])))
    #expect(
      isUntrusted(
        try verdict(pki.underEndEntityIssuer, [], anchors: [pki.endEntityIssuer])))
  }

  @Test func `the path length is obeyed`() throws {
    #expect(
      isUntrusted(
        try verdict(pki.leafBelowPathLength, [pki.subCA, pki.intermediate])))
    #expect(try verdict(pki.leafBelowPathLength, [], anchors: [pki.subCA]) == .trusted)
  }

  @Test func `an unknown critical extension is refused`() throws {
    #expect(isUntrusted(try verdict(pki.leafWithUnknownCritical)))
  }

  @Test func `names are constrained for each leaf, also where the chain is known`() throws {
    let others = [pki.constrainedCA]
    #expect(try verdict(pki.leafInside, others) == .trusted)
    #expect(isUntrusted(try verdict(pki.leafOutside, others)))
    let store = try TrustStore(anchors: [pki.root])
    let parsed = try others.map { try Certificate(der: $0) }
    let inside = try Certificate(der: pki.leafInside)
    let outside = try Certificate(der: pki.leafOutside)
    #expect(store.verify(inside, others: parsed, at: Self.noon).verdict == .trusted)
    #expect(isUntrusted(store.verify(outside, others: parsed, at: Self.noon).verdict))
  }

  @Test func `the bounds of validity are included, to the second`() throws {
    let first = seconds("2025-06-01T00:00:00Z")
    let last = seconds("2026-06-01T00:00:00Z")
    #expect(try verdict(pki.leaf, at: first - 1) == .timeOnly)
    #expect(try verdict(pki.leaf, at: first) == .trusted)
    #expect(try verdict(pki.leaf, at: last) == .trusted)
    #expect(try verdict(pki.leaf, at: last + 1) == .timeOnly)
    for time in [Int64.min, -1, 0, Int64.max] {
      #expect(try verdict(pki.leaf, at: time) == .timeOnly, "\(time)")
    }
  }

  @Test func `the anchor's validity counts too`() throws {
    let last = seconds("2025-12-01T00:00:00Z")
    #expect(try verdict(pki.leaf, anchors: [pki.expiredRoot], at: last) == .trusted)
    #expect(try verdict(pki.leaf, anchors: [pki.expiredRoot], at: last + 1) == .timeOnly)
  }

  @Test func `a bad signature is untrusted, also where a time is wrong as well`() throws {
    #expect(isUntrusted(try verdict(pki.leafOfAnotherKey, at: 0)))
  }

  @Test func `a crowd of certificates ends soon`() throws {
    let impostor = try Certificate(der: pki.impostorIntermediate)
    let intermediate = try Certificate(der: pki.intermediate)
    let leaf = try Certificate(der: pki.leaf)
    let store = try TrustStore(anchors: [pki.root])
    let crowd = Array(repeating: impostor, count: 500) + [intermediate]
    #expect(store.verify(leaf, others: crowd, at: Self.noon).verdict == .trusted)
  }

  @Test func `among certificates of one name and one key not every order is gone through`() throws {
    let others = try (0..<8).map { try Certificate(der: crowd[dynamicMember: "authority\($0)"]) }
    var search = ChainSearch(
      leaf: try Certificate(der: crowd.leaf), others: others,
      anchors: [try Certificate(der: pki.root)], seconds: Self.noon)
    #expect(search.isAmbiguous)
    let none = ChainVerdict.untrusted("no path")
    #expect(search.best(atLeast: none) == none)
    #expect(search.steps <= 24)
    #expect(search.visits <= 256)
  }

  @Test func `an authority whose key makes verifying dear is left out`() throws {
    #expect(try !Certificate(der: rsa.dear).verifiesCheaply)
    for usual in [rsa.usual, pki.root, pki.leafP384] {
      #expect(try Certificate(der: usual).verifiesCheaply)
    }
    #expect(try verdict(pki.leaf, [rsa.dear, pki.intermediate]) == .trusted)
  }

  @Test func `anchors have to be certificates`() {
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [[]]) }
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [pki.root + [0]]) }
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [pki.compressedSPKI]) }
  }
}
