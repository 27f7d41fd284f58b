internal import Basics

/// A field that often has the value of the row before. It is formatted once and then copied.
struct RepeatedField<Value: Equatable & Sendable> {
  private var value: Value?
  private var field = RowBuffer()

  /// Returns whether the field holds this value.
  @inline(__always)
  func holds(_ value: Value) -> Bool { value == self.value }

  /// Formats `value` with `format` and holds it.
  @inline(never)
  mutating func hold(_ value: Value, _ format: (inout RowBuffer, Value) -> Void) {
    self.value = value
    field.removeAll()
    format(&field, value)
  }

  /// Appends the value that it holds.
  // Mutating, so that an element of an array is used in place and not copied first.
  @inline(__always)
  mutating func append(to rows: inout RowBuffer) { rows.append(copying: field) }

  /// Appends `value` as `format` writes it, or the copy if the field holds it already.
  @inline(__always)
  mutating func append(
    _ value: Value, to rows: inout RowBuffer, _ format: (inout RowBuffer, Value) -> Void
  ) {
    if !holds(value) { hold(value, format) }
    append(to: &rows)
  }
}

/// A text that equals another byte for byte: strings compare by Unicode's rules.
struct TextBytes: Equatable {
  let text: String

  static func == (left: TextBytes, right: TextBytes) -> Bool {
    let isSame = unsafe right.text.utf8.withContiguousStorageIfAvailable {
      unsafe left.text.isEncoded(as: UnsafeRawBufferPointer($0))
    }
    return isSame ?? left.text.utf8.elementsEqual(right.text.utf8)
  }
}
