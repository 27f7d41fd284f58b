import FindingCodes
internal import Minting

extension AttackCatalog {
  /// The number of the incident's scene. It differs from that of any attack.
  private static let incidentNumber: UInt64 = 1 << 24

  /// One request of the key that is in two devices.
  private struct IncidentStep {
    var time: Int64
    var counter: UInt32
    var isThief: Bool
  }

  private static let minute: Int64 = 60_000
  private static let hour = 60 * minute

  /// Plays an incident. An owner uses an app by day. On the evening of the first day somebody takes
  /// a copy of the private key, and uses it every night from then on, each device with counters of
  /// its own. On the third day three of the owner's requests are sent again.
  static func incident(
    _ options: ForgeOptions, authority: SyntheticAuthority
  ) -> [ForgedLine] {
    var scene = AttackScene(options: options, authority: authority, number: incidentNumber)
    let device = scene.device(app: .bank)
    scene.attest(device, at: TrafficPlan.dayStart + 8 * hour)
    var seen: Set<UInt32> = []
    var replays = 0
    var highest: UInt32 = 0
    for step in steps(options) {
      let finds: [FindingCode] =
        seen.contains(step.counter)
        ? [.counterRepeated] : step.counter < highest ? [.counterRegression] : []
      seen.insert(step.counter)
      highest = max(highest, step.counter)
      let name = TrafficRenderer.requestID(&scene.random)
      let record = scene.assert(
        device, at: step.time, counter: step.counter, finds: finds,
        record: {
          $0.requestID = name
          $0.subject = device.subject
          $0.decision = .accepted
        })
      let day = (step.time - TrafficPlan.dayStart) / TrafficPlan.dayLength
      guard !step.isThief, day == 2, replays < 3 else { continue }
      replays += 1
      var copy = again(record, after: 20 * minute, &scene.random)
      copy.decision = .accepted
      let isExpired =
        options.attacks.contains(.challengeExpired) && options.writesChallenges(for: .assertion)
      scene.append(copy, finds: [.replayAssertion] + (isExpired ? [.challengeExpired] : []))
    }
    return scene.lines
  }

  /// Returns the requests of both devices, in order of time.
  private static func steps(_ options: ForgeOptions) -> [IncidentStep] {
    var steps: [IncidentStep] = []
    var owner: UInt32 = 0
    var thief: UInt32 = 0
    for day in 0..<Int64(options.days) {
      let midnight = TrafficPlan.dayStart + day * TrafficPlan.dayLength
      if day > 0 {
        for number in 0..<6 {
          thief += 1
          steps.append(
            IncidentStep(
              time: midnight + hour + Int64(number) * 17 * minute, counter: thief, isThief: true))
        }
      }
      for number in 0..<12 {
        owner += 1
        steps.append(
          IncidentStep(
            time: midnight + 9 * hour + Int64(number) * 61 * minute, counter: owner,
            isThief: false))
      }
      if day == 0 { thief = owner }
    }
    return steps
  }
}
