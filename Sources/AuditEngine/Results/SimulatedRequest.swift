package import AppAttest
internal import AuditLog

/// A request on which a candidate policy decides otherwise than the server did.
@dynamicMemberLookup package struct SimulatedRequest: Sendable, Equatable {
  package enum Change: UInt8, Sendable, CaseIterable {
    case refused, admitted

    /// The word of `simulation.csv`.
    package var name: String { self == .refused ? "refused" : "admitted" }

    /// The word of sentences.
    package var word: String { self == .refused ? "refused" : "accepted" }
  }

  package var change = Change.refused
  /// The event, with its verdict and codes by the current policy; only position, decision and code of an unreadable line.
  package var row = VerdictRow()
  /// The codes for which the candidate refuses it, or for which the current policy does.
  package var reasons: [FindingCode] = []
  /// The codes by the candidate.
  package var candidate: [FindingCode] = []
  /// The system, as the key's attestation shows it.
  package var platform: KeyPlatform?
  package var osVersion = ""

  package subscript<Value>(
    dynamicMember fact: any WritableKeyPath<VerdictRow, Value> & Sendable
  ) -> Value {
    get { row[keyPath: fact] }
    set { row[keyPath: fact] = newValue }
  }

  /// Whether the current policy found nothing above info in it, and its signature is valid.
  package var isHonest: Bool { row.verdict == .valid }
}

extension SimulatedRequest {
  /// The request as a row in order of a digest, time and place.
  struct Row: CodedRow {
    /// The digest, time, source and line.
    static let keyLength = Digest256.byteCount + 8 + 4 + 8

    var digest = Digest256()
    var request = SimulatedRequest()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      var (time, position) = (request.row.time ?? .min, request.row.position)
      try coder.digest(&digest)
      try coder.key(time: &time)
      try coder.key(&position)
      try coder.value(&request.change)
      try request.row.fields(&coder)
      try coder.codes(&request.reasons)
      try coder.codes(&request.candidate)
      try coder.value(&request.platform)
      try coder.text(&request.osVersion)
    }
  }
}
