import AppAttest
import AuditLog
import Testing

@testable import AuditEngine

/// The expected values are those of sha256sum over the bytes that `reports.md` names.
@Suite struct `Fingerprint of a finding` {
  private let hash = [UInt8](repeating: 7, count: 32)

  @Test func `a record's is over code, kind, key, hash, counter and time`() {
    #expect(
      Fingerprint.record(
        .replayAssertion, kind: .assertion, keyID: digest(1), clientDataHash: hash, counter: 42,
        time: 1_767_323_045_678) == 0xEAFA_A27B_D759_8E0C)
    #expect(
      Fingerprint.record(
        .counterRegression, kind: .assertion, keyID: digest(1), clientDataHash: hash, counter: 0,
        time: -1) == 0x5E1A_824B_E587_9166)
  }

  @Test func `what is unknown is empty`() {
    #expect(
      Fingerprint.record(
        .challengeWeak, kind: .challenge, keyID: nil, clientDataHash: hash, counter: nil, time: 0)
        == 0x1946_FF37_D70E_B96A)
    #expect(
      Fingerprint.record(
        .attestationFormat, kind: nil, keyID: nil, clientDataHash: [], counter: nil, time: nil)
        == 0xA9DC_FBDF_CB2D_7D5A)
  }

  @Test func `a key's is over code and key`() {
    #expect(Fingerprint.key(.keyUnknown, digest(1)) == 0xD353_04E3_A385_1CAC)
  }

  @Test func `a device's is over code and device`() {
    #expect(Fingerprint.key(.keyUnknown, digest(1), device: "Gerät 7") == 0x2221_5673_0222_DB0B)
    #expect(Fingerprint.of(.keyUnknown, "".utf8) == 0x9768_F5E1_2AB1_E2C8)
  }

  @Test func `a reject's is over code and the line's digest`() {
    func fingerprint(_ line: String) -> UInt64 {
      Fingerprint.of(.recordMalformedJSON, Digest256.sha256(Array(line.utf8).span).bytes)
    }
    #expect(fingerprint("{\"a\":") == 0x1A26_26C3_DCDA_1D08)
    #expect(fingerprint("") == 0x3F83_402E_AF11_DBEA)
  }

  @Test func `that of lines not audited is over code, name without folder, and shape`() {
    for source in ["a.zst", "/var/log/a.zst", "../x/a.zst"] {
      #expect(Fingerprint.notAudited(source: source, shape: "/v2/attest") == 0x93F0_DE5E_1B56_8C22)
    }
    #expect(Fingerprint.notAudited(source: "", shape: "") == 0x4BB5_5E5C_8A11_3FE3)
  }

  @Test func `a stream's is over code, name without folder, and offset`() {
    for source in ["a.zst", "/var/log/a.zst", "../x/a.zst", "x//a.zst"] {
      #expect(
        Fingerprint.stream(.streamTruncated, source: source, byteOffset: 1234)
          == 0xFDFC_6699_F37B_8F0F)
    }
    #expect(
      Fingerprint.stream(.streamCorrupt, source: "", byteOffset: 0) == 0x86EC_632E_E472_2A8A)
    #expect(
      Fingerprint.stream(.streamTruncated, source: "b.zst", byteOffset: 1234)
        != 0xFDFC_6699_F37B_8F0F)
  }
}
