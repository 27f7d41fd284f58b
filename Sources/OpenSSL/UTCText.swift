internal import COpenSSL

/// Times as sentences have them: RFC 3339, UTC.
package enum UTCText {
  private static let limit = 48

  /// `2026-03-01T12:00:00Z`, from seconds since 1970; the number itself beyond all years.
  package static func text(seconds: Int64) -> String {
    var bytes = [CChar](repeating: 0, count: limit)
    let isWritten = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe attest_utc_text(seconds, start, limit) == 1
    }
    guard isWritten else { return "second \(seconds)" }
    return String(
      decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// `2026-03-01T12:00:00.000Z`, from milliseconds since 1970.
  package static func text(milliseconds: Int64) -> String {
    var (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    if rest < 0 {
      seconds -= 1
      rest += 1000
    }
    let text = text(seconds: seconds)
    guard text.hasSuffix("Z") else { return text }
    let digits = String(rest)
    return text.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
  }
}
