import AppAttest
import AuditEngine
import AuditReport
import AuditState
import Basics

/// A remembered key as a row of text.
struct KeptKeyRow {
  let key: KeptKey
  /// The identifier of the device that has the key, if that is known.
  var deviceID: String?

  /// The columns of `state keys`.
  static let columns = [
    "key_id", "app_id", "environment", "status", "attested_at", "last_counter", "counters_seen",
    "subject", "os_version", "category", "bundle_version", "receipt_type", "receipt_created",
    "risk_metric", "key_id_base64",
  ]

  /// The values of ``columns``.
  var values: [String] {
    [
      key.keyID.hex, key.appID, key.environment?.name ?? "",
      key.firstValid == nil ? "untrusted" : "known", Self.time(key.attestedAt),
      key.lastCounter.map { "\($0)" } ?? "",
      "\(key.seen.reduce(UInt64(0)) { $0 + UInt64($1.upperBound - $1.lowerBound) + 1 })",
      key.subject?.text ?? "", key.osVersion, key.category?.name ?? "",
      key.bundleVersion, key.receiptType, Self.time(key.receiptCreated), key.riskMetric,
      Base64Text.text(key.keyID.bytes),
    ]
  }

  /// The texts that `--keys` reads, by their columns, or nil if the key is not trusted.
  var listed: [(column: String, text: String)]? {
    guard !key.publicKey.isEmpty else { return nil }
    let all = [
      ("keyId", Base64Text.text(key.keyID.bytes)),
      ("publicKey", Base64Text.text(key.publicKey)), ("appId", key.appID),
      ("environment", key.environment?.name ?? ""), ("attestedAt", Self.time(key.attestedAt)),
      ("lastCounter", key.lastCounter.map { "\($0)" } ?? ""),
      ("subject", key.subject?.text ?? ""), ("deviceId", deviceID ?? ""),
      ("attestationLogged", key.firstValid != nil && key.firstAttestation != nil ? "true" : ""),
    ]
    return all
  }

  /// The columns of ``listed``.
  static let listedColumns = [
    "keyId", "publicKey", "appId", "environment", "attestedAt", "lastCounter", "subject",
    "deviceId", "attestationLogged",
  ]

  /// Returns the time in RFC 3339, or empty if there is no time, or none in the years of RFC 3339.
  private static func time(_ milliseconds: Int64?) -> String {
    guard let milliseconds else { return "" }
    let time = CivilTime(milliseconds: milliseconds)
    return (0...9999).contains(time.year) ? time.text : ""
  }

  /// Returns a line of JSON Lines of ``listed``, without empty members.
  static func json(_ listed: [(column: String, text: String)]) -> String {
    TextRow.json(listed, bare: ["lastCounter"])
  }
}
