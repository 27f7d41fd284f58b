internal import Basics

/// Values of a log in the form that sentences show, short whatever their length in the log.
package enum DetailText {
  /// The largest number of bytes that are shown of a value.
  private static let limit = 96

  /// Returns a text in quotation marks, truncated if it is long.
  package static func quoted(_ text: String) -> String {
    quoted(Array(text.utf8))
  }

  /// Returns bytes as a text in quotation marks, truncated if long, or `none` for nil.
  package static func quoted(_ bytes: [UInt8]?) -> String {
    guard let bytes else { return "none" }
    guard bytes.count > limit else { return "\"\(String(decoding: bytes, as: UTF8.self))\"" }
    return "\"\(beginning(of: bytes, bytes: limit))\""
  }

  /// Returns up to `limit` bytes of a longer text of UTF-8, cut between characters, and an ellipsis.
  package static func beginning(of text: [UInt8], bytes limit: Int) -> String {
    let end = (limit - 3...limit).last { text[$0] & 0xC0 != 0x80 } ?? limit
    return "\(String(decoding: text.prefix(end), as: UTF8.self))…"
  }

  /// Returns lower-case hex, truncated if it is long. Returns `none` for nil.
  package static func hex(_ bytes: [UInt8]?) -> String {
    guard let bytes else { return "none" }
    guard !bytes.isEmpty else { return "empty" }
    return Hex.text(Array(bytes.prefix(limit / 2))) + (bytes.count > limit / 2 ? "…" : "")
  }

  static func digest(_ bytes: [UInt8]) -> String {
    Digest256.sha256(bytes.span).hex
  }

  /// Returns a list, truncated if it is long.
  package static func list(_ words: [String]) -> String {
    guard !words.isEmpty else { return "none" }
    let most = 8
    let shown = words.prefix(most).joined(separator: ", ")
    return words.count > most ? "\(shown) and \(words.count - most) more" : shown
  }

  private static let units: [(name: String, length: UInt64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// Returns a duration in milliseconds, from a minute on in two units, such as `20 min 29 s`.
  package static func duration(_ milliseconds: UInt64) -> String {
    guard milliseconds >= 60_000 else {
      if milliseconds >= 1000, milliseconds.isMultiple(of: 1000) {
        return "\(milliseconds / 1000) s"
      }
      return milliseconds < 10_000
        ? "\(milliseconds) ms"
        : "\(milliseconds / 1000).\("\(milliseconds % 1000)".zeroPadded(to: 3)) s"
    }
    var rest = milliseconds
    let parts = units.compactMap { name, length -> String? in
      defer { rest %= length }
      return rest >= length ? "\(rest / length) \(name)" : nil
    }
    return parts.prefix(2).joined(separator: " ")
  }
}
