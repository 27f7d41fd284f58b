internal import AppAttest
internal import AuditLog

/// The part that a run has in a simulation. It writes no report: only the verdicts that are compared.
struct SimulationPart {
  /// The codes for which its policy refuses a request.
  let refusals: CodeSet
  let isCandidate: Bool

  /// Returns whether the fields of a request are needed: its decision by the candidate is another one than the
  /// server's, or, if the log has no decision, can be another one than that of the current policy.
  func needsFields(_ decision: Decision, _ codes: CodeSet) -> Bool {
    let isRefused = codes.intersects(refusals)
    switch decision {
    case .unknown: return isRefused
    case .accepted: return isCandidate && isRefused
    case .rejected: return isCandidate && !isRefused
    }
  }
}

/// The verdict of one policy on a request, as a row in order of source and line.
struct JudgedRequest: CodedRow {
  /// Position, verdict, codes, decision and key; and all facts of the event, if the decisions can differ.
  var row = VerdictRow()
  /// The index of the policy's app, or ``EventRow/noApp``.
  var app = EventRow.noApp
  /// Whether the values of the token are signed by a key that the policy trusts.
  var isSigned = false

  var codes: CodeSet { CodeSet(row.codes) }

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try row.fields(&coder)
    try coder.app(&app)
    try coder.flag(&isSigned)
  }
}

extension JudgedRequest {
  init(
    _ position: Position, _ verdict: Verdict, _ codes: CodeSet, _ decision: Decision,
    keyID: Digest256?, app: UInt16, isSigned: Bool = false
  ) {
    row = VerdictRow(
      keyID: keyID, position: position, verdict: verdict, codes: codes.codes, decision: decision)
    (self.app, self.isSigned) = (app, isSigned)
  }
}
