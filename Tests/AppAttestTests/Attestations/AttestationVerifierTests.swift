import AppAttest
import TestSupport
import Testing

/// Several apps, other anchors, and chains that are remembered. Test vectors state the rest.
@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct AttestationVerifierTests {
  private static let vector = Genuine.named("uebelack-development-att")
  private let parts = made { try AttestationPieces(Self.vector.tokenBytes) }

  /// The checks that a changed attestation fails.
  private func checks(
    _ apps: [AppPolicy]? = nil, anchors: [[UInt8]] = [AppleTrust.appAttestationRootCA],
    receiptAnchors: [[UInt8]] = [AppleTrust.rootCAG3], appID: String?? = nil, time: Int64? = nil,
    _ change: (inout AttestationPieces) -> Void = { _ in }
  ) throws -> [AttestationCheck]? {
    var changed = parts
    change(&changed)
    let verifier = try AttestationVerifier(
      apps: ConfiguredApps(apps ?? [policy()]), trustAnchors: anchors,
      receiptAnchors: receiptAnchors)
    return verifier.judge(Self.vector, token: changed.token, appID: appID, time: time).checks
  }

  private func policy(_ environments: Set<AttestEnvironment> = [.development]) -> AppPolicy {
    AppPolicy(id: Self.vector.appId!, environments: environments)
  }

  @Test func `a chain to no anchor, or to an anchor on its way`() throws {
    #expect(try checks(anchors: [AppleTrust.rootCAG3]) == [.chainUntrusted])
    #expect(try checks(receiptAnchors: [AppleTrust.appAttestationRootCA]) == [.receiptInvalid])
    #expect(try checks(anchors: [parts.certificates[1]]) == [])
    let withRoot: (inout AttestationPieces) -> Void = {
      $0.certificates.append(AppleTrust.appAttestationRootCA)
    }
    #expect(try checks(anchors: [AppleTrust.rootCAG3], withRoot) == [.chainUntrusted])
    #expect(
      try checks { $0.certificates[1] = AppleTrust.appAttestationRootCA } == [.chainUntrusted])
  }

  @Test(arguments: [Int64.min, .max]) func `any time can be judged`(time: Int64) throws {
    #expect(try checks(time: time) == [.certificateTime, .receiptInvalid, .timeDisagrees])
  }

  @Test func `several apps, and several environments`() throws {
    let both = [AppPolicy(id: "A.b", environments: [.development]), policy()]
    #expect(try checks(both, appID: "A.b") == [.appIDMismatch, .receiptInvalid])
    #expect(try checks(both, appID: .some(nil)) == [])
    #expect(try checks([AppPolicy(id: "A.b")], appID: .some(nil)) == [.appIDMismatch])
    // For an unknown app either environment will do, but it has to be one.
    #expect(try checks([]) == [.appIDMismatch])
    #expect(
      try checks([]) { $0.authData[37] ^= 1 }
        == [.nonceMismatch, .appIDMismatch, .environmentMismatch])
    let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    #expect(
      try checks([policy([.development, .production])]) {
        $0.authData.replaceSubrange(37..<53, with: production)
      } == [.nonceMismatch, .receiptInvalid])
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
