internal import Basics
internal import OpenSSL

/// The fields of a receipt that are examined: SET of SEQUENCE {type INTEGER, version INTEGER,
/// value OCTET STRING} (Apple, "Assessing fraud risk").
package struct ReceiptFields: Sendable {
  private let bytes: [UInt8]
  /// The ranges in it of the values that are kept.
  private var values: [(type: UInt8, range: Range<Int>)] = []

  /// The types whose values are kept. Others are skipped.
  private static let kept: [UInt8] = [2, 3, 4, 5, 6, 7, 12, 17, 19, 21]

  /// Parses the content: strict DER with nothing left over, a SET by type, each field at most once.
  package init?(_ content: [UInt8]) {
    bytes = content
    let bytes = content.span
    guard let set = DERReader.only(DERReader.set, 0..<bytes.count, in: bytes) else { return nil }
    values.reserveCapacity(Self.kept.count)
    var fields = DERReader(set)
    while !fields.isAtEnd {
      guard let field = fields.next(DERReader.sequence, in: bytes) else { return nil }
      var parts = DERReader(field)
      guard let type = parts.next(DERReader.integer, in: bytes), !type.isEmpty,
        let version = parts.next(DERReader.integer, in: bytes), !version.isEmpty,
        let value = parts.next(DERReader.octetString, in: bytes), parts.isAtEnd
      else { return nil }
      // A small number in its shortest form is one byte.
      let number = bytes[type.lowerBound]
      guard type.count == 1, Self.kept.contains(number) else { continue }
      guard range(of: number) == nil else { return nil }
      values.append((number, value))
    }
  }

  private func range(of type: UInt8) -> Range<Int>? {
    for value in values where value.type == type { return value.range }
    return nil
  }

  package subscript(_ type: UInt8) -> [UInt8]? { range(of: type).map { Array(bytes[$0]) } }

  func has(_ type: UInt8) -> Bool { range(of: type) != nil }

  func has(_ type: UInt8, _ value: Span<UInt8>) -> Bool {
    guard let range = range(of: type) else { return false }
    return bytes.span.extracting(range).equals(value)
  }

  /// Returns the value of a field as text, or nil if it is not UTF-8.
  package func text(_ type: UInt8) -> String? {
    guard let range = range(of: type) else { return nil }
    let value = bytes.span.extracting(range)
    return value.isUTF8 ? value.text : nil
  }

  /// Returns the value of a field that is an RFC 3339 time, in milliseconds since 1970.
  package func time(_ type: UInt8) -> Int64? {
    guard let range = range(of: type) else { return nil }
    return RFC3339.milliseconds(bytes.span.extracting(range))
  }
}
