/// The rows of a CSV text (RFC 4180), put together line by line.
package struct CSVRows {
  package enum Problem: Error, Equatable {
    /// A quote inside a field without quotes, or text behind a closing quote.
    case strayQuote
    /// A quoted field that goes on for longer than a row may be.
    case tooLong
  }

  private enum State {
    case fieldStart, plain, quoted, afterQuote
  }

  /// The longest row taken, in bytes.
  private let limit: Int

  private var state = State.fieldStart
  private var fields: [String] = []
  private var field: [UInt8] = []

  package init(limit: Int = 1 << 20) { self.limit = limit }

  package var isInsideField: Bool { state == .quoted }

  /// Takes a line without its LF: the row that it completes, or nil if a quoted field goes on. A CR
  /// at its end belongs to the end of the row, unless a quoted field goes on.
  package mutating func take(_ line: [UInt8]) throws(Problem) -> [String]? {
    if isInsideField { field.append(0x0A) }
    guard field.count + line.count <= limit else { throw .tooLong }
    for (index, byte) in line.enumerated() {
      if byte == 0x0D, state != .quoted, index == line.count - 1 { break }
      switch (state, byte) {
      case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
      case (.quoted, UInt8(ascii: "\"")): state = .afterQuote
      case (.afterQuote, UInt8(ascii: "\"")):
        field.append(byte)
        state = .quoted
      case (.plain, UInt8(ascii: "\"")): throw .strayQuote
      case (.fieldStart, UInt8(ascii: ",")), (.plain, UInt8(ascii: ",")),
        (.afterQuote, UInt8(ascii: ",")):
        endField()
      case (.afterQuote, _): throw .strayQuote
      case (.quoted, _): field.append(byte)
      case (.fieldStart, _), (.plain, _):
        field.append(byte)
        state = .plain
      }
    }
    guard !isInsideField else { return nil }
    endField()
    defer { fields = [] }
    return fields
  }

  private mutating func endField() {
    fields.append(String(decoding: field, as: UTF8.self))
    field.removeAll(keepingCapacity: true)
    state = .fieldStart
  }
}
