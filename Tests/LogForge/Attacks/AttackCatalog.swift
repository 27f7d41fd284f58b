import FindingCodes
internal import Minting

/// One way to cause a finding, in several variants.
struct Attack: Sendable {
  let code: FindingCode
  let variants: Int
  /// The facts that a log must contain for the attack to show.
  var needs: FormTraits = []
  /// The further facts that single variants need.
  var variantNeeds: [Int: FormTraits] = [:]
  let play: @Sendable (inout AttackScene, _ variant: Int) -> Void

  /// Returns the variants that show in logs of this form.
  func variants(in form: any LogForm) -> [Int] {
    guard form.traits.isSuperset(of: needs) else { return [] }
    return (0..<variants).filter { form.traits.isSuperset(of: variantNeeds[$0] ?? []) }
  }
}

/// All attacks, and the choice of those that a run plays.
enum AttackCatalog {
  static let all: [Attack] =
    SceneText.attacks(
      "attestations", "receipts", "assertions", "counters", "keys", "replays", "challenges",
      "records") + streamAttacks + flawAttacks
    + SceneText.attacks("server counters", "devices", "encodings", "platforms", "strays")
    + [flaws(.recordNotAudited)]
    + SceneText.attacks("minted challenges", "access control", "readings") + buildAttacks
    + SceneText.attacks("requests")
    + [Attack(code: .replayAssertion, variants: 1, needs: .batches, play: batch)]

  /// The counter of a device that was attested before these logs begin.
  static let importedCounter: UInt32 = 50

  /// The codes that no log shows. What the pipeline file expects shows them, so that only their names ask
  /// for them: `all` and families do not.
  static let beyondLogs: Set<FindingCode> = [.streamMissing]

  /// Returns the codes that attacks can cause in logs of this form.
  static func codes(in form: any LogForm) -> Set<FindingCode> {
    Set(all.filter { !$0.variants(in: form).isEmpty }.map(\.code)).subtracting(beyondLogs)
  }

  /// The traces that the attackers of a run leave.
  struct Outcome: Sendable {
    var lines: [ForgedLine] = []
    var knownKeys: [KnownKeyRow] = []
    var damagedFiles: [DamagedFile] = []
    var expected: [ExpectedInput] = []
  }

  /// Plays the attacks that `options` ask for: each code once in a small run and a few times in a
  /// large one, its variants in turn, beginning with one that the seed chooses.
  static func play(_ options: ForgeOptions, authority: SyntheticAuthority) -> Outcome {
    let form = options.form
    var outcome = Outcome()
    if options.incident { outcome.lines = incident(options, authority: authority) }
    let instances = options.assertions < 1_000 ? 1 : options.assertions < 100_000 ? 3 : 8
    for (place, attack) in all.enumerated() where options.attacks.contains(attack.code) {
      let variants = attack.variants(in: form)
      guard !variants.isEmpty else { continue }
      for instance in 0..<instances {
        var scene = AttackScene(
          options: options, authority: authority, number: UInt64(place << 8 | instance))
        let turn = options.seed &* UInt64(instances) &+ UInt64(instance)
        attack.play(&scene, variants[Int(turn % UInt64(variants.count))])
        outcome.lines += scene.lines
        outcome.knownKeys += scene.knownKeys
        outcome.damagedFiles += scene.damagedFiles
        outcome.expected += scene.expected
      }
    }
    return outcome
  }

  /// Returns `record` again, as another request.
  static func again(
    _ record: LogRecord, after delay: Int64, _ random: inout ForgeRandom
  ) -> LogRecord {
    var again = record
    again.time += delay
    again.requestID = TrafficRenderer.requestID(&random)
    again.decision = random.once(in: 2) ? .accepted : nil
    return again
  }

  /// Plays a line with several records, one of which comes again (`records.R84`).
  private static func batch(_ scene: inout AttackScene, _ variant: Int) {
    let device = scene.enrolled()
    let first = scene.assertion(of: device, at: scene.start + 30_000, counter: 1)
    let last = scene.assertion(of: device, at: scene.start + 50_000, counter: 2)
    let records = [first, again(first, after: 40_000, &scene.random), last]
    let events = records.map { scene.line($0).bytes() }.joined(separator: [0x2C])
    var line = JSONLine()
    line.add("logGroup", text: "synthetic")
    line.add("logEvents", raw: [0x5B] + Array(events) + [0x5D])
    scene.append(line, at: first.time, finds: [.replayAssertion])
  }
}
