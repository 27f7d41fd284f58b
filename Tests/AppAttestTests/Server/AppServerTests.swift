import AppAttest
import Foundation
import TestSupport
import Testing

@testable import LogForge

/// The example of the documentation, with a synthetic authority and device.
struct AppServerTests {
  private static let noon: Int64 = 1_772_366_400_000

  private let authority: SyntheticAuthority
  private let device: Device
  private let stranger: Device

  init() throws {
    let tools = SigningTools()
    authority = SyntheticAuthority(seed: 5, tools)
    let keys = KeyTable(count: 32, seed: 5)
    let devices = (0..<32).map { keys.device($0) }
    let device = try #require(
      devices.first { !$0.isDevelopment && $0.app == .bank && !$0.system.isMac })
    self.device = device
    stranger = try #require(devices.first { $0.id != device.id && $0.app == .game })
  }

  private func server(_ environments: Set<AttestEnvironment> = [.production]) throws -> AppServer {
    try AppServer(
      app: AppPolicy(id: device.app.id, environments: environments),
      trustAnchors: [authority.root.certificate],
      receiptAnchors: [authority.receiptRoot.certificate])
  }

  private func key(_ device: Device) throws -> Digest256 { try #require(Digest256(device.id)) }

  private func attestation(_ challenge: [UInt8], of device: Device) throws -> [UInt8] {
    var random = device.random(1, 0)
    let recipe = device.attestation(
      at: Self.noon, clientDataHash: Digest256.sha256(challenge.span).bytes, authority: authority,
      &random)
    return AttestationMint.mint(recipe, SigningTools()).token
  }

  private func assertion(_ request: [UInt8], counter: UInt32, of device: Device) throws -> [UInt8] {
    var random = device.random(2, UInt64(counter))
    return device.assertion(
      counter: counter, clientDataHash: Digest256.sha256(request.span).bytes, &random,
      SigningTools()
    ).token
  }

  /// A server that knows the device's key.
  private func registered() throws -> AppServer {
    var server = try server()
    let challenge = server.issueChallenge(at: Self.noon)
    #expect(
      try server.register(
        key(device), attestation: attestation(challenge, of: device), challenge: challenge,
        at: Self.noon) == nil)
    return server
  }

  /// Sends one request, and returns why it was not taken.
  private func send(
    _ text: String, counter: UInt32, to server: inout AppServer, signed: String? = nil,
    by signer: Device? = nil, after delay: Int64 = 0
  ) throws -> String? {
    let challenge = server.issueChallenge(at: Self.noon)
    let request = Array(text.utf8) + challenge
    let message = signed.map { Array($0.utf8) + challenge } ?? request
    return try server.accept(
      request, challenge: challenge,
      assertion: assertion(message, counter: counter, of: signer ?? device), of: key(device),
      at: Self.noon + delay)
  }

  @Test func `a genuine device registers once, and its requests are taken in order`() throws {
    var server = try registered()
    for counter: UInt32 in [1, 2, 7, .max] {
      #expect(try send("pay 1", counter: counter, to: &server) == nil)
    }
    #expect(server.keys.values.map(\.counter) == [.max])
  }

  @Test func `a counter that does not rise is refused, and changes nothing`() throws {
    var server = try registered()
    #expect(
      try send("pay 1", counter: 0, to: &server) == "The counter is 0, not above the last one, 0.")
    #expect(try send("pay 1", counter: 5, to: &server) == nil)
    for counter: UInt32 in [5, 4, 1] {
      #expect(
        try send("pay 1", counter: counter, to: &server)
          == "The counter is \(counter), not above the last one, 5.")
    }
    #expect(server.keys.values.map(\.counter) == [5])
  }

  @Test func `a changed request, another device and another app are refused`() throws {
    var server = try registered()
    let signature = "The signature is invalid under the key's public key."
    #expect(try send("pay 9", counter: 1, to: &server, signed: "pay 1") == signature)
    let reason = try #require(try send("pay 1", counter: 1, to: &server, by: stranger))
    #expect(reason.hasPrefix("The rpIdHash ") && reason.hasSuffix(signature))
    #expect(try send("pay 1", counter: 1, to: &server) == nil)
  }

  @Test func `a trial counts builds, and what a policy would refuse of each`() throws {
    let (honest, modified) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    let hash = [UInt8](repeating: 3, count: 32)
    var random = device.random(4, 0)
    func map(_ code: [UInt8]) -> [UInt8] {
      device.extensionMap(code: code, bundleVersion: "7.1", category: 4, &random)
    }
    var recipe = device.attestation(
      at: Self.noon, clientDataHash: hash, authority: authority, &random)
    recipe.extensionMap = map(honest)
    let verifier = try AttestationVerifier(
      apps: ConfiguredApps([AppPolicy(id: device.app.id)]),
      trustAnchors: [authority.root.certificate],
      receiptAnchors: [authority.receiptRoot.certificate])
    let token = AttestationMint.mint(recipe, SigningTools()).token
    let attestation = verifier.judge(
      token: token.span,
      keyIdentifier: try key(device), clientDataHash: hash.span, appID: device.app.id,
      time: Self.noon)
    guard case .judged(let attested) = attestation else { throw CancellationError() }
    let verified = try #require(attested.verified)
    #expect(verified.origin.platform == .ios && !verified.origin.hasFullSecurity)
    var trial = BuildTrial(
      app: AppPolicy(
        id: device.app.id, bundleVersions: [">=7.2"], codeHashes: [CodeHash(honest.span)]))
    trial.count(verified)
    let requests = try #require(
      AssertionVerifier(publicKey: verified.publicKey, app: AppPolicy(id: device.app.id)))
    let assertion = device.sign(
      device.assertionData(counter: 1, map: map(modified)), clientDataHash: hash, SigningTools())
    let judgement = requests.judge(
      token: assertion.token.span, clientDataHash: hash.span, counters: CounterPolicy(above: 0))
    guard case .judged(let judged) = judgement else { throw CancellationError() }
    #expect(judged.failures.isEmpty)
    trial.count(judged, of: verified.origin.platform)
    #expect(
      trial.builds == [
        "ios appStore 7.1 \(CodeHash(honest.span).hex)": 1,
        "ios appStore 7.1 \(CodeHash(modified.span).hex)": 1,
      ])
    #expect(trial.refused.values.sorted() == [1, 2])
  }

  @Test func `a challenge is used once, in time, and only where it was issued`() throws {
    var server = try registered()
    let challenge = server.issueChallenge(at: Self.noon)
    let request = Array("pay 1".utf8) + challenge
    let token = try assertion(request, counter: 1, of: device)
    let key = try key(device)
    func accept(_ challenge: [UInt8]) -> String? {
      server.accept(request, challenge: challenge, assertion: token, of: key, at: Self.noon)
    }
    #expect(accept([]) != nil && accept(Array(challenge.dropLast())) != nil)
    #expect(accept(challenge) == nil)
    #expect(accept(challenge) == "The challenge is not one that was issued and is unused.")
    #expect(
      try send("pay 2", counter: 2, to: &server, after: 300_001)?.contains("300001 ms") == true)
    #expect(try send("pay 2", counter: 2, to: &server, after: -1)?.contains("-1 ms") == true)
    #expect(try send("pay 2", counter: 2, to: &server, after: 300_000) == nil)
  }

  @Test func `the documentation shows this very code`() throws {
    let article = try String(
      contentsOf: Repository.folder.appending(
        path: "Sources/AppAttest/Documentation.docc/AppAttest.md"), encoding: .utf8)
    for name in ["AppServer", "BuildTrial"] {
      let code = try String(
        contentsOf: Repository.folder.appending(path: "Tests/AppAttestTests/Server/\(name).swift"),
        encoding: .utf8)
      #expect(article.contains("```swift\n\(code)```\n"), "\(name)")
    }
  }
}
