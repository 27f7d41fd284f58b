import Foundation
import Testing

@testable import LogForge

/// The forms of devices' bytes, compared with those that were measured (`facts.R2`).
struct SystemTests {
  @Test(
    arguments: [
      (
        System.macOS27,
        "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB"
      ),
      (
        .iOS26,
        "MEMMAjExMD0wCgwDb2tkoQMBAf8wCQwCb2GhAwEB/zALDARvc2duoQMBAf8wCwwEb2RlbKEDAQH/MAoMA29ja6EDAQH/"
      ), (.iOS18, nil), (.iOS14, nil),
    ] as [(System, String?)])
  func `access control has the octets of facts R36`(system: System, octets: String?) {
    #expect(system.accessControl.map { Data($0).base64EncodedString() } == octets)
  }

  @Test(
    arguments: [
      (.iOS14Beta, 87_000...87_000), (.iOS14, days(3...3)), (.iOS16, days(193...354)),
      (.iOS17, days(193...354)), (.iOS18, days(193...354)), (.iOS26, days(3...3)),
      (.iOS27, days(3...3)), (.macOS27, days(3...3)),
    ] as [(System, ClosedRange<Int64>)])
  func `a leaf has the validity of facts R14 and the clock of R35`(
    system: System, lifetime: ClosedRange<Int64>
  ) throws {
    var device = KeyTable(count: 1, seed: 3).device(0)
    device.system = system
    var random = device.random(1, 0)
    for _ in 0..<50 {
      let recipe = device.attestation(
        at: TrafficPlan.dayStart, clientDataHash: [1], authority: Minted.authority.get(),
        &random)
      #expect(lifetime.contains(recipe.notAfter - recipe.notBefore))
      let time = try #require(recipe.receipt.created)
      let created = try Self.milliseconds(time)
      let clock = recipe.leafSerial.reduce(0) { $0 << 8 | Int64($1) }
      #expect(recipe.leafSerial.count == 6)
      #expect((6...1_110).contains(created - clock))
      #expect(abs(created / 1000 - system.lead - recipe.notBefore) <= 4)
    }
  }

  private static func days(_ days: ClosedRange<Int64>) -> ClosedRange<Int64> {
    days.lowerBound * 86_400...days.upperBound * 86_400
  }

  /// Returns a time with any number of fraction digits, in milliseconds since 1970.
  private static func milliseconds(_ text: String) throws -> Int64 {
    let seconds = try Date.ISO8601FormatStyle().parse(text.prefix(19) + "Z").timeIntervalSince1970
    let fraction = text.dropFirst(20).prefix { $0.isNumber }.prefix(3)
    return Int64(seconds) * 1000
      + (Int64(String(fraction).padding(toLength: 3, withPad: "0", startingAt: 0)) ?? 0)
  }
}
