import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Finding codes` {
  @Test func `every check of attestations has its code`() {
    #expect(FindingCode(AttestationCheck.keyIDMismatch).name == "attestation.key_id_mismatch")
    // With the malformed token, these are all codes of attestations.
    let names = FindingCode.allCases.map(\.name).filter { $0.hasPrefix("attestation.") }
    #expect(
      Set(AttestationCheck.allCases.map { FindingCode($0).name }).union(["attestation.malformed"])
        == Set(names))
  }
}

@Suite struct `Code set` {
  @Test func `sets are as those of the library`() {
    var random = Generator(6)
    for _ in 0..<300 {
      let left = FindingCode.allCases.filter { _ in random.below(4) == 0 }.shuffled(using: &random)
      let right = FindingCode.allCases.filter { _ in random.below(4) == 0 }
      let a = CodeSet(left + left)
      let b = CodeSet(right)
      #expect(a.codes == left.sorted { $0.rawValue < $1.rawValue })
      #expect(Set(a.subtracting(b).codes) == Set(left).subtracting(right))
      #expect(a.intersects(b) == !Set(left).isDisjoint(with: right))
      #expect(CodeSet(bits: a.bits) == a)
    }
  }

  @Test func `checks are those of verification`() {
    let checks = Set(CodeSet.checks.codes.map(\.name))
    #expect(
      checks.subtracting(["record.client_data_hash_mismatch"]).allSatisfy {
        $0.hasPrefix("attestation.") || $0.hasPrefix("assertion.")
      })
    #expect(checks.contains("record.client_data_hash_mismatch") && checks.count == 22)
    let both: Set<String> = [
      "attestation.receipt_invalid", "attestation.time_disagrees", "attestation.category_mismatch",
      "attestation.code_mismatch",
    ]
    // detection.R31 and verification.R20; the first does not name `code_mismatch`.
    #expect(
      Set(CodeSet.forgivenInReplay.codes.map(\.name))
        == both.union(["attestation.certificate_time", "record.client_data_hash_mismatch"]))
    #expect(
      Set(AttestationCheck.allCases.filter(\.leavesValid).map { FindingCode($0).name })
        == both)
  }
}
