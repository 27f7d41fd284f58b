import AppAttest
import Minting
import Testing

@testable import LogForge

struct DeviceTests {
  private let apps = ConfiguredApps([
    AppPolicy(id: SyntheticApp.bank.id, environments: [.production, .development]),
    AppPolicy(
      id: SyntheticApp.game.id, environments: [.production],
      categories: [.init(rawValue: 2), .init(rawValue: 4)], bundleVersions: ["7.1", "7.2"]),
  ])

  @Test func `honest devices pass every check of an attestation and an assertion`() throws {
    let authority = try Minted.authority.get()
    let tools = try SigningTools()
    let verifier = try AttestationVerifier(
      apps: apps, trustAnchors: [authority.root.certificate],
      receiptAnchors: [authority.receiptRoot.certificate])
    let keys = try KeyTable(count: 96, seed: 42)
    var shortCoordinates = 0
    var maps = 0
    for index in 0..<96 {
      let device = keys.device(index)
      var random = device.random(1, 0)
      let hash = random.bytes(32)
      let recipe = device.attestation(
        at: TrafficPlan.dayStart, clientDataHash: hash, authority: authority, &random)
      let parts = try AttestationMint.mint(recipe, tools)
      for token in [parts.token, parts.respelledToken] {
        let judgement = verifier.judge(
          token: token.span, keyIdentifier: try #require(Digest256(device.id)),
          clientDataHash: hash.span, appID: device.app.id, time: TrafficPlan.dayStart)
        guard case .judged(let judged) = judgement else {
          Issue.record("malformed")
          continue
        }
        #expect(judged.failures == [])
        #expect(judged.verified?.publicKey == device.point)
      }
      shortCoordinates += device.point[1] == 0 || device.point[33] == 0 ? 1 : 0
      let assertion = try device.assertion(
        counter: 1, clientDataHash: hash, &random, tools)
      maps += assertion.authenticatorData.count > 37 ? 1 : 0
      let nonce = MintingDigest.sha256(assertion.authenticatorData + hash)
      #expect(
        Minted.holds(MintingDigest.sha256(nonce), assertion.signature, point: device.point))
      for token in [assertion.token, assertion.respelledToken(&random)] {
        let parsed = try AppAttest.Assertion.parse(token.span)
        #expect(parsed.counter == 1)
      }
    }
    #expect(shortCoordinates >= 6)
    #expect((10...80).contains(maps))
  }
}
