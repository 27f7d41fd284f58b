import AuditLog
import Testing

@testable import AuditEngine

@Suite struct `Device text` {
  @Test func `the field is told with its pointers, each once`() {
    func rule(_ mapping: FieldMapping?) -> SchemaRule {
      SchemaRule(name: "r", kind: .inferred, fields: mapping.map { [.deviceId: $0] } ?? [:])
    }
    let (first, second) = (JSONPointer(["a/b", "id"]), JSONPointer(["device"]))
    let pointed = LogSchema(
      name: "s",
      rules: [
        rule(FieldMapping(.pointers([first, second]))), rule(nil),
        rule(FieldMapping(.pointers([second]))),
      ])
    #expect(DeviceText.field(of: pointed) == "deviceId (/a~1b/id, /device)")
    let constant = LogSchema(name: "s", rules: [rule(FieldMapping(.constant("d")))])
    #expect(DeviceText.field(of: constant) == "deviceId")
  }

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
