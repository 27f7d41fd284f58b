import Foundation
import Testing

@testable import LogForge

struct StrayLineTests {
  @Test(arguments: ForgedSchema.allCases, StrayPlace.allCases)
  func `a stray line is one JSON object that holds the token`(
    schema: ForgedSchema, place: StrayPlace
  ) throws {
    var record = LogRecord(kind: .assertion, time: 1_772_323_200_123, data: ClientData(text: "x"))
    record.keyID = [UInt8](repeating: 7, count: 32)
    record.token = [0xA2, 0x69]
    let line = schema.form.stray(record, place, tag: "17")
    let text = String(decoding: line.bytes(), as: UTF8.self)
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    #expect(text.contains("omk="))
  }

  @Test func `the shape is the route where there is one, else the names`() {
    let record = LogRecord(kind: .assertion, time: 0, data: ClientData(text: ""))
    func shape(_ schema: ForgedSchema) -> String {
      let line = schema.form.stray(record, .text, tag: "17")
      return String(decoding: schema.form.shape(of: line), as: UTF8.self)
    }
    #expect(shape(.default) == "time platform message")
    #expect(shape(.capgo) == "time platform message")
    #expect(shape(.headerAssertion) == "ts event message")
    #expect(shape(.swiftui) == "\"/api/v2/verify/17\"")
    #expect(shape(.deviceIntegrity) == "\"/v2/verify/17\"")
  }

  @Test func `each shape is reported once, and what is beyond the limit once together`() {
    var shapes = ReportedShapes()
    var count = 0
    for round in 0..<2 {
      for number in 0..<150 where shapes.reports([UInt8(number)]) {
        #expect(round == 0 && number <= ReportedShapes.limit)
        count += 1
      }
    }
    #expect(count == ReportedShapes.limit + 1)
  }
}
