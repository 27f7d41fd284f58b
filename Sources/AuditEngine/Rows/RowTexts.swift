internal import AuditLog

/// The texts of a request as they are in a row: 1 byte with a bit for each that is there, in the order of
/// ``RequestText``, and these as ``RowText``. Valid as long as the row is.
@safe struct RowTexts {
  /// The layout's bytes.
  let encoded: UnsafeRawBufferPointer

  /// Returns a text, which is absent if the record has none.
  subscript(text: RequestText) -> RowText {
    var cursor = unsafe RowCursor(encoded)
    let present = cursor.number(UInt8.self)
    guard present & 1 << text.rawValue != 0 else { return unsafe .absent }
    for bit in 0..<text.rawValue where present & 1 << bit != 0 { _ = cursor.text() }
    return cursor.text()
  }

  /// The bytes of the texts that are kept elsewhere.
  var storedLength: UInt64 { RequestText.allCases.reduce(0) { $0 + self[$1].storedLength } }

  /// Returns the texts as strings.
  func strings(_ store: TextStore) throws(AuditError) -> RequestStrings {
    var strings = RequestStrings()
    for text in RequestText.allCases { strings[text] = try self[text].string(store) }
    return strings
  }

  /// Returns the byte in front of a row's texts that says which there are.
  static func presence(_ isPresent: (RequestText) -> Bool) -> UInt8 {
    RequestText.allCases.reduce(0) { $0 | (isPresent($1) ? 1 << $1.rawValue : 0) }
  }
}

/// The texts of a request, each empty if the record does not have it.
struct RequestStrings {
  private var texts = InlineArray<5, String>(repeating: "")

  subscript(text: RequestText) -> String {
    get { texts[text.rawValue] }
    set { texts[text.rawValue] = newValue }
  }
}
