internal import AppAttest
internal import AuditEngine
internal import AuditLog

struct ReportedRequest: Sendable {
  var request: SimulatedRequest
  var source: String
}

enum SimulationColumns {
  static let csv = "simulation.csv"
  static let jsonl = "simulation.jsonl"
  static let all = Columns(list)

  private static let list: [Column<ReportedRequest>] = [
    .word(
      "change",
      "refused: the candidate refuses a request that was accepted; admitted: it accepts a rejected one",
      \.request.change),
    .codes("reasons", "the codes that refuse it, separated by `;`", \.request.reasons),
    .time("time", "the time of the record", \.request.time),
    .word("kind", "attestation or assertion", \.request.kind),
    .hex("key_id", "the key identifier", \.request.keyID),
    .text("subject", "the account or user", \.request.subject),
    .text("app_id", "the App ID", \.request.appID),
    .word("platform", "ios or macos, by the certificate of the key", \.request.platform),
    .text("os_version", "the system's version, from the certificate", \.request.osVersion),
    .category("category", "the validation category", \.request.category),
    .text("bundle_version", "the app's version", \.request.bundleVersion),
    .hex("code_hash", "the hash of the code", \.request.codeHash),
    .word("decision", "what the server did with the request", \.request.decision),
    .word("verdict", "the verdict by the current policy", \.request.verdict),
    .codes("current_codes", "the codes by the current policy", \.request.current),
    .codes("candidate_codes", "the codes by the candidate", \.request.candidate),
    .path("source", "the input", \.source),
    .number("line", "the line in the decompressed input", \.request.position.line),
    .number("item", "the number of the record in its line", \.request.position.item),
    .text("request_id", "the request identifier", \.request.requestID),
  ]
}
