import AuditSettings
import Testing

@testable import attest_audit

struct AuditDayTests {
  @Test func `yesterday is the day before in utc`() {
    #expect(AuditDay.yesterday(of: 1_772_323_200_000) == "2026-02-28")
    #expect(AuditDay.yesterday(of: 1_772_323_199_999) == "2026-02-27")
  }
}
