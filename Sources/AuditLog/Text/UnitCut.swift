/// Text as Node's `Buffer.from` reads it: of each UTF-16 unit it takes the lower eight bits, so that a
/// character outside ASCII stands for one of base64.
enum UnitCut {
  /// Returns the lower eight bits of each UTF-16 unit of UTF-8. Invalid bytes become U+FFFD.
  static func lowerBits(of text: [UInt8]) -> [UInt8] {
    String(decoding: text, as: UTF8.self).utf16.map(UInt8.init(truncatingIfNeeded:))
  }
}
