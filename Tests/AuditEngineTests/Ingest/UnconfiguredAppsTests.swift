import AppAttest
import Testing

@testable import AuditEngine

@Suite struct `Apps that are not configured` {
  private static func counted(_ ids: [String?]) -> UnconfiguredApps {
    ids.reduce(into: UnconfiguredApps()) { $0.count($1) }
  }

  @Test func `the notice names the first App ID, whoever counts in which order`() {
    let long = String(repeating: "A", count: UnconfiguredApps.idBytes + 1)
    let ids = ["C.d", nil, long, "A.b", "", "A.b"]
    var sum = UnconfiguredApps()
    for part in [ids[3...], ids[..<3]] { sum += Self.counted(Array(part)) }
    #expect(sum == Self.counted(ids) && sum == Self.counted(ids.reversed()))
    #expect(
      sum.notice(of: 1000)
        == "6 records are of apps that are not configured, such as A.b; if an app is yours, add "
        + "it under apps in the pipeline file; --app-id replaces all that are there")
  }

  @Test func `without an App ID, many records or a good part of all are worth a notice`() {
    #expect(UnconfiguredApps().notice(of: 0) == nil)
    for (count, requests, isTold) in [
      (1, 20, true), (1, 21, false), (19, 999, false), (20, 999, true),
    ] {
      let apps = Self.counted(Array(repeating: nil, count: count))
      #expect((apps.notice(of: UInt64(requests)) != nil) == isTold)
    }
  }

  @Test func `entries that accept their findings cover them`() {
    func covers(_ target: AcceptedFinding.Target, _ appID: String?) -> Bool {
      AcceptedFindings(
        [AcceptedFinding(target, severity: .high, reason: "known", expires: "2030-01-01")],
        day: "2026-01-01"
      ).coversMismatches(of: appID)
    }
    #expect(covers(.code(.assertionAppIDMismatch), nil))
    #expect(!covers(.code(.assertionMalformed), "C.d"))
    #expect(covers(.app(.attestationAppIDMismatch, "C.d"), "C.d"))
    #expect(!covers(.app(.attestationAppIDMismatch, "C.d"), "A.b"))
  }
}
