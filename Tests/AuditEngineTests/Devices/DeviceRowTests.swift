import AppAttest
import AuditLog
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Rows by device` {
  private let texts = TextStore()
  private let row = RowBuilder(texts: TextStore())

  @Test func `what is no row is refused`() throws {
    DeviceRow.write(
      attestation: digest(4), .stored, of: digest(2), .event, time: 0,
      position: Position(source: 1, line: 2), row)
    for at in [32, 41, DeviceRow.keyLength + 32] {
      var bytes = row.bytes
      bytes[at] = 9
      let error = #expect(throws: AuditError.self) {
        try withRow(bytes) { _ = unsafe try DeviceRow($0) }
      }
      #expect(error?.code == .inconsistent)
    }
  }

  @Test func `attestations stand in front of all that they are there for`() throws {
    var keys: [[UInt8]] = []
    func key() -> [UInt8] { Array(row.bytes.prefix(DeviceRow.keyLength)) }
    func attest(_ section: DeviceRow.Section, _ time: Int64, line: UInt64) {
      DeviceRow.write(
        attestation: digest(9), .stored, of: digest(2), section, time: time,
        position: Position(source: 9, line: line), row)
      keys.append(key())
    }
    func assert(_ time: Int64, counter: UInt32 = 0, line: UInt64) throws {
      let builder = RowBuilder(texts: texts)
      try SampleEvent(
        time: time, counter: counter, position: Position(source: 0, line: line)
      ).write(builder)
      let text: [UInt8] = []
      try withRow(builder.bytes) {
        unsafe try DeviceRow.write(assertion: $0, of: digest(2), text: text.span, row)
      }
      keys.append(key())
    }
    attest(.registry, -5, line: 1)
    attest(.registry, 100, line: 2)
    try assert(-10, line: 7)
    attest(.event, -5, line: 1)
    try assert(-5, counter: 1, line: 9)
    try assert(-5, counter: 256, line: 3)
    try assert(-5, counter: 256, line: 4)
    withRow([1]) {
      unsafe DeviceRow.write(
        finding: $0, of: digest(2), time: -5, position: Position(source: 0, line: 1), row)
    }
    keys.append(key())
    attest(.event, 0, line: 1)
    try assert(0, line: 1)
    DeviceRow.write(
      attestation: digest(1), .stored, of: digest(3), .registry, time: -99,
      position: Position(source: 0, line: 1), row)
    keys.append(key())
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(Set(keys).count == keys.count)
  }
}
