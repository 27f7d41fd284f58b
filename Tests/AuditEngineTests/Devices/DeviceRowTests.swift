import AppAttest
import AuditLog
import Files
import RowShuffle
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Rows by device` {
  private let scratch: Scratch
  private let texts: TextStore
  private let row: RowBuilder

  init() throws {
    scratch = try Scratch()
    texts = TextStore(folder: scratch.path)
    row = RowBuilder(texts: texts)
  }

  @Test func `attestations come back`() throws {
    for (claim, section) in [
      (DeviceClaim.stored, DeviceRow.Section.event), (.failed, .registry), (.rejected, .event),
    ] {
      DeviceRow.write(
        attestation: digest(4), claim, of: digest(2), section, time: -3,
        position: Position(source: 1, line: 2), row)
      if section == .event { row.put([4, 5].span) }
      try withRow(row.bytes) { bytes in
        let read = unsafe try DeviceRow(bytes)
        #expect(read.device == digest(2) && read.section == section && read.time == -3)
        guard case .attestation(let keyID, claim, let point) = read.content else {
          Issue.record("another content")
          return
        }
        #expect(keyID == digest(4))
        #expect(unsafe Array(point) == (section == .event ? [4, 5] : []))
      }
    }
  }

  @Test func `assertions come back with the device's text`() throws {
    for text in sampleTexts {
      var sample = SampleEvent(keyID: Digest256(), time: 77, counter: 5, requestID: text)
      sample.subject = text
      sample.clientDataHash = [UInt8](repeating: 3, count: 255)
      let builder = RowBuilder(texts: texts)
      try sample.write(builder)
      let event = builder.bytes
      try withRow(event) {
        unsafe try DeviceRow.write(
          assertion: $0, of: digest(2), text: Array(text.utf8).span, row)
      }
      #expect(row.bytes.count < RowRun.maximumRowBytes)
      try withRow(row.bytes) { bytes in
        let read = unsafe try DeviceRow(bytes)
        #expect(read.device == digest(2) && read.section == .event && read.time == 77)
        guard case .assertion(let device, let copy) = read.content else {
          Issue.record("another content")
          return
        }
        #expect(try device.string(texts) == text)
        #expect(unsafe Array(copy) == event)
      }
    }
  }

  @Test func `findings come back`() throws {
    let finding = [UInt8](1...200)
    withRow(finding) {
      unsafe DeviceRow.write(
        finding: $0, of: digest(2), time: 5, position: Position(source: 0, line: 1), row)
    }
    try withRow(row.bytes) { bytes in
      guard case .finding(let copy) = unsafe try DeviceRow(bytes).content else {
        Issue.record("another content")
        return
      }
      #expect(unsafe Array(copy) == finding)
    }
  }

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
