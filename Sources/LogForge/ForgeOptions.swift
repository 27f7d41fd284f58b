package import FindingCodes

/// The options of forging.
package struct ForgeOptions: Sendable, Equatable {
  /// Honest devices with one key each; attackers bring their own.
  package var keys: Int
  /// Assertions of the honest devices together.
  package var assertions: Int
  /// Log files; those that an attack damages come on top.
  package var files: Int
  package var seed: UInt64
  /// The codes that attacks must bring about; empty: nothing is to be found.
  package var attacks: Set<FindingCode>
  /// The system whose logs are forged, named in the pipeline file; nil: the default form, and the
  /// pipeline file names none.
  package var schema: ForgedSchema?
  /// Few keys have most of the assertions (Zipf's law), instead of all having as many.
  package var zipf = false
  /// Base64 is broken into lines (RFC 2045).
  package var lineBreaks = false
  /// Challenges are logged when they are issued, even where no attack needs it.
  package var challengeRecords = false
  /// Days of traffic; attacks are played on the first one.
  package var days = 1
  /// One key is in two devices from the first night on: ``AttackCatalog/incident(_:authority:)``.
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

  /// How the log's lines look.
  var form: any LogForm { (schema ?? .default).form }

  /// How hard logs are compressed. Those of a named system are samples, made to be kept.
  var compressionLevel: Int { schema == nil ? 1 : 9 }

  /// Files that attacks damage have some multiple of so many lines.
  var damageUnit: Int { schema == nil ? 10 : 4 }

  /// True where every event has a challenge record and the pipeline asks for one.
  var requiresChallenges: Bool { attacks.contains(.challengeNotIssued) }

  /// True where challenge records are written.
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
