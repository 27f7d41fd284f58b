package import FindingCodes

/// The options of forging.
package struct ForgeOptions: Sendable {
  /// The number of honest devices, with one key each. Attackers bring their own.
  package var keys: Int
  /// The number of assertions of all honest devices together.
  package var assertions: Int
  /// The number of log files. Those that an attack damages are added to it.
  package var files: Int
  package var seed: UInt64
  /// The codes that attacks must cause. If empty, there is nothing to be found.
  package var attacks: Set<FindingCode>
  /// The system whose logs are forged, which the pipeline file names. If nil, the form is the
  /// default one, and the pipeline file names none.
  package var schema: ForgedSchema?
  /// True to give few keys most of the assertions (Zipf's law), instead of all the same number.
  package var zipf = false
  /// True to break base64 into lines (RFC 2045).
  package var lineBreaks = false
  /// True to log challenges when they are issued, even if no attack needs it.
  package var challengeRecords = false
  /// The number of days of traffic. Attacks are played on the first one.
  package var days = 1
  /// True to have one key in two devices from the first night on:
  /// ``AttackCatalog/incident(_:authority:)``.
  package var incident = false

  package init(
    keys: Int, assertions: Int, files: Int, seed: UInt64, attacks: Set<FindingCode> = []
  ) {
    self.keys = keys
    self.assertions = assertions
    self.files = files
    self.seed = seed
    self.attacks = attacks
  }

  /// The end of the last day, in milliseconds since 1970.
  var end: Int64 { TrafficPlan.dayStart + Int64(days) * TrafficPlan.dayLength }

  /// The form of the log's lines.
  var form: any LogForm { (schema ?? .default).form }

  /// The compression level of logs. Those of a named system are samples, made to be kept.
  var compressionLevel: Int { schema == nil ? 1 : 9 }

  /// The unit for the number of lines in files that attacks damage, which is a multiple of it.
  var damageUnit: Int { schema == nil ? 10 : 4 }

  /// Whether every event has a challenge record and the pipeline asks for one.
  var requiresChallenges: Bool { attacks.contains(.challengeNotIssued) }

  /// Whether challenge records are written.
  var writesChallenges: Bool {
    challengeRecords || requiresChallenges || attacks.contains(.challengeExpired)
  }

  /// Gives a record the spelling that the whole day has.
  func prepare(_ record: inout LogRecord) {
    record.breaksLines = lineBreaks
    if requiresChallenges && record.kind == .challenge { record.saysKind = true }
  }

  /// Returns whether a challenge record is written for each event of this kind.
  func writesChallenges(for kind: LogRecord.Kind) -> Bool {
    writesChallenges && (kind == .attestation || form.traits.contains(.freshRequests))
  }
}
