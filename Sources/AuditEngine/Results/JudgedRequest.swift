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
  struct Fields: CodedRow {
    var time: Int64 = 0
    var kind = RecordKind.assertion
    /// The App ID of the record, or else that of the configured app.
    var appID = ""
    var subject = ""
    var requestID = ""
    var token = TokenFacts()

    init() {}

    init(_ facts: (event: Finding, token: TokenFacts)) {
      time = facts.event.time ?? 0
      kind = facts.event.kind ?? .assertion
      (appID, subject) = (facts.event.appID, facts.event.subject)
      (requestID, token) = (facts.event.requestID, facts.token)
    }

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&time)
      try coder.value(&kind)
      try coder.text(&appID)
      try coder.text(&subject)
      try coder.text(&requestID)
      try token.fields(&coder)
    }
  }

  var position = Position(source: 0, line: 0)
  var verdict = Verdict.valid
  var codes = CodeSet()
  var decision = Decision.unknown
  var keyID: Digest256?
  /// The index of the policy's app, or ``EventRow/noApp``.
  var app = EventRow.noApp
  /// Whether the values of the token are signed by a key that the policy trusts.
  var isSigned = false
  /// The fields, if the decisions can differ.
  var fields: Fields?

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.key(&position)
    try coder.value(&verdict)
    try coder.codes(&codes)
    try coder.value(&decision)
    try coder.optional(&keyID)
    try coder.app(&app)
    try coder.flag(&isSigned)
    try coder.optional(&fields)
  }
}

extension JudgedRequest {
  /// Makes the verdict on a line of which only the decision can be read.
  init(unreadable position: Position, _ code: FindingCode, _ decision: Decision) {
    self.init(
      position: position, verdict: .unreadable, codes: CodeSet([code]), decision: decision)
  }

  /// Makes the verdict on an event whose token is malformed.
  init(_ verdict: Verdict, _ event: EventRow, _ codes: CodeSet) {
    self.init(
      position: event.position, verdict: verdict, codes: codes, decision: event.decision,
      keyID: event.knownKeyID, app: event.app)
  }

  init(_ verdict: Verdict, _ event: HashRow, _ codes: CodeSet) {
    self.init(
      position: event.position, verdict: verdict, codes: codes, decision: event.decision,
      keyID: event.knownKeyID, app: event.app, isSigned: event.isSigned)
  }
}
