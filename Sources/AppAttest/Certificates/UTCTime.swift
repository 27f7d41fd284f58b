internal import Basics

/// Times of certificates up to 2049: YYMMDDHHMMSSZ (RFC 5280, 4.1.2.5.1).
enum UTCTime {
  /// Returns the time in seconds since 1970, or nil for any other text.
  static func seconds(_ text: Span<UInt8>) -> Int64? {
    guard text.count == 13, text[12] == UInt8(ascii: "Z") else { return nil }
    var numbers = InlineArray<6, Int>(repeating: 0)
    for index in 0..<12 {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      numbers[index / 2] = numbers[index / 2] * 10 + Int(digit)
    }
    var fields = CivilFields()
    fields.year = numbers[0] < 50 ? 2000 + numbers[0] : 1900 + numbers[0]
    fields.month = numbers[1]
    fields.day = numbers[2]
    fields.hour = numbers[3]
    fields.minute = numbers[4]
    fields.second = numbers[5]
    guard fields.second < 60, let time = fields.time else { return nil }
    return time / 1000
  }
}
