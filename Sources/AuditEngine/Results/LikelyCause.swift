/// A state of the log that explains findings (`reports.R66`), and changes no severity or status.
package struct LikelyCause: Sendable, Equatable {
  package enum Cause: String, Sendable, CaseIterable {
    case cutLines, cutClientData, lossyClientData, nullRecords, tokenlessRequests, partLines
    case identicalRecords, ambiguousTimes, noRegistrations, missingInput
  }

  package var cause: Cause
  package var codes: [FindingCode]
  /// The number of lines or records that show it.
  package var count: UInt64
  /// One sentence: what the log shows.
  package var evidence: String
  /// One sentence: what to do.
  package var action: String
  /// The first place that shows it, or an empty text and 0.
  package var source: String
  package var line: UInt64
  package var inputs: [Input] = []

  package struct Input: Sendable, Equatable {
    package var cause: Cause
    package var source: String
    /// The length of the lines or client data that are cut, or 0.
    package var bytes: UInt64

    package init(_ cause: Cause, _ source: String, bytes: UInt64) {
      self.cause = cause
      self.source = source
      self.bytes = bytes
    }
  }

  package init(
    _ cause: Cause, codes: [FindingCode], count: UInt64, evidence: String, action: String,
    source: String = "", line: UInt64 = 0
  ) {
    self.cause = cause
    self.codes = codes
    self.count = count
    self.evidence = evidence
    self.action = action
    self.source = source
    self.line = line
  }
}

extension LikelyCause {
  /// Its name, what shows it, and what to do.
  package var sentence: String { "\(cause.rawValue): \(evidence) \(action)" }

  private typealias Counted = (count: UInt64, first: UInt64, value: UInt64?)

  /// A row of the table that leads from signs to causes.
  private struct Rule: Sendable {
    let cause: Cause
    let sign: LogSign
    /// The least number of signs of all inputs together.
    var least: UInt64 = 1
    let codes: [FindingCode]
    /// The sentence after the number of lines or records.
    let evidence: (one: String, many: String)
    let action: String
    /// Returns the number of an input's signs that count, the first of them, and a value for the sentence.
    var counted: @Sendable (LogSigns, UInt32, LogSigns.Count) -> Counted = {
      ($2.total, $2.first, nil)
    }
  }

  private static let rules: [Rule] = [
    Rule(
      cause: .cutLines, sign: .endsEarly,
      codes: [.recordMalformedJSON, .recordNotAudited, .keyUnknown],
      evidence: ("line ends early", "lines end early, nearly all after the same number of bytes"),
      action: "Raise the longest line of the logger, shipper or collector.",
      counted: { _, _, count in
        let most = count.values.max { ($0.value.total, $1.key) < ($1.value.total, $0.key) }
        let isCut = count.total >= 3 && (most?.value.total ?? 0) * 10 >= count.total * 9
        return (isCut ? count.total : 0, count.first, most?.key)
      }),
    Rule(
      cause: .cutClientData, sign: .misfit,
      codes: [
        .assertionSignatureInvalid, .attestationNonceMismatch, .recordClientDataHashMismatch,
      ],
      evidence: (
        "record does not fit its client data",
        "records do not fit client data of one and the same length, and no longer client data of the "
          + "input is verified"
      ),
      action:
        "If no assertion of the input is verified, correct the place of the client data in the schema. "
        + "Otherwise raise the number of bytes of a body that are logged.",
      counted: { signs, source, count in
        let longest = signs.longest(of: source)
        let found = count.values.filter { $0.value.total >= 3 && $0.key >= longest }
        let most = found.max { ($0.value.total, $0.key) < ($1.value.total, $1.key) }
        return (most?.value.total ?? 0, most?.value.first ?? 0, most?.key)
      }),
    Rule(
      cause: .lossyClientData, sign: .lossy, codes: [.recordClientDataLossy],
      evidence: (
        "record does not fit client data that contains U+FFFD",
        "records do not fit client data that contains U+FFFD"
      ),
      action: "Log the client data in base64."),
    Rule(
      cause: .nullRecords, sign: .nullRecord,
      codes: [.recordMissingField, .recordMalformedJSON, .keyUnknown, .challengeNotIssued],
      evidence: (
        "line has null where other lines of its input have a record",
        "lines have null where other lines of their input have a record"
      ),
      action: "Find out why the logger loses bodies.",
      counted: { signs, source, count in
        (signs.has(.record, in: source) ? count.total : 0, count.first, nil)
      }),
    Rule(
      cause: .tokenlessRequests, sign: .tokenless,
      codes: [.recordMissingField, .recordBadEncoding, .keyUnknown, .keyUntrusted],
      evidence: (
        "request to a route of the schema has an empty token or body",
        "requests to routes of the schema have an empty token or body"
      ),
      action: "Log whole bodies and headers: servers leave out those that they write to a file."),
    Rule(
      cause: .partLines, sign: .part, least: 2,
      codes: [
        .recordMalformedJSON, .recordMissingField, .recordBadEncoding, .recordNotAudited,
        .keyUnknown,
      ],
      evidence: ("", "lines are parts that a container runtime cut"),
      action: "Join them before the audit: attest-audit init FILE prints a command that does it."),
    Rule(
      cause: .identicalRecords, sign: .identical, least: 3,
      codes: [.replayAssertion, .replayAttestation],
      evidence: ("", "replays agree with their first record in every mapped field"),
      action:
        "If a shipper delivers lines more than once, map a request identifier of the server, or set "
        + "identicalRecords: duplicate."),
    Rule(
      cause: .ambiguousTimes, sign: .ambiguousTime,
      codes: [
        .counterRegression, .counterReordered, .keyUsedBeforeAttestation, .challengeNotIssued,
        .challengeExpired, .attestationCertificateTime,
      ],
      evidence: (
        "record has a local time that occurs twice", "records have a local time that occurs twice"
      ),
      action: "Log times in UTC or with their offset."),
    Rule(
      cause: .missingInput, sign: .missingInput,
      codes: [.streamMissing, .keyUnknown, .challengeNotIssued],
      evidence: ("expected input did not arrive", "expected inputs did not arrive"),
      action: "Find out why the log was not delivered, and audit it when it is there.",
      counted: { _, _, count in (count.values[0]?.total ?? 0, count.first, nil) }),
  ]

  /// Returns the causes that the signs of a log show, in the order of ``Cause``. If nothing tells
  /// the keys of the log, so many are `unregistered`; `name` returns that of a source.
  package static func all(
    _ signs: LogSigns, unregistered: UInt64, name: (UInt32) -> String
  ) -> [LikelyCause] {
    var causes = rules.compactMap { (rule) -> LikelyCause? in
      let inputs = signs.inputs(rule.sign).map { input in
        (name: name(input.source), counted: rule.counted(signs, input.source, input.count))
      }.filter { $0.counted.count > 0 }
      let count = inputs.reduce(0) { $0 + $1.counted.count }
      guard count >= rule.least, let (source, found) = inputs.first else { return nil }
      var evidence = "\(count) \(count == 1 ? rule.evidence.one : rule.evidence.many)"
      if let value = found.value {
        evidence += inputs.count > 1 ? " (\(value) bytes in the first input)" : " (\(value) bytes)"
      }
      var cause = LikelyCause(
        rule.cause, codes: rule.codes, count: count, evidence: evidence + ".", action: rule.action,
        source: source, line: source.isEmpty ? 0 : found.first >> 16)
      cause.inputs = inputs.map { Input(rule.cause, $0.name, bytes: $0.counted.value ?? 0) }
      return cause
    }
    guard unregistered > 0 else { return causes }
    causes.insert(
      LikelyCause(
        .noRegistrations, codes: [.keyUnknown], count: unregistered,
        evidence:
          "No attestation was audited, no list of keys was given, and no key is known from an earlier "
          + "run.",
        action:
          "Audit the logs of registrations too, by a schema with a rule for them, or give the "
          + "registered keys with --keys."),
      at: causes.firstIndex { $0.cause == .missingInput } ?? causes.endIndex)
    return causes
  }
}
