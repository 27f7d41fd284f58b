import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Attacks on the assignment of keys to devices, for logs whose requests name devices only. Each request
  /// belongs to the key that signed it (`records.R77`).
  static let deviceAttacks =
    [Attack(code: .keyUnknown, variants: 2, needs: .deviceJoin, play: strangeDevices)]
    + SceneText.attacks(
      """
      key.untrusted deviceJoin
        device a; noise; attest a 0 nonce !attestation.nonce_mismatch; key b a; noise; \
      attest b 3600 nonce !attestation.nonce_mismatch; a 60 1 !key.untrusted; a 3500 2; \
      b 3660 1 !key.untrusted
        device a; noise; attest a 0 nonce !attestation.nonce_mismatch; key b a; list b; b 60 51; \
      device c; noise; attest c 0 nonce !attestation.nonce_mismatch; c 60 1 !key.untrusted
      attestation.chain_untrusted deviceJoin
      \(takeover(0))
      \(takeover(1))
      \(takeover(2))
      assertion.signature_invalid deviceJoin
        enrol a; key b a; a 60 1; attest b 3600; \(both(2))
        enrol a; key b a; a 60 1; attest b 3600; b 3569.999 1 !key.used_before_attestation; \
      b 3570 2; \(both(2))
        import a; key b a; a 60 51; attest b 3600; \(both(52))
        enrol a; key b a; a 60 1; attest b 3600; attest a 4200 accepted !key.reattested; \(both(2))
        enrol a; key b a; a 60 1; attest b 120 rejected !decision.rejected_valid; a 180 2; key s a; \
      s 240 3 !assertion.signature_invalid; a 300 3
        enrol a; key b a; attest b 3600; a 3591 1; b 3599.500 1; a 3630 2; a 3630.001 3; key s a; \
      s 3599.600 2 !assertion.signature_invalid; b 3660 2
      key.used_before_attestation deviceJoin
        enrol a; key b a; attest b 3600; a -600 1 !key.used_before_attestation; a 60 2; b 3660 1
      """)

  /// An attestation that fails takes no device from its owner.
  private static func takeover(_ chain: Int) -> String {
    "  enrol a; key b a; chain \(chain); a 60 1; attest b 120 chain !attestation.chain_untrusted; "
      + "a 180 2; b 240 3 !assertion.signature_invalid; a 300 3"
  }

  /// A device goes on with both of its keys, and a stranger uses its name.
  private static func both(_ counter: Int) -> String {
    "b 4260 3; a 4320 \(counter); b 4380 4; key s a; s 3540 1 !assertion.signature_invalid; "
      + "s 4440 1 !assertion.signature_invalid"
  }

  private static func strangeDevices(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    if variant == 0 {
      // Names are compared by their bytes: neither case nor Unicode's other spelling is the same.
      var known = try scene.device()
      known.deviceID = "Zo\u{EB}s iPad \(scene.random.below(1_000_000))"
      try scene.attest(known, at: scene.start)
      try scene.assert(known, at: scene.start + 60_000, counter: 1)
      for (place, letters) in ["Zoe\u{308}", "zo\u{EB}", "Zo\u{EB} "].enumerated() {
        var strange = known
        strange.deviceID = letters + known.deviceID.dropFirst(3)
        let time = scene.start + 120_000 + Int64(place) * 10_000
        try scene.assert(strange, at: time, counter: 2, finds: [.keyUnknown])
        try scene.assert(strange, at: time + 1_000, counter: 3)
      }
      return
    }
    // Two devices, one finding each, at their earliest requests. A number and its digits are one
    // name.
    var number = try scene.device()
    number.deviceID = String(scene.random.within(1_000_000_000...9_999_999_999))
    let other = try scene.device()
    for step in [Int64(3), 2, 1] {
      try scene.assert(
        number, at: scene.start + step * 1_000, counter: UInt32(step),
        finds: step == 1 ? [.keyUnknown] : [])
      try scene.assert(
        other, at: scene.start + step * 1_000, counter: UInt32(step),
        finds: step == 1 ? [.keyUnknown] : [])
    }
  }
}
