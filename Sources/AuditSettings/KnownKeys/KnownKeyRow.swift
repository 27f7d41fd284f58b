package import AppAttest
import AuditEngine
import AuditLog
import Basics

/// One row of a list of known keys, whatever its form, as texts by the names of their columns.
package struct KnownKeyRow {
  package static let columns = [
    "keyId", "publicKey", "appId", "environment", "attestedAt", "lastCounter", "subject",
    "deviceId", "attestationLogged",
  ]
  /// The columns that every key must have.
  static let needed = ["keyId", "publicKey"]

  /// Returns the column of a name without case, `_` and `-` (`records.R90`), or the name.
  static func column(_ name: String) -> String { columnsByName[plain(name)] ?? name }

  private static let columnsByName = Dictionary(
    uniqueKeysWithValues: columns.map { (plain($0), $0) })

  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  /// The texts of the row. An empty text counts as absent.
  let texts: [String: String]

  /// Returns the key, or throws an error that names the column.
  func key() throws(CommandError) -> KnownKey {
    let keyID = try SettingFormat.keyID.value(needed("keyId"), of: "keyId")
    guard let point = PublicKeyText.point(try needed("publicKey")) else {
      throw CommandError(
        .invalidFile,
        "publicKey: not a key on P-256 as point, SPKI, COSE key, JWK, PEM or certificate")
    }
    try CommandError.require(
      Digest256.sha256(point.span) == keyID, "publicKey: its SHA-256 is not keyId",
      status: .invalidFile)
    var key = KnownKey(
      keyID: keyID, publicKey: point, appID: try value("appId", .appID) ?? "")
    key.environment = try value("environment", .environment)
    key.attestedAt = try value("attestedAt", .time)
    key.lastCounter = try value("lastCounter", .counter)
    key.subject = present("subject")
    key.deviceID = present("deviceId")
    key.isAttestationLogged = present("attestationLogged") == "true"
    return key
  }

  private func present(_ column: String) -> String? {
    texts[column].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func needed(_ column: String) throws(CommandError) -> String {
    guard let text = present(column) else {
      throw CommandError(.invalidFile, "\(column) is missing")
    }
    return text
  }

  private func value<Value>(
    _ column: String, _ format: SettingFormat<Value>
  ) throws(CommandError) -> Value? {
    try format.value(present(column), of: column)
  }

  package static func keyID(_ text: String) -> Digest256? {
    let isHex = text.utf8.count == 2 * Digest256.byteCount
    return (isHex ? KeyTexts.hex(text) : KeyTexts.base64(text)).flatMap { Digest256($0) }
  }
}

extension SettingFormat<Int64> {
  /// The format of a time in logs, in milliseconds since 1970: RFC 3339, or a number, which counts
  /// seconds below 1e11.
  fileprivate static var time: SettingFormat {
    SettingFormat(expected: "an RFC 3339 time, or seconds or milliseconds since 1970") { text in
      let bytes = Array(text.utf8)
      return text.wholeMatch(of: /[0-9]+(\.[0-9]+)?/) == nil
        ? LogTime.parse(rfc3339: bytes.span) : LogTime.parse(number: bytes.span)
    }
  }
}
