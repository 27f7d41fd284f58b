import AuditEngine
import Testing

@testable import LogForge

struct ForgedCodeTests {
  @Test func `every finding that there is can be forged`() {
    #expect(ForgedCode.allCases.map(\.rawValue).sorted() == FindingCode.allCases.map(\.name))
    #expect(Set(AttackCatalog.all.map(\.code)) == Set(ForgedCode.allCases))
  }
}
