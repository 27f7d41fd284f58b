import Testing

@testable import AuditState

struct StateFormatTests {
  @Test func `the format has a version`() {
    #expect(StateFormat.version == 5)
  }
}
