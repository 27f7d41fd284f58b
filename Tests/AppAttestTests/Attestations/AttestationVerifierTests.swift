import AppAttest
import TestSupport
import Testing

/// Genuine attestations, each changed in one way. Whatever changes authData changes the nonce, too.
@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct AttestationVerifierTests {
  private let vector = Genuine.named("uebelack-development-att")
  private let stranger = Genuine.named("uebelack-production-att")
  private let parts: GenuineParts

  init() throws {
    parts = try GenuineParts(vector.tokenBytes)
  }

  /// The checks that a changed attestation fails.
  private func checks(
    _ change: (inout GenuineParts) -> Void = { _ in }, verifier: AttestationVerifier? = nil,
    keyIdentifier: Digest256? = nil, clientDataHash: [UInt8]? = nil, appID: String?? = nil,
    time: Int64? = nil
  ) throws -> [AttestationCheck]? {
    var changed = parts
    change(&changed)
    let verifier = try verifier ?? Genuine.verifier(for: vector)
    let judgement = verifier.judge(
      vector, token: changed.token, keyIdentifier: keyIdentifier, clientDataHash: clientDataHash,
      appID: appID, time: time ?? vector.madeAt)
    if let judged = judgement.judged {
      let isValid = judged.failures.allSatisfy { $0.check.leavesValid }
      #expect((judged.verified != nil) == isValid)
      for failure in judged.failures {
        #expect(failure.detail.hasSuffix("."), "\(failure.detail)")
      }
    }
    return judgement.checks
  }

  private func verifier(
    apps: [AppPolicy], trustAnchors: [[UInt8]] = [AppleTrust.appAttestationRootCA],
    receiptAnchors: [[UInt8]] = [AppleTrust.rootCAG3], receipts: ReceiptPolicy = .verify
  ) throws -> AttestationVerifier {
    try AttestationVerifier(
      apps: ConfiguredApps(apps), trustAnchors: trustAnchors, receiptAnchors: receiptAnchors,
      receipts: receipts)
  }

  private func policy(
    _ environments: Set<AttestEnvironment> = [.development]
  ) -> AppPolicy {
    AppPolicy(id: vector.appId!, environments: environments)
  }

  @Test func `each change fails the checks that concern it`() throws {
    #expect(parts.token == vector.tokenBytes)
    let other = try GenuineParts(stranger.tokenBytes).receipt
    func expect(
      _ expected: [AttestationCheck], _ changes: ((inout GenuineParts) -> Void)...
    ) throws {
      for (index, change) in changes.enumerated() {
        #expect(try checks(change) == expected, "\(expected) \(index)")
      }
    }
    try expect([], { _ in })
    try expect([.format], { $0.format = "packed" }, { $0.format = "" })
    try expect(
      [.chainUntrusted, .receiptInvalid],
      { $0.certificates[0][$0.certificates[0].count - 1] ^= 1 })
    // kty, alg and crv of the map that begins at 87, and a coordinate.
    for at in [89, 91, 93, parts.authData.count - 1] {
      try expect([.nonceMismatch, .publicKeyMismatch], { $0.authData[at] ^= 1 })
    }
    for at in 33..<37 {
      try expect([.nonceMismatch, .counterNonzero], { $0.authData[at] = 0x80 })
    }
    try expect([.nonceMismatch, .credentialIDMismatch], { $0.authData[60] ^= 1 })
    try expect(
      [.receiptInvalid], { $0.receipt = other }, { $0.receipt = [] }, { $0.hasReceipt = false },
      { $0.receipt.append(0) }, { $0.receipt[$0.receipt.count / 8] ^= 1 })
    let hash = [UInt8](repeating: 9, count: 32)
    for hash in [hash, []] {
      #expect(try checks(clientDataHash: hash) == [.nonceMismatch, .receiptInvalid])
    }
    #expect(
      try checks(keyIdentifier: stranger.keyIdentifier) == [.keyIDMismatch, .credentialIDMismatch])
  }

  @Test func `a chain to no anchor`() throws {
    let other = try verifier(apps: [policy()], trustAnchors: [AppleTrust.rootCAG3])
    #expect(try checks(verifier: other) == [.chainUntrusted])
    let receipts = try verifier(
      apps: [policy()], receiptAnchors: [AppleTrust.appAttestationRootCA])
    #expect(try checks(verifier: receipts) == [.receiptInvalid])
    // An intermediate can be the anchor.
    let issuer = try verifier(apps: [policy()], trustAnchors: [parts.certificates[1]])
    #expect(try checks(verifier: issuer) == [])
    #expect(try checks { $0.certificates.append(AppleTrust.appAttestationRootCA) } == [])
    #expect(
      try checks({ $0.certificates.append(AppleTrust.appAttestationRootCA) }, verifier: other)
        == [.chainUntrusted])
    #expect(
      try checks { $0.certificates[1] = AppleTrust.appAttestationRootCA } == [.chainUntrusted])
    #expect(
      try checks { $0.certificates.insert(AppleTrust.rootCAG3, at: 1) } == [])
  }

  @Test func `certificates not valid at the time`() throws {
    let year: Int64 = 365 * 86_400_000
    let short = Genuine.named("veehaitch-ios-14.4-att")
    let late = try Genuine.verifier(for: short)
      .judge(short, time: short.madeAt + 3 * 86_400_000)
    #expect(late.checks == [.certificateTime, .timeDisagrees])
    // The receipt's signer is not valid either, and the leaf's serial number still gives Apple's time.
    for time in [vector.madeAt + year, vector.madeAt - 10 * year, .max, .min] {
      #expect(
        try checks(time: time) == [.certificateTime, .receiptInvalid, .timeDisagrees], "\(time)")
    }
  }

  @Test func `another app`() throws {
    #expect(
      try checks(verifier: verifier(apps: [AppPolicy(id: "A.b")])) == [.appIDMismatch])
    #expect(
      try checks(verifier: verifier(apps: [AppPolicy(id: "A.b")]), appID: .some(nil))
        == [.appIDMismatch])
    let both = try verifier(apps: [
      AppPolicy(id: "A.b", environments: [.development]), policy(),
    ])
    #expect(try checks(verifier: both, appID: "A.b") == [.appIDMismatch, .receiptInvalid])
    #expect(try checks(verifier: both, appID: .some(nil)) == [])
    #expect(try checks { $0.authData[0] ^= 1 } == [.nonceMismatch, .appIDMismatch])
  }

  @Test func `another environment`() throws {
    #expect(
      try checks(verifier: verifier(apps: [policy([.production])])) == [.environmentMismatch])
    #expect(
      try checks { $0.authData[52] ^= 1 } == [.nonceMismatch, .environmentMismatch])
    // For an unknown app either environment will do, but it has to be one.
    let none = try verifier(apps: [])
    #expect(try checks(verifier: none) == [.appIDMismatch])
    #expect(
      try checks({ $0.authData[37] ^= 1 }, verifier: none)
        == [.nonceMismatch, .appIDMismatch, .environmentMismatch])
    let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    let both = try verifier(apps: [policy([.development, .production])])
    #expect(
      try checks({ $0.authData.replaceSubrange(37..<53, with: production) }, verifier: both)
        == [.nonceMismatch, .receiptInvalid])
  }

  @Test func `the policy for receipts`() throws {
    let other = try GenuineParts(stranger.tokenBytes).receipt
    let late = vector.madeAt + 2 * 86_400_000 - 60_000
    for receipts in [ReceiptPolicy.parse, .ignore] {
      let verifier = try verifier(apps: [policy()], receiptAnchors: [], receipts: receipts)
      #expect(try checks(verifier: verifier) == [])
      // verification.R43: without a verified receipt the leaf's serial number gives Apple's time.
      #expect(try checks(verifier: verifier, time: late) == [.timeDisagrees])
      // verification.R19: a missing or empty receipt fails too, unless nothing is checked.
      let expected: [AttestationCheck] = receipts == .parse ? [.receiptInvalid] : []
      #expect(try checks({ $0.receipt = [] }, verifier: verifier) == expected)
      #expect(try checks({ $0.hasReceipt = false }, verifier: verifier) == expected)
      #expect(try checks({ $0.receipt = other }, verifier: verifier) == expected)
      #expect(try checks({ $0.receipt = [1] }, verifier: verifier) == expected)
      // The last bytes are the signature.
      let damaged = try checks({ $0.receipt[$0.receipt.count - 10] ^= 1 }, verifier: verifier)
      #expect(damaged == [])
      let judged = verifier.judge(vector).judged
      #expect((judged?.receipt != nil) == (receipts == .parse))
    }
  }

  @Test func `a record's time that is not Apple's`() throws {
    let created = vector.madeAt
    let day: Int64 = 86_400_000
    #expect(try checks(time: created - 300_000) == [])
    #expect(try checks(time: created - 300_001) == [.timeDisagrees])
    #expect(try checks(time: created + day) == [])
    #expect(try checks(time: created + day + 1) == [.timeDisagrees])
    let patient = try Genuine.verifier(for: vector, maxAge: 3 * day)
    #expect(try checks(verifier: patient, time: created + day + 1) == [])
  }

  @Test func `a category or a bundle version that is not allowed`() throws {
    let vector = Genuine.named("apple-guide-2026-ios27")
    func checks(
      _ categories: Set<UInt32>, _ versions: Set<String>
    ) throws -> [AttestationCheck]? {
      let app = AppPolicy(
        id: vector.appId!, categories: Set(categories.map { ValidationCategory(rawValue: $0) }),
        bundleVersions: versions)
      let judgement = try verifier(apps: [app]).judge(vector)
      #expect(judgement.judged?.verified != nil)
      return judgement.checks
    }
    #expect(try checks([], []) == [])
    #expect(try checks([1, 4], ["1"]) == [])
    #expect(try checks([4], []) == [.categoryMismatch])
    #expect(try checks([], ["1.0", "2"]) == [.categoryMismatch])
    #expect(try checks([4], ["2"]) == [.categoryMismatch])
    let listed = AppPolicy(
      id: self.vector.appId!, environments: [.development],
      categories: [ValidationCategory(rawValue: 4)], bundleVersions: ["1"])
    // What carries none is not held against it.
    #expect(try self.checks(verifier: verifier(apps: [listed])) == [])
  }

  @Test func `chains remembered change no judgement`() throws {
    let vectors = Genuine.attestations()
    let apps = Set(vectors.compactMap(\.appId)).sorted().map {
      AppPolicy(id: $0, environments: [.production, .development])
    }
    func verifier(caching: Bool) throws -> AttestationVerifier {
      try AttestationVerifier(
        apps: ConfiguredApps(apps), trustAnchors: [AppleTrust.appAttestationRootCA],
        receiptAnchors: [AppleTrust.rootCAG3], caching: caching)
    }
    let (plain, caching) = try (verifier(caching: false), verifier(caching: true))
    for vector in vectors {
      for shift: Int64 in [0, 86_400_000, -86_400_000, 400 * 86_400_000, -900 * 86_400_000] {
        let time = vector.madeAt + shift
        let expected = plain.judge(vector, time: time).judged?.failures
        #expect(caching.judge(vector, time: time).judged?.failures == expected)
        #expect(caching.judge(vector, time: time).judged?.failures == expected)
      }
    }
  }
}
