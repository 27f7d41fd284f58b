import Testing

@testable import AuditEngine

@Suite struct `Device text` {
  @Test func `short identifiers are shown as they are`() {
    #expect(DeviceText.quoted("") == "\"\"")
    #expect(DeviceText.quoted("D-1") == "\"D-1\"")
    let longest = String(repeating: "é", count: 100)
    #expect(DeviceText.quoted(longest) == "\"\(longest)\"")
  }

  @Test func `of long ones the beginning is shown`() {
    let text = DeviceText.quoted(String(repeating: "x", count: 1 << 20))
    #expect(text == "\"" + String(repeating: "x", count: 100) + "…\"")
    // One character of a hundred thousand scalars.
    let marks = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(DeviceText.quoted(marks).unicodeScalars.count == 103)
  }
}
