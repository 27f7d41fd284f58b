/// Percent-encoding (RFC 3986, section 2.1). A percent sign without two hex digits stands for itself.
package enum PercentCode {
  /// Returns the bytes with percent signs and their hex digits decoded once.
  package static func decoded(_ text: Span<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var at = 0
    while at < text.count {
      if text[at] == UInt8(ascii: "%"), text.count - at > 2,
        let byte = byte(text[at + 1], text[at + 2])
      {
        output.append(byte)
        at += 3
      } else {
        output.append(text[at])
        at += 1
      }
    }
    return output
  }

  @inline(__always)
  static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = value(high), let low = value(low) else { return nil }
    return high << 4 | low
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
