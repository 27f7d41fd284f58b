/// The form in which a system writes its requests into a log. It only turns records into lines, so
/// that traffic and attacks are the same for all systems.
protocol LogForm: Sendable {
  /// The facts that the log's lines can contain.
  var traits: FormTraits { get }

  /// The inverse of the share of lines that are not requests for an audit.
  var noiseOdds: Int { get }

  /// The ways of breaking the log's records, if the form has its own.
  var flaws: [RecordFlaw] { get }

  /// Returns client data of an honest event of this kind, as apps of the system make them. For a
  /// challenge record they are those of an attestation.
  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData

  /// Returns the line of `record`.
  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine

  /// Returns a line of something else at `time`, which an audit skips or only counts.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine

  /// Returns the beginning of a line that no rule fits, with a route or names of its own.
  func strayHead(_ record: LogRecord, tag: String) -> JSONLine

  /// The field that holds a request's route, or nil if lines have none.
  var routeField: String? { get }

  /// Returns the bytes of `line`, without its end.
  func spelled(_ line: JSONLine, _ random: inout ForgeRandom) -> [UInt8]
}

extension LogForm {
  var routeField: String? { nil }

  /// Returns a request of another platform.
  func strayHead(_ record: LogRecord, tag: String) -> JSONLine {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(record.time))
    line.add("platform", text: "android")
    return line
  }

  var flaws: [RecordFlaw] { [] }

  /// Returns the line compactly, with the fields in their order.
  func spelled(_ line: JSONLine, _ random: inout ForgeRandom) -> [UInt8] { line.bytes() }
}

/// The facts that the lines of a log can contain. They determine the attacks that show in them.
struct FormTraits: OptionSet, Sendable {
  let rawValue: UInt16

  static let appID = FormTraits(rawValue: 1 << 0)
  /// The account.
  static let subject = FormTraits(rawValue: 1 << 1)
  /// The request's identifier.
  static let requestID = FormTraits(rawValue: 1 << 2)
  /// A clientDataHash beside or in place of client data, and client data that is no text.
  static let hash = FormTraits(rawValue: 1 << 3)
  /// Challenges when they are issued.
  static let challengeRecords = FormTraits(rawValue: 1 << 4)
  /// A challenge in the data that an assertion signs, so that no client data come twice, and any
  /// text may be signed (`replayScope: global`).
  static let freshRequests = FormTraits(rawValue: 1 << 5)
  /// Platform and format.
  static let platform = FormTraits(rawValue: 1 << 6)
  /// A device in place of an assertion's key identifier.
  static let deviceJoin = FormTraits(rawValue: 1 << 7)
  /// The counter that the server had stored.
  static let serverCounter = FormTraits(rawValue: 1 << 8)
  /// The fields of the default schema in any spelling and order.
  static let freeSpelling = FormTraits(rawValue: 1 << 9)
  /// Fields of its own, in one spelling. The form lists the flaws of its records.
  static let ownFields = FormTraits(rawValue: 1 << 10)
  /// A status of HTTP in place of a decision.
  static let statuses = FormTraits(rawValue: 1 << 12)
  /// Several records in a line.
  static let batches = FormTraits(rawValue: 1 << 13)
  /// Challenges of attestations as text.
  static let textChallenges = FormTraits(rawValue: 1 << 11)
}
