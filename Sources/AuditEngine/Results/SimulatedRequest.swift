package import AppAttest
package import AuditLog

/// A request on which a candidate policy decides otherwise than the server did.
package struct SimulatedRequest: Sendable, Equatable {
  package enum Change: UInt8, Sendable, CaseIterable {
    case refused, admitted

    /// The word of `simulation.csv`.
    package var name: String { self == .refused ? "refused" : "admitted" }

    /// The word of sentences.
    package var word: String { self == .refused ? "refused" : "accepted" }
  }

  package var change = Change.refused
  /// Milliseconds since 1970, UTC, or nil for a line of which only the decision could be read.
  package var time: Int64?
  /// An attestation or assertion, or nil for a line of which only the decision could be read.
  package var kind: RecordKind?
  package var keyID: Digest256?
  package var position = Position(source: 0, line: 0)
  package var decision = Decision.unknown
  /// The codes for which the candidate refuses it, or for which the current policy does.
  package var reasons: [FindingCode] = []
  /// The codes by the current policy, and by the candidate.
  package var current: [FindingCode] = []
  package var candidate: [FindingCode] = []
  package var verdict = Verdict.valid
  package var subject = ""
  package var requestID = ""
  package var appID = ""
  /// The system, as the key's attestation shows it.
  package var platform: KeyPlatform?
  package var osVersion = ""
  /// The build, as the token shows it.
  package var category: ValidationCategory?
  package var bundleVersion = ""
  package var codeHash: [UInt8] = []

  /// Whether the current policy found nothing above info in it, and its signature is valid.
  package var isHonest: Bool { verdict == .valid }
}

extension SimulatedRequest {
  /// The request as a row in order of a digest, time and place.
  struct Row: CodedRow {
    /// The digest, time, source and line.
    static let keyLength = Digest256.byteCount + 8 + 4 + 8

    var digest = Digest256()
    var request = SimulatedRequest()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      var time = request.time ?? .min
      try coder.digest(&digest)
      try coder.key(time: &time)
      try coder.key(&request.position)
      if coder.isReading { request.time = time == .min ? nil : time }
      try coder.value(&request.change)
      try coder.value(&request.kind)
      try coder.optional(&request.keyID)
      try coder.value(&request.decision)
      try coder.codes(&request.reasons)
      try coder.codes(&request.current)
      try coder.codes(&request.candidate)
      try coder.value(&request.verdict)
      try coder.text(&request.subject)
      try coder.text(&request.requestID)
      try coder.text(&request.appID)
      try coder.value(&request.platform)
      try coder.text(&request.osVersion)
      try coder.optional(&request.category)
      try coder.text(&request.bundleVersion)
      try coder.counted(&request.codeHash)
    }
  }
}
