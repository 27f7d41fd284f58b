import FindingCodes
internal import Minting

extension AttackCatalog {
  static let serverCounterAttacks: [Attack] = [
    Attack(
      code: .counterServerMismatch, variants: 8, needs: .serverCounter, play: storedCounter)
  ]

  /// One assertion and the counter that the server had stored before it, or nil if the record does
  /// not give it.
  private typealias StoredStep = (
    after: Int64, counter: UInt32, stored: UInt32?, finds: [FindingCode]
  )

  private static func storedCounter(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try variant == 4 ? imported(&scene) : scene.enrolled()
    let mismatch = [FindingCode.counterServerMismatch]
    let steps: [StoredStep] =
      switch variant {
      case 0:
        // The store was restored to its contents of an hour ago.
        [
          (60_000, 1, 0, []), (120_000, 2, 1, []), (180_000, 7, 2, []),
          (3_600_000, 8, 2, mismatch), (3_660_000, 9, 8, []), (3_720_000, 10, nil, []),
        ]
      case 1:
        // The server has seen requests that this log has not.
        [(60_000, 1, 0, []), (120_000, 9, 8, mismatch), (180_000, 10, 9, [])]
      case 2:
        // A server that never stores anything.
        [
          (60_000, 1, 0, []), (120_000, 2, 0, mismatch), (180_000, 3, 0, mismatch),
          (240_000, 4, nil, []),
        ]
      case 3:
        // It stores the last counter, and so lets a counter that was set back pass.
        [
          (60_000, 5, 0, []), (120_000, 3, 5, [.counterRegression]),
          (
            180_000, 4, 3,
            [
              .counterServerMismatch, .counterRegression,
            ]
          ), (240_000, 6, 5, []), (300_000, 7, 0xFFFF_FFFF, mismatch),
        ]
      case 4: [(60_000, 51, 0, mismatch), (120_000, 52, 51, [])]
      case 5: [(60_000, 1, 1, mismatch), (120_000, 2, 1, [])]
      case 6:
        // Requests at once read one stored value, but not for longer than the tolerance.
        [
          (60_000, 1, 0, []), (60_020, 2, 0, []), (60_021, 3, 1, []), (89_999, 4, 0, []),
          (90_022, 5, 3, []), (119_998, 6, 3, []), (149_999, 7, 5, mismatch),
          (150_025, 8, 3, mismatch), (150_026, 9, 6, []),
        ]
      default: [(60_000, 1, 0, []), (120_000, 2, 0, mismatch)]
      }
    for step in steps {
      try scene.assert(
        device, at: scene.start + step.after, counter: step.counter, finds: step.finds,
        record: {
          $0.serverCounter = step.stored
          // Rejected requests do not count for the stored counter.
          $0.decision = .accepted
        })
    }
    if variant == 7 { try rejected(&scene, device) }
    if variant == 5 { try uncounted(&scene, device) }
  }

  /// Plays requests that the server rejected, and whose counters it does not store.
  private static func rejected(_ scene: inout AttackScene, _ device: Device)
    throws(MintingError)
  {
    let valid = [FindingCode.decisionRejectedValid]
    let steps: [(counter: UInt32, stored: UInt32, isRejected: Bool, finds: [FindingCode])] = [
      (3, 2, true, valid), (4, 2, false, []), (9, 4, true, valid),
      (10, 9, false, [.counterServerMismatch]), (11, 10, false, []),
    ]
    for (place, step) in steps.enumerated() {
      try scene.assert(
        device, at: scene.start + 240_000 + Int64(place) * 60_000, counter: step.counter,
        finds: step.finds,
        record: {
          $0.serverCounter = step.stored
          $0.decision = step.isRejected ? .rejected : .accepted
        })
    }
  }

  /// Plays assertions that do not count. The counters that the server had stored before them do not
  /// count either.
  private static func uncounted(_ scene: inout AttackScene, _ device: Device)
    throws(MintingError)
  {
    let good = try scene.assert(
      device, at: scene.start + 180_000, counter: 3, record: { $0.serverCounter = 2 })
    var again = good
    again.time += 20_000
    again.serverCounter = 99
    again.decision = .accepted
    scene.append(again, finds: [.replayAssertion])
    let data = scene.freshData(.assertion)
    var forged = try device.assertion(
      counter: 4, clientDataHash: data.hash, &scene.random, scene.tools)
    forged.s[31] ^= 1
    scene.log(
      forged.token, of: device, at: scene.start + 240_000, data: data,
      finds: [.assertionSignatureInvalid], record: { $0.serverCounter = 98 })
    try scene.assert(
      device, at: scene.start + 300_000, counter: 4, record: { $0.serverCounter = 3 })
  }
}
