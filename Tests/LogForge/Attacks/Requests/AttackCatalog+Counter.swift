import FindingCodes
internal import Minting

extension AttackCatalog {
  static let counterAttacks: [Attack] = [
    Attack(code: .counterRegression, variants: 7, play: regression),
    Attack(code: .counterReordered, variants: 4, play: reordered),
    Attack(code: .counterRepeated, variants: 4, play: repeated),
    Attack(code: .counterGap, variants: 4, play: gap),
  ]

  /// One assertion of a history. Seconds would be too coarse, so the time is in milliseconds after
  /// the start.
  typealias Step = (after: Int64, counter: UInt32, finds: [FindingCode])

  /// Plays `steps`, in any order, before which the server has stored the counter `stored`.
  private static func play(
    _ steps: [Step], of device: Device, stored: UInt32 = 0, in scene: inout AttackScene
  ) throws(MintingError) {
    for step in steps {
      let earlier = steps.filter { ($0.after, $0.counter) < (step.after, step.counter) }
      try scene.assert(
        device, at: scene.start + step.after, counter: step.counter, finds: step.finds,
        record: { $0.serverCounter = earlier.map(\.counter).reduce(stored, max) })
    }
  }

  /// Returns a device that was attested before these logs begin, at counter 50.
  static func imported(_ scene: inout AttackScene) throws(MintingError) -> Device {
    let device = try scene.device()
    scene.knownKeys.append(
      KnownKeyRow(
        device: device, attestedAt: scene.start - 90 * 86_400_000, lastCounter: importedCounter,
        namesDevice: scene.form.traits.contains(.deviceJoin)))
    return device
  }

  /// The counter of a device that was attested before these logs begin.
  static let importedCounter: UInt32 = 50

  private static func regression(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try variant == 4 ? imported(&scene) : scene.enrolled()
    let steps: [Step] =
      switch variant {
      case 0:
        [
          (60_000, 1, []), (120_000, 2, []), (180_000, 5, []), (240_000, 6, []),
          (540_000, 3, [.counterRegression]),
        ]
      case 1: [(60_000, 1, []), (61_000, 2, []), (62_000, 0, [.counterRegression])]
      case 2: [(60_000, 0, [.counterRegression]), (61_000, 0, [.counterRegression])]
      case 3:
        // Six is fresh, but five was there forty seconds ago.
        [
          (60_000, 1, []), (100_000, 5, []), (125_000, 6, []),
          (140_000, 4, [.counterRegression]), (141_000, 7, []),
        ]
      case 4: [(60_000, 40, [.counterRegression]), (120_000, 51, [])]
      case 5:
        [
          (60_000, 1, []), (120_000, 10, []), (180_000, 7, [.counterRegression]),
          (181_000, 8, [.counterRegression]), (240_000, 11, []),
        ]
      default: [(60_000, 4, []), (90_001, 3, [.counterRegression])]
      }
    try play(steps, of: device, stored: variant == 4 ? importedCounter : 0, in: &scene)
  }

  private static func reordered(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.enrolled()
    let steps: [Step] =
      switch variant {
      case 0: [(60_000, 1, []), (70_000, 4, []), (80_000, 3, [.counterReordered])]
      case 1: [(60_000, 4, []), (90_000, 3, [.counterReordered])]
      case 2:
        [
          (60_000, 5, []), (60_001, 3, [.counterReordered]), (60_002, 4, [.counterReordered]),
          (60_003, 6, []),
        ]
      // Within one millisecond the counters show which came first.
      default: [(60_000, 4, []), (60_000, 3, []), (60_005, 2, [.counterReordered])]
      }
    try play(steps, of: device, in: &scene)
  }

  private static func repeated(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try variant == 2 ? imported(&scene) : scene.enrolled()
    let steps: [Step] =
      switch variant {
      case 0: [(60_000, 1, []), (61_000, 1, [.counterRepeated])]
      case 1:
        [
          (60_000, 1, []), (120_000, 2, []), (180_000, 3, []),
          (3_600_000, 1, [.counterRepeated]), (3_660_000, 2, [.counterRepeated]),
          (3_720_000, 3, [.counterRepeated]), (3_780_000, 4, []),
        ]
      case 2: [(60_000, 50, [.counterRepeated]), (120_000, 51, [])]
      default: [(60_000, 1, []), (120_000, 9, []), (130_000, 1, [.counterRepeated])]
      }
    try play(steps, of: device, stored: variant == 2 ? importedCounter : 0, in: &scene)
  }

  private static func gap(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    let device = try variant == 3 ? imported(&scene) : scene.enrolled()
    let limit = AttackSettings.counterGap
    let steps: [Step] =
      switch variant {
      case 0:
        [
          (60_000, 1, []), (120_000, 1 + limit, []),
          (180_000, 2 + 2 * limit, [.counterGap]),
        ]
      case 1: [(60_000, limit + 1, [.counterGap]), (120_000, limit + 2, [])]
      case 2: [(60_000, 1, []), (120_000, 0xFFFF_FFFF, [.counterGap])]
      default: [(60_000, 51 + limit, [.counterGap])]
      }
    try play(steps, of: device, stored: variant == 3 ? importedCounter : 0, in: &scene)
  }
}
