import Foundation
import TestSupport

/// A genuine vector as a line of a log.
typealias EndVector = VectorFile

extension VectorFile {
  /// Attestations and assertions; receipts alone are no records.
  static let records = all.filter { $0.kind != "receipt" }

  /// The identifier in hex, as reports have it.
  var keyHex: String {
    Data(base64Encoded: keyId ?? "")!.map { String(format: "%02x", $0) }.joined()
  }

  /// When the record was made, or `verifiedAt`; of an older assertion, a minute after that of its
  /// attestation.
  var time: Date {
    if let recordedAt { return Self.date(recordedAt) }
    let attestation = Self.all.first { $0.name == attestationVector }
    guard let text = verifiedAt ?? attestation?.verifiedAt else {
      return Date(timeIntervalSince1970: 1_707_000_000)
    }
    let date = Self.date(text)
    return kind == "assertion" ? date + 60 : date
  }

  /// A log with a line for each vector. `times` are those of older attestations, RFC 3339, by key
  /// identifier in hex, in place of `verifiedAt`.
  static func log(_ vectors: [EndVector], times: [String: String]) throws -> String {
    try vectors.map { try $0.line(times) + "\n" }.joined()
  }

  private func line(_ times: [String: String]) throws -> String {
    var time = time
    if recordedAt == nil, let signed = times[keyHex],
      attestationVector != nil || kind == "attestation"
    {
      time = Self.date(signed) + (kind == "assertion" ? 60 : 0)
    }
    var fields: [String: Any] = [
      "kind": kind, "token": token, "keyId": keyId!,
      "time": Int64((time.timeIntervalSince1970 * 1000).rounded()),
    ]
    if let appId { fields["appId"] = appId }
    if clientDataHashFormation == "sha256(clientData)" {
      fields["clientData"] = clientDataBase64
    } else {
      fields["clientDataHash"] =
        clientDataHashBase64 ?? Data(repeating: 7, count: 32).base64EncodedString()
    }
    let data = try JSONSerialization.data(
      withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }

  /// The keys of assertions whose attestation is not published, as JSON Lines.
  static func knownKeys() throws -> String {
    try all.filter { $0.kind == "assertion" && $0.attestationVector == nil }.map { vector in
      let data = try JSONSerialization.data(withJSONObject: [
        "keyId": vector.keyId!, "publicKey": vector.publicKeyX962Base64!, "appId": vector.appId!,
      ])
      return String(decoding: data, as: UTF8.self) + "\n"
    }.joined()
  }
}
