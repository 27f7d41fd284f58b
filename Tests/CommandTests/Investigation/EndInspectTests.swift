import Foundation
import TestSupport
import Testing

/// `inspect`, by the built program.
struct EndInspectTests {
  private let forged: ForgedReport

  init() throws {
    forged = try ForgedReport.shared.get()
  }

  private struct Inspection: Decodable {
    struct Step: Decodable {
      var code: String
      var outcome: String
    }
    var what: String
    var verdict: String
    var steps: [Step]
    var remarks: [String]
  }

  private func inspect(
    _ arguments: [String], input: [UInt8] = []
  ) throws -> (status: Int32, Inspection) {
    let outcome = try Program.run(
      ["inspect", "--json"] + arguments, in: forged.path, input: input)
    #expect(outcome.errors == "")
    return (
      outcome.status, try JSONDecoder().decode(Inspection.self, from: Data(outcome.output.utf8))
    )
  }

  @Test(arguments: [
    "attestation.nonce_mismatch", "attestation.chain_untrusted", "attestation.certificate_time",
    "attestation.key_id_mismatch", "attestation.public_key_mismatch",
    "attestation.app_id_mismatch", "attestation.counter_nonzero",
    "attestation.environment_mismatch", "attestation.credential_id_mismatch",
    "attestation.category_mismatch", "attestation.receipt_invalid", "attestation.time_disagrees",
    "attestation.format", "attestation.malformed", "assertion.malformed",
    "assertion.category_mismatch", "record.client_data_hash_mismatch", "record.odd_encoding",
    "record.missing_field", "record.bad_encoding", "record.ambiguous_field", "record.not_audited",
  ])
  func `the check that a report names is the one that fails`(_ code: String) throws {
    let finding = try forged.first(code)
    let (status, inspection) = try inspect([
      "\(finding.source):\(finding.line)", "--report", "report",
    ])
    #expect(status == 1)
    #expect(
      inspection.steps.contains { $0.code == code && $0.outcome == "failed" },
      "\(inspection.steps)")
  }

  @Test func `text has 80 columns, and colours only where they are asked for`() throws {
    for code in ["attestation.nonce_mismatch", "counter.repeated", "record.not_audited"] {
      let finding = try forged.first(code)
      let arguments = ["inspect", "\(finding.source):\(finding.line)", "--report", "report"]
      let plain = try Program.run(arguments, in: forged.path)
      #expect(!plain.output.contains("\u{1B}"))
      for line in plain.output.split(separator: "\n") {
        #expect(line.unicodeScalars.count <= 80, "\(line)")
      }
      let coloured = try Program.run(arguments + ["--color", "always"], in: forged.path)
      #expect(coloured.output.contains("\u{1B}["))
      #expect(
        coloured.output.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == plain.output)
    }
  }

  @Test func `a token comes as base64, as hex, from a file or on standard input`() throws {
    guard let vector = EndVector.all.first(where: { $0.kind == "attestation" }) else { return }
    let token = try #require(Data(base64Encoded: vector.token))
    let file = try forged.day.scratch.write("token.cbor", Array(token))
    let hex = token.map { String(format: "%02x", $0) }.joined()
    let flags = ["--app-id", vector.appId ?? "A.b", "--environment", "any"]
    for (argument, input) in [
      (vector.token, ""), (hex, ""), (file, ""), ("-", vector.token + "\n"), ("-", hex),
    ] {
      let (status, inspection) = try inspect([argument] + flags, input: Array(input.utf8))
      #expect(status == 0, "\(inspection.verdict)")
      #expect(inspection.what == "attestation")
      // Nothing counts as passed that could not be run.
      #expect(
        Set(inspection.steps.filter { $0.outcome == "not checked" }.map(\.code)).isSuperset(of: [
          "attestation.nonce_mismatch", "attestation.key_id_mismatch",
          "attestation.certificate_time", "attestation.credential_id_mismatch",
          "attestation.time_disagrees",
        ]))
    }
    let (_, complete) = try inspect(
      [
        vector.token, "--key-id", vector.keyId ?? "", "--client-data-hash",
        vector.clientDataHashBase64 ?? "", "--time", vector.verifiedAt ?? "",
      ] + flags)
    #expect(
      complete.steps.first { $0.code == "attestation.key_id_mismatch" }?.outcome == "passed")
  }
}
