internal import OpenSSL

extension AttackCatalog {
  static let challengeAttacks: [Attack] = [
    Attack(code: .challengeNotIssued, variants: 4, play: notIssued),
    Attack(code: .challengeExpired, variants: 4, play: expired),
    Attack(code: .challengeWeak, variants: 4, play: weak),
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
      let punctual = scene.freshData()
      try scene.assert(device, at: time, counter: 1, data: punctual, issued: false)
      scene.issue(punctual, at: time + tolerance)
      let tardy = scene.freshData()
      try scene.assert(
        device, at: time + 60_000, counter: 2, data: tardy, issued: false,
        finds: [.challengeNotIssued])
      scene.issue(tardy, at: time + 60_000 + tolerance + 1)
    } else {
      // A bare challenge in place of a hash cannot be found among hashes.
      let data =
        variant == 0 ? scene.freshData() : ClientData(opaqueHash: scene.random.bytes(24))
      try scene.assert(
        device, at: time, counter: 1, data: data, issued: false, finds: [.challengeNotIssued])
    }
  }

  private static func expired(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let ttl = AttackSettings.challengeTTL
    let time = scene.start + 60_000
    let data = scene.freshData()
    if variant == 1 {
      let device = try scene.device()
      scene.issue(data, at: time - 3 * ttl)
      try scene.attest(
        device, at: time, data: data, issued: false, finds: [.challengeExpired])
      try scene.assert(device, at: time + 60_000, counter: 1)
      return
    }
    let device = try scene.enrolled()
    if variant == 2 {
      // Issued twice: the last time counts.
      scene.issue(data, at: time - 4 * ttl)
      scene.issue(data, at: time - 2 * ttl)
      let renewed = scene.freshData()
      scene.issue(renewed, at: time - 4 * ttl)
      scene.issue(renewed, at: time - ttl)
      try scene.assert(
        device, at: time, counter: 1, data: renewed, issued: false)
    } else {
      scene.issue(data, at: time - ttl - (variant == 0 ? 60_000 : 1))
    }
    try scene.assert(
      device, at: time + 1, counter: 2, data: data, issued: false, finds: [.challengeExpired])
  }

  private static func weak(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    let length = [15, 15, 8, 12][variant]
    let data = ClientData(bytes: weakText(&scene.random, length))
    let strong = ClientData(bytes: weakText(&scene.random, 16))
    scene.issue(data, at: scene.start - 10_000, finds: [.challengeWeak])
    if variant == 0 {
      let device = try scene.device()
      try scene.attest(
        device, at: scene.start, data: data, issued: false, finds: [.challengeWeak])
      try scene.assert(device, at: scene.start + 60_000, counter: 1, data: strong)
      return
    }
    let device = try scene.device()
    try scene.attest(device, at: scene.start - 5_000, data: strong)
    try scene.assert(
      device, at: scene.start, counter: 1, data: data, issued: false, finds: [.challengeWeak])
  }
}
