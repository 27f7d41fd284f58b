internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// A simulated request with the name of its input.
struct ReportedRequest: Sendable {
  var request: SimulatedRequest
  var source: String

  init(_ request: SimulatedRequest, _ source: String) {
    self.request = request
    self.source = source
  }

  fileprivate var line: UInt64 {
    get { request.position.line }
    set { request.position.line = newValue }
  }

  fileprivate var item: UInt16 {
    get { request.position.item }
    set { request.position.item = newValue }
  }
}

/// The columns of `simulation.csv` and `simulation.jsonl`.
enum SimulationColumns {
  static let csv = "simulation.csv"
  static let jsonl = "simulation.jsonl"
  static let all = Columns(list)

  private static let list: [Column<ReportedRequest>] = [
    .word(
      "change",
      "refused: the candidate refuses a request that was accepted; admitted: it accepts a rejected one",
      \.request.change, \.name,
      { name in SimulatedRequest.Change.allCases.first { $0.name == name } }),
    codes("reasons", "the codes that refuse it, separated by `;`", \.request.reasons),
    .time("time", "the time of the record", \.request.time),
    .word(
      "kind", "attestation or assertion", \.request.kind, { $0?.name ?? "" },
      { RecordKind(name: $0) }),
    .hex("key_id", "the key identifier", \.request.keyID),
    .text("subject", "the account or user", \.request.subject),
    .text("app_id", "the App ID", \.request.appID),
    .word(
      "platform", "ios or macos, by the certificate of the key", \.request.platform,
      { $0?.name ?? "" }, { name in KeyPlatform.allCases.first { $0.name == name } }),
    .text("os_version", "the system's version, from the certificate", \.request.osVersion),
    .word(
      "category", "the validation category", \.request.category, { $0?.name ?? "" },
      { ValidationCategory(name: $0) ?? UInt32($0).map(ValidationCategory.init(rawValue:)) }),
    .text("bundle_version", "the app's version", \.request.bundleVersion),
    .hex("code_hash", "the hash of the code", \.request.codeHash),
    .word(
      "decision", "what the server did with the request", \.request.decision, \.name,
      { Decision(name: $0) }),
    .word(
      "verdict", "the verdict by the current policy", \.request.verdict, \.name,
      { name in Verdict.allCases.first { $0.name == name } }),
    codes("current_codes", "the codes by the current policy", \.request.current),
    codes("candidate_codes", "the codes by the candidate", \.request.candidate),
    .path("source", "the input", \.source),
    .number("line", "the line in the decompressed input", \.line),
    .number("item", "the number of the record in its line", \.item),
    .text("request_id", "the request identifier", \.request.requestID),
  ]

  private static func codes(
    _ name: String, _ meaning: String,
    _ place: any WritableKeyPath<ReportedRequest, [FindingCode]> & Sendable
  ) -> Column<ReportedRequest> {
    Column(name: name, meaning: meaning, kind: .text) { row in
      row[keyPath: place].isEmpty ? .none : .words(row[keyPath: place].map(\.name))
    } take: { text, row in
      row[keyPath: place] = text.split(separator: ";").compactMap { FindingCode(name: String($0)) }
      return true
    }
  }
}
