import Foundation
import TestSupport

/// A genuine vector as a line of a log.
struct EndVector: Decodable {
  var kind: String
  var appId: String?
  var environment: String?
  var keyId: String?
  var clientDataBase64: String?
  var clientDataHashBase64: String?
  var clientDataHashFormation: String?
  var token: String
  var publicKeyX962Base64: String?
  var attestationVector: String?
  var verifiedAt: String?
  var expected: String

  var name = ""

  enum CodingKeys: String, CodingKey {
    case kind, appId, environment, keyId, clientDataBase64, clientDataHashBase64
    case clientDataHashFormation, token, publicKeyX962Base64, attestationVector, verifiedAt
    case expected
  }

  private static let folder = Repository.vectors

  static let isPresent = FileManager.default.fileExists(atPath: folder.path)

  static let all: [EndVector] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter { $0.hasSuffix(".json") }.map { name in
      let data = try! Data(contentsOf: folder.appending(path: name))
      var vector = try! JSONDecoder().decode(EndVector.self, from: data)
      vector.name = String(name.dropLast(5))
      return vector
    }
  }()

  /// Attestations and assertions; receipts alone are no records.
  static let records = all.filter { $0.kind != "receipt" }

  /// The identifier in hex, as reports have it.
  var keyHex: String {
    Data(base64Encoded: keyId ?? "")!.map { String(format: "%02x", $0) }.joined()
  }

  /// `verifiedAt`; of an assertion, a minute after that of its attestation.
  var time: Date {
    let attestation = Self.all.first { $0.name == attestationVector }
    guard let text = verifiedAt ?? attestation?.verifiedAt else {
      return Date(timeIntervalSince1970: 1_707_000_000)
    }
    let date = Self.date(text)
    return kind == "assertion" ? date + 60 : date
  }

  private static func date(_ text: String) -> Date {
    let plain = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
    let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return (try? plain.parse(text)) ?? (try! fractional.parse(text))
  }

  /// A log with a line for each vector. `times` are those of attestations, RFC 3339, by key
  /// identifier in hex, in place of `verifiedAt`.
  static func log(_ vectors: [EndVector], times: [String: String]) throws -> String {
    try vectors.map { try $0.line(times) + "\n" }.joined()
  }

  private func line(_ times: [String: String]) throws -> String {
    var time = time
    if let signed = times[keyHex], attestationVector != nil || kind == "attestation" {
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
