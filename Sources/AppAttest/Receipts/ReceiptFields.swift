internal import Basics
internal import OpenSSL

/// The fields of a receipt that are looked at: SET of SEQUENCE {type INTEGER, version INTEGER,
/// value OCTET STRING} (Apple, "Assessing fraud risk").
package struct ReceiptFields: Sendable {
  private var values: [Int: [UInt8]] = [:]

  /// The types whose values are kept; others are passed over.
  private static let kept: Set<Int> = [2, 3, 4, 5, 6, 7, 12, 17, 19, 21]

  /// Parses the content of a receipt: strict DER, but for the order of the SET, which Apple leaves
  /// as the types go, with nothing left over. Nil if it is not that, or a field stands twice.
  package init?(_ bytes: Span<UInt8>) {
    var outer = DERReader(0..<bytes.count)
    guard let content = outer.next(DERReader.set, in: bytes), outer.isAtEnd else { return nil }
    var fields = DERReader(content)
    while !fields.isAtEnd {
      guard let field = fields.next(DERReader.sequence, in: bytes) else { return nil }
      var parts = DERReader(field)
      guard let type = parts.next(DERReader.integer, in: bytes), !type.isEmpty,
        let version = parts.next(DERReader.integer, in: bytes), !version.isEmpty,
        let value = parts.next(DERReader.octetString, in: bytes), parts.isAtEnd
      else { return nil }
      guard let number = Self.number(bytes.extracting(type)), Self.kept.contains(number) else {
        continue
      }
      guard values.updateValue(bytes.extracting(value).copied(), forKey: number) == nil else {
        return nil
      }
    }
  }

  /// Returns a small number in its shortest form; nil for any other.
  private static func number(_ bytes: Span<UInt8>) -> Int? {
    bytes.count == 1 && bytes[0] < 0x80 ? Int(bytes[0]) : nil
  }

  /// Returns the value of a field.
  package subscript(_ type: Int) -> [UInt8]? { values[type] }

  /// Returns the value of a field that is UTF-8 text.
  package func text(_ type: Int) -> String? {
    guard let value = values[type], value.span.isUTF8 else { return nil }
    return value.span.text
  }

  /// Returns the value of a field that is an RFC 3339 time, in milliseconds since 1970.
  package func time(_ type: Int) -> Int64? {
    values[type].flatMap { RFC3339.milliseconds($0.span) }
  }
}
