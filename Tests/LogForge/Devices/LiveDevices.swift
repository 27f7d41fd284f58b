internal import Minting

/// Synthetic devices that answer a server: each attests its key and signs client data when it is asked to.
package struct LiveDevices: ~Copyable {
  /// A key identifier, with an attestation or an assertion of the key.
  package struct Answer {
    package var keyID: [UInt8]
    package var token: [UInt8]
  }

  private let seed: UInt64
  private let authority: SyntheticAuthority
  private let tools: SigningTools
  private var counters: [UInt64: UInt32] = [:]

  /// Makes devices whose receipts can be verified at `time` (milliseconds since 1970).
  package init(seed: UInt64, at time: Int64) {
    self.seed = seed
    tools = SigningTools()
    authority = SyntheticAuthority(seed: seed, signerNotAfter: time / 1000 + 30 * 86_400, tools)
  }

  /// Writes the anchors that verify the answers into the folder `anchors` of `folder`.
  package func writeAnchors(to folder: String) throws(ForgeError) {
    try LogFile.makeFolder(folder, mayExist: true)
    try PipelineFile.writeAnchors(of: authority, to: folder)
  }

  /// Returns an attestation of a device at `time` for client data.
  package func attestation(
    of number: UInt64, for clientData: [UInt8], at time: Int64
  ) -> Answer {
    let device = device(number)
    var random = device.random(0xA77, 0)
    let recipe = device.attestation(
      at: time, clientDataHash: MintingDigest.sha256(clientData), authority: authority, &random)
    return Answer(keyID: device.id, token: AttestationMint.mint(recipe, tools).token)
  }

  /// Returns the next assertion of a device for client data.
  package mutating func assertion(of number: UInt64, for clientData: [UInt8]) -> Answer {
    counters[number, default: 0] += 1
    let (device, counter) = (device(number), counters[number, default: 0])
    var random = device.random(0xA55, UInt64(counter))
    let assertion = device.assertion(
      counter: counter, clientDataHash: MintingDigest.sha256(clientData), &random, tools)
    return Answer(keyID: device.id, token: assertion.token)
  }

  /// Returns a device of the production environment. The systems take turns, the newest first.
  private func device(_ number: UInt64) -> Device {
    let key = KeyTable.deviceKey(seed: seed, stream: number, tools)
    var device = Device(seed: seed, stream: number, key)
    device.app = .bank
    device.isDevelopment = false
    device.category = 4
    device.system = System.all.reversed()[Int(number % UInt64(System.all.count))]
    return device
  }
}
