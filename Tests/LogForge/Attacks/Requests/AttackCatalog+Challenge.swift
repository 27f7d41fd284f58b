import FindingCodes
internal import Minting

extension AttackCatalog {
  static let challengeAttacks: [Attack] = [
    Attack(
      code: .challengeNotIssued, variants: 4, needs: [.challengeRecords, .freshRequests],
      play: notIssued),
    Attack(
      code: .challengeExpired, variants: 4, needs: .challengeRecords,
      variantNeeds: [0: .freshRequests, 2: .freshRequests, 3: .freshRequests], play: expired),
    Attack(
      code: .challengeWeak, variants: 4,
      variantNeeds: [1: .freshRequests, 2: .freshRequests, 3: .freshRequests], play: weak),
  ]

  private static func notIssued(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    if variant == 1 {
      let device = try scene.device()
      try scene.attest(device, at: scene.start, issued: false, finds: [.challengeNotIssued])
      try scene.assert(device, at: scene.start + 60_000, counter: 1)
      return
    }
    let device = try scene.enrolled()
    let time = scene.start + 60_000
    if variant == 2 {
      // Servers' clocks differ, but by no more than the tolerance.
      let tolerance = AttackSettings.reorderTolerance
      let punctual = scene.freshData(.assertion)
      try scene.assert(device, at: time, counter: 1, data: punctual, issued: false)
      scene.issue(punctual, for: .assertion, at: time + tolerance)
      let tardy = scene.freshData(.assertion)
      try scene.assert(
        device, at: time + 60_000, counter: 2, data: tardy, issued: false,
        finds: [.challengeNotIssued])
      scene.issue(tardy, for: .assertion, at: time + 60_000 + tolerance + 1)
    } else {
      // A bare challenge in place of a hash cannot be found among hashes.
      let data =
        variant == 0 ? scene.freshData(.assertion) : ClientData(opaqueHash: scene.random.bytes(24))
      try scene.assert(
        device, at: time, counter: 1, data: data, issued: false, finds: [.challengeNotIssued])
    }
  }

  private static func expired(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let ttl = AttackSettings.challengeTTL
    let time = scene.start + 60_000
    let data = scene.freshData(variant == 1 ? .attestation : .assertion)
    if variant == 1 {
      let device = try scene.device()
      scene.issue(data, for: .attestation, at: time - 3 * ttl)
      try scene.attest(
        device, at: time, data: data, issued: false, finds: [.challengeExpired])
      try scene.assert(device, at: time + 60_000, counter: 1)
      return
    }
    let device = try scene.enrolled()
    if variant == 2 {
      // Issued twice: the last time counts.
      scene.issue(data, for: .assertion, at: time - 4 * ttl)
      scene.issue(data, for: .assertion, at: time - 2 * ttl)
      let renewed = scene.freshData(.assertion)
      scene.issue(renewed, for: .assertion, at: time - 4 * ttl)
      scene.issue(renewed, for: .assertion, at: time - ttl)
      try scene.assert(
        device, at: time, counter: 1, data: renewed, issued: false)
    } else {
      scene.issue(data, for: .assertion, at: time - ttl - (variant == 0 ? 60_000 : 1))
    }
    try scene.assert(
      device, at: time + 1, counter: 2, data: data, issued: false, finds: [.challengeExpired])
  }

  private static func weak(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    let length = [15, 15, 8, 12][variant]
    let data = ClientData(bytes: weakText(&scene.random, length))
    let strong = ClientData(bytes: weakText(&scene.random, 16))
    scene.issue(
      data, for: variant == 0 ? .attestation : .assertion, at: scene.start - 10_000,
      finds: [.challengeWeak])
    if variant == 0 {
      let device = try scene.device()
      try scene.attest(
        device, at: scene.start, data: data, issued: false, finds: [.challengeWeak])
      let request = scene.form.traits.contains(.freshRequests) ? strong : nil
      try scene.assert(device, at: scene.start + 60_000, counter: 1, data: request)
      return
    }
    let device = try scene.device()
    try scene.attest(device, at: scene.start - 5_000, data: strong)
    try scene.assert(
      device, at: scene.start, counter: 1, data: data, issued: false, finds: [.challengeWeak])
  }
}
