import AppAttest
import AuditLog
import OpenSSL

/// The forms in which a list can have a public key on P-256 (`records.R57`, `records.R90`).
package enum PublicKeyText {
  /// Returns the X9.62 point of a key in any of the forms, or nil if the text is not a key on P-256.
  package static func point(_ text: String) -> [UInt8]? {
    if text.contains("-----BEGIN ") { return pemPoint(text) }
    if text.first(where: { !$0.isWhitespace }) == "{" { return jwkPoint(text) }
    return [KeyTexts.hex(text), KeyTexts.base64(text)].lazy.compactMap { $0.flatMap(point) }.first
  }

  private static func point(_ bytes: [UInt8]) -> [UInt8]? {
    let isCoordinates = bytes.count == 2 * coordinateBytes
    if let point = checked(isCoordinates ? [4] + bytes : bytes) { return point }
    return P256PublicKey.point(spki: bytes) ?? COSEKey.point(bytes.span).flatMap(checked)
      ?? (try? Certificate(der: bytes))?.p256Point
  }

  private static let coordinateBytes = 32

  private static func checked(_ point: [UInt8]) -> [UInt8]? {
    P256PublicKey.isPoint(point.span) ? point : nil
  }

  /// Returns the point of a PEM text with a key or a certificate. Databases write its line breaks as `\n`.
  private static func pemPoint(_ text: String) -> [UInt8]? {
    let pem = Array(text.replacing("\\r", with: "").replacing("\\n", with: "\n").utf8)
    if let point = P256PublicKey.point(pem: pem) { return point }
    guard let all = try? Certificate.derFromPEM(pem), all.count == 1, let der = all.first else {
      return nil
    }
    return (try? Certificate(der: der))?.p256Point
  }

  /// Returns the point of a JSON Web Key (RFC 7518, section 6.2).
  private static func jwkPoint(_ text: String) -> [UInt8]? {
    guard let values = JSONDocument().read(Array(text.utf8)[...]), values.first?.kind == .object
    else { return nil }
    var members: [String: String] = [:]
    for value in values[...].parts.compactMap(\.first) {
      let text = value.kind == .string ? String(decoding: value.text, as: UTF8.self) : ""
      members[String(decoding: value.name ?? [], as: UTF8.self)] = text
    }
    guard members["kty"] == "EC", members["crv"] == "P-256",
      let x = members["x"].flatMap(KeyTexts.base64), let y = members["y"].flatMap(KeyTexts.base64),
      x.count == coordinateBytes, y.count == coordinateBytes
    else { return nil }
    return checked([4] + x + y)
  }
}

/// Binary values in the forms of key lists. They are read in the same way as logs.
package enum KeyTexts {
  /// Decodes base64 or base64url, padded or not. Returns nil for any other text.
  package static func base64(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      unsafe Base64.decode(digits, into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }

  /// Decodes two hex digits for each byte, also with a prefix (`records.R82`). Returns nil for any other text.
  package static func hex(_ text: String) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: text.utf8.count)
    let range: Range<Int>? = unsafe Array(text.utf8).withUnsafeBufferPointer { digits in
      let digits = unsafe digits[HexDigits.prefix(digits)...]
      return unsafe HexDigits.decode(UnsafeBufferPointer(rebasing: digits), into: &buffer)
    }
    return range.map { Array(buffer.storage[$0]) }
  }
}
