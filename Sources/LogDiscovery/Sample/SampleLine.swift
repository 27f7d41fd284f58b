import AuditLog

/// One value of a line, as a pointer reaches it.
package struct SampleValue {
  package enum Kind {
    case string, number, boolean, null, object, array

    init(_ kind: JSONDocument.Kind) {
      switch kind {
      case .string: self = .string
      case .number: self = .number
      case .boolean: self = .boolean
      case .null: self = .null
      case .object: self = .object
      case .array: self = .array
      }
    }
  }

  /// The pointer's number in the sample's ``PointerTable``.
  var pointer: Int
  let kind: Kind
  /// The UTF-8 of a decoded string, or a number's or boolean's text; empty for all else.
  let text: ArraySlice<UInt8>
  /// The value as it stands in the line, or in the string that holds it.
  let raw: ArraySlice<UInt8>

  /// The text as a string.
  var string: String { String(decoding: text, as: UTF8.self) }

  /// True where the value is a string or a number, of which fields are read.
  var isText: Bool { kind == .string || kind == .number }
}

/// One line of the sample: a JSON object.
package struct SampleLine {
  /// The index of the source in the order of the run.
  let source: Int
  /// 1-based in the decompressed stream.
  let number: UInt64
  let bytes: [UInt8]
  /// Where the object begins in them.
  var start = 0
  /// No pointer stands twice.
  var values: [SampleValue]
  /// True where a name stands twice somewhere, so that an audit may refuse the line.
  var hasDuplicates: Bool

  /// True where something stands in front of the object.
  var hasPrefix: Bool { start > 0 }
  /// True where the default schema makes a record of its object.
  let isDefaultRecord: Bool
  /// True where an audit that skips the line says that it holds a token, wherever in it.
  var holdsToken = false

  /// The value at a pointer; nil where there is none.
  subscript(pointer: Int) -> SampleValue? {
    for value in values where value.pointer == pointer { return value }
    return nil
  }

  /// Returns whether something other than `null` stands at a pointer.
  func holds(_ pointer: Int) -> Bool {
    guard let value = self[pointer] else { return false }
    return value.kind != .null
  }
}
