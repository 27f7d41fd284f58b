import Testing

@testable import AuditSettings

struct NearestNameTests {
  @Test(
    arguments: [
      ("inptus", "inputs"), ("Inputs", "inputs"), ("recipts", "receipts"), ("out", "out"),
      ("zzzzzz", nil), ("", nil),
    ] as [(String, String?)])
  func `the nearest name is found if it is near`(_ typed: String, _ name: String?) {
    #expect(NearestName.of(typed, among: ["inputs", "receipts", "out"]) == name)
  }

  @Test func `a name of any length is compared`() {
    #expect(NearestName.of(String(repeating: "x", count: 1_000_000), among: ["inputs"]) == nil)
  }
}
