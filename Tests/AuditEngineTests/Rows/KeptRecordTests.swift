import AppAttest
import AuditLog
import Files
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Remembered record` {
  private func read(_ bytes: [UInt8]) throws -> KeptRecord {
    try withRow(bytes) { unsafe try KeptRecord($0) }
  }

  /// Returns a record without a zero byte, except where one is needed.
  private func full() throws -> KeptRecord {
    KeptRecord(
      hash: try #require(Digest256([UInt8](0..<32))), hashLength: 32, kind: .assertion,
      decision: .accepted, flags: [.behind, .ofDevice], time: 0x0102_0304_0506_0708,
      position: Position(source: 0xA1A2_A3A4, lineItem: 0xB1B2_B3B4_B5B6_B7B8),
      owner: try #require(Digest256([UInt8](32..<64))), identity: digest128([UInt8](64..<80)),
      request: RequestIdentity(digest: 0x5051_5253_5455_5657, length: 0x1112),
      subject: 0x5859_5A5B_5C5D_5E5F, route: 0x4142_4344_4546_4748,
      counter: 0x2122_2324, digest: 0x3132_3334_3536_3738)
  }

  @Test func `the layout is as it is documented`() throws {
    let expected =
      [UInt8](0..<32) + [32, 1, 1, 1 | 4 | 16 | 64, 1, 2, 3, 4, 5, 6, 7, 8]
      + [0xA1, 0xA2, 0xA3, 0xA4, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8]
      + [UInt8](32..<64) + [UInt8](64..<80) + [UInt8](80..<96)
      + [0, 0, 0x11, 0x12, 0x21, 0x22, 0x23, 0x24]
      + [0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38]
      + [0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48]
    let record = try full()
    let bytes = record.packed
    #expect(bytes == expected)
  }

  @Test func `what no record can hold is an error`() throws {
    let bytes = try full().packed
    func expectError(_ changes: [Int: UInt8]) {
      var damaged = bytes
      for (at, byte) in changes { damaged[at] = byte }
      let error = #expect(throws: AuditError.self, "\(changes)") { try read(damaged) }
      #expect(error?.code == .inconsistent)
    }
    for kind in UInt8(3)...255 { expectError([33: kind]) }
    for decision in UInt8(3)...255 { expectError([34: decision]) }
    // Times that differences would overflow with.
    for high in UInt8(0x10)...0xEF { expectError([36: high]) }
    var earliest: [Int: UInt8] = [36: 0xF0]
    for at in 37..<44 { earliest[at] = 0 }
    expectError(earliest)
    // Flags without the one for the request identifier, which the record has.
    for flags in UInt8(0)..<16 { expectError([35: flags]) }
  }
}

/// Returns sixteen bytes as a digest.
func digest128(_ bytes: [UInt8]) -> Digest128 {
  unsafe bytes.withUnsafeBytes { unsafe Digest128($0) }
}
