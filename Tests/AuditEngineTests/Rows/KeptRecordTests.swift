import AppAttest
import AuditLog
import Files
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Remembered record` {
  private static func random(_ random: inout Generator) throws -> KeptRecord {
    let identity = random.bytes(16)
    let flags: [KeptRecord.Flags] = [
      [], .behind, .validAttestation, .ofDevice, .void, [.behind, .ofDevice],
      [.behind, .validAttestation, .ofDevice, .void],
    ]
    return KeptRecord(
      hash: try #require(Digest256(random.bytes(32))),
      hashLength: [0, 16, 32, 255][random.below(4)],
      kind: [.attestation, .assertion, .challenge][random.below(3)],
      decision: [.unknown, .accepted, .rejected][random.below(3)],
      flags: flags[random.below(flags.count)],
      time: [
        0, -1, 1_760_000_000_000, 1 - KeptRecord.timeLimit,
        KeptRecord.timeLimit - 1,
      ][random.below(5)],
      position: Position(
        source: [0, 7, .max][random.below(3)], line: [0, 1, .max][random.below(3)]),
      owner: try #require(Digest256(random.bytes(32))), identity: digest128(identity),
      request: random.below(2) == 0
        ? nil
        : RequestIdentity(digest: random.next(), length: [0, 1, .max][random.below(3)]),
      subject: [nil, 0, random.next()][random.below(3)],
      route: [nil, random.next()][random.below(2)], counter: [0, 1, .max][random.below(3)],
      digest: random.next())
  }

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

  @Test(arguments: 0..<200)
  func `what is written is read again`(_ seed: UInt64) throws {
    var random = Generator(seed)
    let record = try Self.random(&random)
    let bytes = record.bytes
    #expect(bytes.count == KeptRecord.byteCount)
    #expect(Array(bytes.prefix(33)) == record.hash.bytes + [record.hashLength])
    #expect(try read(bytes) == record)
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
    let bytes = record.bytes
    #expect(bytes == expected)
  }

  @Test func `a record without a request identifier has zeros in its place`() throws {
    var record = try full()
    record.request = nil
    record.subject = nil
    let bytes = record.bytes
    #expect(bytes[104..<124].allSatisfy { $0 == 0 } && bytes[35] == 5)
    // An empty identifier is one.
    record.request = RequestIdentity(digest: 0, length: 0)
    let empty = record.bytes
    #expect(empty[104..<124].allSatisfy { $0 == 0 } && empty[35] == 21)
    #expect(try read(empty) == record)
  }

  @Test func `any other length is an error`() throws {
    let bytes = try full().bytes
    for length in Array(0..<144) + [145, 288] {
      let cut = Array((bytes + bytes).prefix(length))
      let error = #expect(throws: AuditError.self) { try read(cut) }
      #expect(error?.code == .inconsistent)
    }
  }

  @Test func `what no record can hold is an error`() throws {
    let bytes = try full().bytes
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

  @Test func `a record of before, with more of its request identifier, has no subject`() throws {
    var record = try full()
    let bytes = record.bytes
    var before = bytes
    before[35] &= ~64
    record.subject = nil
    #expect(try read(before) == record)
  }

  @Test func `no damage traps, and none goes unseen but as another record`() throws {
    let record = try full()
    let bytes = record.bytes
    var (refused, other) = (0, 0)
    for at in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[at] ^= 1 << UInt8(bit)
        do {
          let seen = try read(damaged)
          #expect(seen != record)
          #expect(seen.subject == nil || seen.bytes == damaged)
          other += 1
        } catch {
          #expect((error as? AuditError)?.code == .inconsistent)
          refused += 1
        }
      }
    }
    #expect(refused > 10 && other > 800)
    var random = Generator(3)
    for _ in 0..<2000 {
      let noise = random.bytes(136)
      if let seen = try? read(noise) {
        let again = seen.bytes
        #expect(seen.subject == nil || again == noise)
      }
    }
  }
}

/// Returns sixteen bytes as a digest.
func digest128(_ bytes: [UInt8]) -> Digest128 {
  unsafe bytes.withUnsafeBytes { unsafe Digest128($0) }
}

extension KeptRecord {
  /// The record as it is kept.
  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: Self.byteCount)
    unsafe bytes.withUnsafeMutableBytes { unsafe write(to: $0) }
    return bytes
  }
}
