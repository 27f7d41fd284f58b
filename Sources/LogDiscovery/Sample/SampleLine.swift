import AuditLog

/// One value of a line, with its pointer.
package struct SampleValue {
  /// The pointer's number in the sample's ``PointerTable``.
  var pointer: Int
  let kind: JSONDocument.Kind
  /// The UTF-8 of a decoded string, or the text of a number or boolean. It is empty for any other
  /// value.
  let text: ArraySlice<UInt8>
  /// The unchanged value in the line, or in the string that holds it.
  let raw: ArraySlice<UInt8>

  /// The text as a string.
  var string: String { String(decoding: text, as: UTF8.self) }

  /// Whether the value is a string or a number, of which fields are read.
  var isText: Bool { kind == .string || kind == .number }
}

/// One line of the sample: a JSON object.
package struct SampleLine {
  /// The index of the source in the order of the run.
  package let source: Int
  /// The number of the line in the decompressed stream, from 1.
  package let number: UInt64
  package let bytes: [UInt8]
  /// The offset of the object in the bytes.
  var start = 0
  /// The values of the line. No pointer occurs twice.
  var values: [SampleValue] = []
  /// Whether a name occurs twice somewhere, so that an audit may refuse the line.
  package var hasDuplicates = false
  /// Whether its object is JSON only with the tolerances of `records.R81`.
  var isOdd = false

  /// The length of the beginning of a line that is shown, in bytes.
  static let headBytes = 160

  /// The beginning of the line.
  package var head: String { String(decoding: bytes.prefix(Self.headBytes), as: UTF8.self) }

  /// Whether the line has text before the object.
  var hasPrefix: Bool { start > 0 }
  /// Whether an audit that skips the line reports a token in it, at any place.
  package internal(set) var holdsToken = false

  /// The value at a pointer, or nil if there is none.
  subscript(pointer: Int) -> SampleValue? {
    for value in values where value.pointer == pointer { return value }
    return nil
  }

  /// Returns whether a value other than `null` is at a pointer.
  func holds(_ pointer: Int) -> Bool {
    guard let value = self[pointer] else { return false }
    return value.kind != .null
  }

  /// The largest number of texts of a line that are tried as something else.
  private static let textLimit = 64

  /// Reads a line whose object can follow other text.
  package static func read(_ bytes: [UInt8]) -> (line: SampleLine, pointers: PointerTable) {
    var pointers = PointerTable()
    let start = bytes.firstIndex(of: UInt8(ascii: "{")) ?? 0
    let flat = LineFlattener.flatten(bytes[start...], &pointers)
    let line = SampleLine(
      source: 0, number: 1, bytes: bytes, start: start, values: flat.values,
      hasDuplicates: flat.hasDuplicates)
    return (line, pointers)
  }

  /// Returns the texts of the line, each with a name for people.
  package func texts(_ pointers: PointerTable) -> [(name: String, bytes: [UInt8])] {
    values.filter { $0.kind == .string && !$0.text.isEmpty }.prefix(Self.textLimit).map {
      (pointers.words($0.pointer), Array($0.text))
    }
  }
}
