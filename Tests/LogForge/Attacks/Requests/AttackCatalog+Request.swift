import FindingCodes
internal import Minting

extension AttackCatalog {
  /// Requests that come again and are neither duplicates nor retries, however much they look so.
  static let requestAttacks: [Attack] = [
    Attack(
      code: .replayAssertion, variants: 5, needs: [.requestID, .freeSpelling], play: otherRequest),
    Attack(code: .replayAssertion, variants: 4, needs: .statuses, play: undecided),
    Attack(code: .replayAssertion, variants: 1, needs: .batches, play: batch),
  ]

  /// Plays a request in two logs with one identifier, but on another route or for another account, or with an
  /// identifier that is none (`records.R22`, `detection.R37`).
  private static func otherRequest(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    var device = try scene.device()
    device.subject = nil
    try scene.attest(device, at: scene.start)
    var first = try scene.assertion(of: device, at: scene.start + 30_000, counter: 1)
    first.subject = "owner"
    first.requestID = ["req-\(device.stream)", "req-\(device.stream)", "-", "none", "0"][variant]
    var second = first
    second.time += 10_000
    if variant == 1 { second.subject = "thief" }
    for (server, record) in [first, second].enumerated() {
      var line = scene.line(record)
      line.remove("userAgent")
      line.add("route", text: variant == 0 ? "/v\(server)/pay" : "/pay")
      let finds: [FindingCode] =
        variant == 1 ? [.replayAssertion, .keySubjectChanged] : [.replayAssertion]
      scene.append(line, at: record.time, finds: server == 0 ? [] : finds, server: server)
    }
  }

  /// Plays a request with a status that decides nothing, which comes again (`records.R94`).
  private static func undecided(_ scene: inout AttackScene, _ variant: Int)
    throws(MintingError)
  {
    let device = try scene.enrolled()
    var first = try scene.assertion(of: device, at: scene.start + 30_000, counter: 1)
    first.decision = nil
    let status = "\":\([406, 412, 499, 500][variant])"
    let line = scene.form.spelled(scene.line(first), &scene.random)
    scene.append(
      line.replacing(Array("\":200".utf8), with: Array(status.utf8)), at: first.time, finds: [])
    scene.append(again(first, after: 20_000, &scene.random), finds: [.replayAssertion])
  }

  /// Plays a line with several records, one of which comes again (`records.R84`).
  private static func batch(_ scene: inout AttackScene, _ variant: Int) throws(MintingError) {
    let device = try scene.enrolled()
    let first = try scene.assertion(of: device, at: scene.start + 30_000, counter: 1)
    let last = try scene.assertion(of: device, at: scene.start + 50_000, counter: 2)
    let records = [first, again(first, after: 40_000, &scene.random), last]
    let events = records.map { scene.line($0).bytes() }.joined(separator: [0x2C])
    var line = JSONLine()
    line.add("logGroup", text: "synthetic")
    line.add("logEvents", raw: [0x5B] + Array(events) + [0x5D])
    scene.append(line, at: first.time, finds: [.replayAssertion])
  }
}
