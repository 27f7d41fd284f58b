/// Certificates in PEM (RFC 7468).
enum PEM {
  static func certificate(_ der: [UInt8]) -> String {
    let text = TextCode.base64.encode(der)
    var lines = ["-----BEGIN CERTIFICATE-----"]
    for start in stride(from: 0, to: text.count, by: 64) {
      lines.append(String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self))
    }
    return (lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
  }
}
