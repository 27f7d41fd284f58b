internal import AppAttest
package import AuditEngine

enum KeyColumns {
  static let name = "keys.csv"
  static let all = Columns(own + Column.facts)

  private static let own: [Column<KeyRow>] = [
    Column.hex("key_id", "the key identifier", \.anyKeyID).required,
    .text("app_id", "the App ID", \.appID),
    .word("environment", "production or development", \.environment),
    Column.word("status", "attested, imported, known, untrusted or unknown", \.status).required,
    .time("attested_at", "when the key was attested", \.attestedAt),
    Column.time("first_seen", "the time of the key's first record", \.firstSeen).required,
    Column.time("last_seen", "the time of its last record", \.lastSeen).required,
    .number("attestations", "its attestations", \.attestations),
    .number("assertions", "its assertions", \.assertions),
    .number("verified", "assertions with a valid signature", \.verified),
    .number("failed", "records with the verdict failed", \.failed),
    .number("first_counter", "the lowest verified counter", \.firstCounter),
    .number("last_counter", "the highest verified counter", \.lastCounter),
    .number("missing_counters", "numbers between them that were never seen", \.missingCounters),
    .number("findings", "findings about the key", \.findings),
    .word("worst_severity", "the most severe of them", \.worstSeverity),
    .text("subject", "the account or user", \.subject),
  ]
}

/// A row about a key with the facts of its attestation.
protocol RowWithFacts: Sendable {
  var keyID: Digest256 { get }
  var facts: KeyFacts { get set }
}

extension KeyRow: RowWithFacts {}
extension KeptKey: RowWithFacts {}

extension Column where Row: RowWithFacts {
  /// The columns of the facts, and the last of every list of keys.
  fileprivate static var facts: [Column] {
    [
      .text("os_version", "the system's version, from the certificate", \.facts.osVersion),
      .category("category", "the validation category, from the certificate", \.facts.category),
      .text("bundle_version", "the app's version, from the certificate", \.facts.bundleVersion),
      .text("receipt_type", "the type of the receipt", \.facts.receiptType),
      .time("receipt_created", "when the receipt was made", \.facts.receiptCreated),
      .text("risk_metric", "the receipt's risk metric", \.facts.riskMetric),
      .derived("key_id_base64", "the key identifier in base64") { .base64($0.keyID) },
    ]
  }
}

/// The columns of `state keys`: what a state knows about keys.
package enum KeptKeyColumns {
  package static let all = Columns(own + Column.facts)

  private static let own: [Column<KeptKey>] = [
    Column.derived("key_id", "the key identifier") { .digest($0.keyID) },
    .text("app_id", "the App ID", \.appID),
    .word("environment", "production or development", \.environment),
    .derived("status", "known, imported or untrusted") {
      .word($0.firstValid != nil ? "known" : $0.publicKey.isEmpty ? "untrusted" : "imported")
    },
    .time("attested_at", "when the key was attested", \.attestedAt),
    .derived("last_counter", "the highest verified counter") {
      $0.snapshot.counters.last.map { .number(UInt64($0)) } ?? .none
    },
    .derived("counters_seen", "the number of counters seen") {
      .number(
        $0.snapshot.counters.seen.reduce(0) { $0 + UInt64($1.upperBound - $1.lowerBound) + 1 })
    },
    .derived("subject", "the account or user") {
      $0.subjectText.isEmpty ? .none : .text($0.subjectText)
    },
  ]
}

extension KeyRow {
  static let empty = KeyRow(Digest256(), .unknown, firstSeen: 0, lastSeen: 0)

  fileprivate var anyKeyID: Digest256? {
    get { keyID }
    set { keyID = newValue ?? keyID }
  }
}

struct ReportedReject {
  var reject: RejectRow
  var source: String

  private static let headBytes = 256

  fileprivate var head: String {
    String(decoding: reject.head.prefix(Self.headBytes), as: UTF8.self)
  }
}

enum RejectColumns {
  static let name = "rejects.jsonl"
  static let all = Columns(list)

  private static let list: [Column<ReportedReject>] = [
    .path("source", "the input", \.source),
    .number("line", "the line in the decompressed input", \.reject.position.line),
    .number(
      "byteOffset", "the offset of its first byte in the decompressed input", \.reject.byteOffset),
    .word("code", "what is wrong", \.reject.code),
    .text("reason", "one sentence", \.reject.reason),
    .derived("head", "its first 256 bytes, with invalid UTF-8 replaced") { .text($0.head) },
  ]
}

/// A build as reports have it: in a run with a state, with the nights on which it was seen.
package struct ReportedBuild: Sendable {
  package var row: BuildRow
  /// It counts this run as well. It is nil without a state.
  package var sighting: BuildSighting?

  package init(_ row: BuildRow, _ sighting: BuildSighting?) {
    self.row = row
    self.sighting = sighting
  }
}

/// The columns of `builds.csv` (`reports.R65`).
package enum BuildColumns {
  static let name = "builds.csv"
  static let plain = Columns(build + counts)
  static let withState = Columns(build + counts + nights)
  /// The columns by which builds differ.
  static let identity = Columns(build)
  package static let kept = Columns(build + nights)

  private static let build: [Column<ReportedBuild>] = [
    .text("app_id", "the App ID", \.row.build.appID),
    .word("platform", "ios or macos, by the certificate of the key", \.row.build.platform),
    .category("category", "the validation category", \.row.build.category),
    .text("bundle_version", "the app's version", \.row.build.bundleVersion),
    .hex("code_hash", "the hash of the code", \.row.build.codeHash),
  ]

  private static let counts: [Column<ReportedBuild>] = [
    .time("first_seen", "the time of its first verified record", \.row.counts.firstSeen),
    .time("last_seen", "the time of its last one", \.row.counts.lastSeen),
    .number("keys", "the keys that used it", \.row.counts[.keys]),
    .number("subjects", "the accounts or users that used it", \.row.counts[.subjects]),
    .number("attestations", "its verified attestations", \.row.counts[.attestations]),
    .number("assertions", "its verified assertions", \.row.counts[.assertions]),
    .number("accepted", "those that the server accepted", \.row.counts[.accepted]),
    .number("rejected", "those that the server rejected", \.row.counts[.rejected]),
    .number("findings", "findings about them", \.row.counts[.findings]),
    .word("worst_severity", "the most severe of them", \.row.counts.worst),
  ]

  private static let nights: [Column<ReportedBuild>] = [
    .text("first_night", "with a state: the day of the first run that saw it", \.firstNight),
    .number("nights", "with a state: the number of runs that saw it", \.nights),
  ]
}

extension ReportedBuild {
  fileprivate var firstNight: String {
    get { sighting?.firstNight ?? "" }
    set { sighting = BuildSighting(firstNight: newValue, nights: nights) }
  }

  fileprivate var nights: UInt64 {
    get { sighting?.nights ?? 0 }
    set { sighting = BuildSighting(firstNight: firstNight, nights: newValue) }
  }
}
