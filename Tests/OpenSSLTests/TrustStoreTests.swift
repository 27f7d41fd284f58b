import Testing

@testable import OpenSSL

struct TrustStoreTests {
  private static let noon = seconds("2026-01-15T12:00:00Z")

  private func verdict(
    _ leaf: [UInt8], _ others: [[UInt8]] = [SmallPKI.intermediate],
    anchors: [[UInt8]] = [SmallPKI.root], at time: Int64 = noon
  ) throws -> ChainVerdict {
    try TrustStore(anchors: anchors).verify(
      Certificate(der: leaf), others: others.map { try Certificate(der: $0) }, at: time)
  }

  private func isUntrusted(_ verdict: ChainVerdict) -> Bool {
    if case .untrusted(let reason) = verdict { return !reason.isEmpty }
    return false
  }

  @Test func `a chain to the root is trusted`() throws {
    #expect(try verdict(SmallPKI.leaf) == .trusted)
    #expect(try verdict(SmallPKI.leafWithOddUsage) == .trusted)
    #expect(try verdict(SmallPKI.leafP384) == .trusted)
  }

  @Test func `an intermediate or the leaf's own bare issuer may be the anchor`() throws {
    #expect(try verdict(SmallPKI.leaf, [], anchors: [SmallPKI.intermediate]) == .trusted)
    #expect(try verdict(SmallPKI.leafOfBareAnchor, [], anchors: [SmallPKI.bareAnchor]) == .trusted)
  }

  @Test func `the others stand in any order, with strangers among them`() throws {
    let strangers = [SmallPKI.impostorRoot, SmallPKI.plainIssuer, SmallPKI.leafP384]
    for index in 0...strangers.count {
      var others = strangers
      others.insert(SmallPKI.intermediate, at: index)
      #expect(try verdict(SmallPKI.leaf, others) == .trusted)
    }
  }

  @Test func `a certificate of the same name does not hide the issuer`() throws {
    let pair = [SmallPKI.impostorIntermediate, SmallPKI.intermediate]
    #expect(try verdict(SmallPKI.leaf, pair) == .trusted)
    #expect(try verdict(SmallPKI.leaf, pair.reversed()) == .trusted)
    let anchors = [SmallPKI.impostorRoot, SmallPKI.root]
    #expect(try verdict(SmallPKI.leaf, pair, anchors: anchors) == .trusted)
    #expect(try verdict(SmallPKI.leaf, pair, anchors: anchors.reversed()) == .trusted)
    #expect(try verdict(SmallPKI.impostorLeaf, pair, anchors: anchors) == .trusted)
    #expect(isUntrusted(try verdict(SmallPKI.leafOfAnotherKey, pair, anchors: anchors)))
  }

  @Test func `a renewed intermediate counts at the time it is valid`() throws {
    let both = [SmallPKI.earlierIntermediate, SmallPKI.intermediate]
    #expect(try verdict(SmallPKI.leaf, both) == .trusted)
    #expect(try verdict(SmallPKI.leaf, both.reversed()) == .trusted)
    #expect(try verdict(SmallPKI.leaf, [SmallPKI.earlierIntermediate]) == .timeOnly)
  }

  @Test func `a root among the others is never trusted by itself`() throws {
    let impostors = [SmallPKI.impostorIntermediate, SmallPKI.impostorRoot]
    #expect(isUntrusted(try verdict(SmallPKI.impostorLeaf, impostors)))
    #expect(isUntrusted(try verdict(SmallPKI.impostorRoot, impostors)))
    #expect(isUntrusted(try verdict(SmallPKI.impostorRoot, [])))
  }

  @Test func `a missing or a wrong issuer is untrusted`() throws {
    #expect(isUntrusted(try verdict(SmallPKI.leaf, [])))
    #expect(isUntrusted(try verdict(SmallPKI.leaf, [SmallPKI.impostorIntermediate])))
    #expect(isUntrusted(try verdict(SmallPKI.leafOfAnotherKey)))
    #expect(isUntrusted(try verdict(SmallPKI.leaf, anchors: [SmallPKI.impostorRoot])))
  }

  @Test func `an issuer has to be a CA that may sign certificates`() throws {
    #expect(isUntrusted(try verdict(SmallPKI.underPlainIssuer, [SmallPKI.plainIssuer])))
    #expect(isUntrusted(try verdict(SmallPKI.underEndEntityIssuer, [SmallPKI.endEntityIssuer])))
    #expect(
      isUntrusted(
        try verdict(SmallPKI.underIssuerWithoutCertSign, [SmallPKI.issuerWithoutCertSign])))
    #expect(
      isUntrusted(
        try verdict(SmallPKI.underEndEntityIssuer, [], anchors: [SmallPKI.endEntityIssuer])))
  }

  @Test func `the path length is obeyed`() throws {
    #expect(
      isUntrusted(
        try verdict(SmallPKI.leafBelowPathLength, [SmallPKI.subCA, SmallPKI.intermediate])))
    #expect(try verdict(SmallPKI.leafBelowPathLength, [], anchors: [SmallPKI.subCA]) == .trusted)
  }

  @Test func `an unknown critical extension is refused`() throws {
    #expect(isUntrusted(try verdict(SmallPKI.leafWithUnknownCritical)))
  }

  @Test func `names are constrained for each leaf, also where the chain is known`() throws {
    let others = [SmallPKI.constrainedCA]
    #expect(try verdict(SmallPKI.leafInside, others) == .trusted)
    #expect(isUntrusted(try verdict(SmallPKI.leafOutside, others)))
    let store = try TrustStore(anchors: [SmallPKI.root])
    let parsed = try others.map { try Certificate(der: $0) }
    let inside = try Certificate(der: SmallPKI.leafInside)
    let outside = try Certificate(der: SmallPKI.leafOutside)
    #expect(store.verify(inside, others: parsed, at: Self.noon) == .trusted)
    #expect(isUntrusted(store.verify(outside, others: parsed, at: Self.noon)))
  }

  @Test func `the bounds of validity are included, to the second`() throws {
    let first = seconds("2025-06-01T00:00:00Z")
    let last = seconds("2026-06-01T00:00:00Z")
    #expect(try verdict(SmallPKI.leaf, at: first - 1) == .timeOnly)
    #expect(try verdict(SmallPKI.leaf, at: first) == .trusted)
    #expect(try verdict(SmallPKI.leaf, at: last) == .trusted)
    #expect(try verdict(SmallPKI.leaf, at: last + 1) == .timeOnly)
    for time in [Int64.min, -1, 0, Int64.max] {
      #expect(try verdict(SmallPKI.leaf, at: time) == .timeOnly, "\(time)")
    }
  }

  @Test func `the anchor's validity counts too`() throws {
    let last = seconds("2025-12-01T00:00:00Z")
    #expect(try verdict(SmallPKI.leaf, anchors: [SmallPKI.expiredRoot], at: last) == .trusted)
    #expect(try verdict(SmallPKI.leaf, anchors: [SmallPKI.expiredRoot], at: last + 1) == .timeOnly)
  }

  @Test func `a bad signature is untrusted, also where a time is wrong as well`() throws {
    #expect(isUntrusted(try verdict(SmallPKI.leafOfAnotherKey, at: 0)))
  }

  @Test func `a crowd of certificates ends soon`() throws {
    let impostor = try Certificate(der: SmallPKI.impostorIntermediate)
    let intermediate = try Certificate(der: SmallPKI.intermediate)
    let leaf = try Certificate(der: SmallPKI.leaf)
    let store = try TrustStore(anchors: [SmallPKI.root])
    let crowd = Array(repeating: impostor, count: 500) + [intermediate]
    #expect(store.verify(leaf, others: crowd, at: Self.noon) == .trusted)
  }

  @Test func `among certificates of one name and one key not every order is gone through`() throws {
    let others = try CrowdOfOneName.authorities.map { try Certificate(der: $0) }
    var search = ChainSearch(
      leaf: try Certificate(der: CrowdOfOneName.leaf), others: others,
      anchors: [try Certificate(der: SmallPKI.root)], seconds: Self.noon)
    #expect(search.isAmbiguous)
    let none = ChainVerdict.untrusted("no path")
    #expect(search.best(atLeast: none) == none)
    #expect(search.steps <= 24)
    #expect(search.visits <= 256)
  }

  @Test func `an authority whose key makes verifying dear is left out`() throws {
    #expect(try !Certificate(der: RSAAuthority.dear).verifiesCheaply)
    for usual in [RSAAuthority.usual, SmallPKI.root, SmallPKI.leafP384] {
      #expect(try Certificate(der: usual).verifiesCheaply)
    }
    #expect(try verdict(SmallPKI.leaf, [RSAAuthority.dear, SmallPKI.intermediate]) == .trusted)
  }

  @Test func `anchors have to be certificates`() {
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [[]]) }
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [SmallPKI.root + [0]]) }
    #expect(throws: OpenSSLError.self) { try TrustStore(anchors: [SmallPKI.compressedSPKI]) }
  }
}
