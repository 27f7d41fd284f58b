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
}
