import AppAttest
import Testing

@testable import AuditEngine

@Suite struct `Apps that are not configured` {
  private static func hash(_ number: Int) -> Digest256 {
    .sha256(Array("\(number)".utf8).span)
  }

  @Test func `what is kept depends on the records alone`() {
    var records = (0..<2000).flatMap { number in Array(repeating: number, count: number % 7 + 1) }
    func counted(_ records: [Int], workers: Int) -> UnconfiguredApps {
      var parts = [UnconfiguredApps](repeating: UnconfiguredApps(), count: workers)
      for (index, number) in records.enumerated() {
        parts[index % workers].count(Self.hash(number)) {
          number.isMultiple(of: 2) ? "\(number)" : nil
        }
      }
      return parts.reduce(into: UnconfiguredApps()) { $0 += $1 }
    }
    let one = counted(records, workers: 1)
    #expect(one.records == UInt64(records.count))
    #expect(one.ranked.count == UnconfiguredApps.limit)
    records.reverse()
    #expect(counted(records, workers: 3) == one)
    records.sort()
    #expect(counted(records, workers: 8) == one)
    #expect(one.notice == counted(records, workers: 2).notice)
  }

  @Test func `of an App ID that is too long to be one the beginning is kept, whoever counts`() {
    for (letter, bytes) in [("a", 1), ("é", 2), ("€", 3), ("😀", 4)] {
      let long = String(repeating: letter, count: 1_000_000)
      var one = UnconfiguredApps()
      for _ in 0..<2 { one.count(Self.hash(1)) { long } }
      var all = UnconfiguredApps()
      for _ in 0..<2 {
        var part = UnconfiguredApps()
        part.count(Self.hash(1)) { long }
        all += part
      }
      #expect(all == one)
      let kept = String(repeating: letter, count: UnconfiguredApps.idBytes / bytes) + "…"
      #expect(one.ranked.map(\.value.id) == [kept])
      var late = UnconfiguredApps()
      for id in [nil, long] { late.count(Self.hash(1)) { id } }
      #expect(late == one)
    }
    var whole = UnconfiguredApps()
    let id = String(repeating: "a", count: UnconfiguredApps.idBytes)
    whole.count(Self.hash(1)) { id }
    #expect(whole.ranked.map(\.value.id) == [id])
  }

  @Test func `apps that were accepted are not told of`() {
    var apps = UnconfiguredApps()
    for (number, id) in ["A.b", "C.d", nil].enumerated() {
      apps.count(Self.hash(number), records: UInt64(number + 1)) { id }
    }
    func accepted(_ target: AcceptedFinding.Target) -> AcceptedFindings {
      AcceptedFindings(
        [AcceptedFinding(target, severity: .high, reason: "known", expires: "2030-01-01")],
        day: "2026-01-01")
    }
    func notice(_ target: AcceptedFinding.Target) -> String? {
      let accepted = accepted(target)
      return apps.removing { accepted.coversMismatches(of: $0) }.notice
    }
    #expect(notice(.code(.assertionAppIDMismatch)) == nil)
    #expect(notice(.code(.assertionMalformed)) == apps.notice)
    #expect(
      notice(.app(.attestationAppIDMismatch, "C.d"))?.hasPrefix(
        "4 records are of apps that are not configured: the one with rpIdHash "
          + "\(Self.hash(2).hex.prefix(8))… (3), A.b (1);") == true)
  }

  @Test func `the notice names the three with the most records`() {
    var apps = UnconfiguredApps()
    #expect(apps.notice == nil)
    apps.count(Self.hash(1)) { "A.b" }
    #expect(
      apps.notice
        == "1 record is of apps that are not configured: A.b (1); if an app is yours, add "
        + "it under apps in the pipeline file; --app-id replaces all that are there")
    apps.count(Self.hash(2), records: 5) { nil }
    apps.count(Self.hash(3), records: 9) { "C.d" }
    apps.count(Self.hash(4), records: 2) { "E.f" }
    #expect(
      apps.notice?.hasPrefix(
        "17 records are of apps that are not configured: C.d (9), the one with rpIdHash "
          + "\(Self.hash(2).hex.prefix(8))… (5), E.f (2), 1 more;"
      ) == true)
  }
}
