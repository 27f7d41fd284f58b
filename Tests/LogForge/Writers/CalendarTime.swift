internal import Basics

/// Times in the forms of logs and certificates, from milliseconds since 1970.
package enum CalendarTime {
  /// Returns a time with `digits` fraction digits, those beyond the third taken from `tail`.
  /// `offset` is in minutes.
  package static func rfc3339(
    _ time: Int64, digits: Int = 3, tail: UInt64 = 0, offset: Int64 = 0, lowerCase: Bool = false
  ) -> String {
    let local = CivilTime(milliseconds: time + offset * 60_000).text
    var text = String(local.prefix(local.utf8.count - 5))
    if lowerCase { text = text.lowercased() }
    if digits > 0 {
      let fraction = local.dropLast().suffix(3) + "\(tail % 1_000_000)".zeroPadded(to: 6)
      text += "." + fraction.prefix(digits)
    }
    if offset == 0 { return text + (lowerCase ? "z" : "Z") }
    let minutes = abs(offset)
    return text + (offset < 0 ? "-" : "+") + "\(minutes / 60)".zeroPadded(to: 2) + ":"
      + "\(minutes % 60)".zeroPadded(to: 2)
  }

  /// Returns a DER time of whole seconds: UTCTime up to 2049, GeneralizedTime after (RFC 5280,
  /// 4.1.2.5).
  package static func der(seconds: Int64) -> [UInt8] {
    let time = CivilTime(milliseconds: seconds * 1000)
    let digits = time.text.utf8.dropLast(5).filter { (0x30...0x39).contains($0) }
    let isShort = (1950..<2050).contains(time.year)
    return DERWriter.value(
      isShort ? 0x17 : 0x18, Array(digits.dropFirst(isShort ? 2 : 0)) + [UInt8(ascii: "Z")])
  }
}
