internal import AuditLog

/// The texts of a request as they are in a row: 1 byte with a bit for each that is there, in the order of
/// ``RequestText`` and at last ``TokenFacts``, and these as ``RowText``. Valid as long as the row is.
@safe struct RowTexts {
  static let count = RequestText.allCases.count + 1
  /// The place of the token's facts among them.
  private static let tokenPlace = count - 1

  let encoded: UnsafeRawBufferPointer

  /// Returns a text, which is absent if the record has none.
  subscript(text: RequestText) -> RowText { self[text.rawValue] }

  var token: TokenFacts { TokenFacts(tokenText) }

  var tokenText: RowText { self[Self.tokenPlace] }

  private subscript(place: Int) -> RowText {
    var cursor = unsafe RowCursor(encoded)
    let present = cursor.number(UInt8.self)
    guard present & 1 << place != 0 else { return unsafe .absent }
    for bit in 0..<place where present & 1 << bit != 0 { _ = cursor.text() }
    return cursor.text()
  }

  /// Calls `body` with each text of the request that is there, in their order.
  func withEachOfRequest(_ body: (RequestText, RowText) -> Void) {
    var cursor = unsafe RowCursor(encoded)
    let present = cursor.number(UInt8.self)
    for place in 0..<Self.tokenPlace where present & 1 << place != 0 {
      let text = cursor.text()
      if let name = RequestText(rawValue: place) { body(name, text) }
    }
  }

  /// The byte in front that says which texts there are.
  var present: UInt8 { unsafe encoded[0] }

  /// Whether a text is kept elsewhere.
  var hasStored: Bool {
    var cursor = unsafe RowCursor(encoded)
    for _ in 0..<cursor.number(UInt8.self).nonzeroBitCount where cursor.text().isStored {
      return true
    }
    return false
  }

  /// Calls `body` with each text that is there, in their order.
  func withEach(_ body: (RowText) throws(AuditError) -> Void) throws(AuditError) {
    var cursor = unsafe RowCursor(encoded)
    for _ in 0..<cursor.number(UInt8.self).nonzeroBitCount { try body(cursor.text()) }
  }

  /// Returns the byte in front of a row's texts that says which there are.
  static func presence(token: Bool = false, _ isPresent: (RequestText) -> Bool) -> UInt8 {
    RequestText.allCases.reduce(token ? 1 << tokenPlace : 0) {
      $0 | (isPresent($1) ? 1 << $1.rawValue : 0)
    }
  }
}

extension Finding {
  /// Takes the texts of its request from a row.
  mutating func take(
    _ texts: RowTexts, _ store: TextStore, _ wanted: [RequestText] = RequestText.allCases
  ) throws(AuditError) {
    for text in wanted { self[text] = try texts[text].string(store) }
  }
}
