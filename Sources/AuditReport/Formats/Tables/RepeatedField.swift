internal import Basics

/// A field of a table in which the value of the row before often stands again: it is formatted once and
/// copied from then on.
struct RepeatedField<Value: Equatable & Sendable> {
  private var value: Value?
  private var field = RowBuffer()

  /// Returns whether this is the value that stands there.
  @inline(__always)
  func holds(_ value: Value) -> Bool { value == self.value }

  /// Holds `value` as `format` writes it.
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

  /// Appends `value` as `format` writes it.
  @inline(__always)
  mutating func append(
    _ value: Value, to rows: inout RowBuffer, _ format: (inout RowBuffer, Value) -> Void
  ) {
    if !holds(value) { hold(value, format) }
    append(to: &rows)
  }
}

/// A text that equals another byte for byte; strings are equal too where Unicode takes different bytes
/// for one text.
struct TextBytes: Equatable {
  let text: String

  static func == (left: TextBytes, right: TextBytes) -> Bool {
    let isSame = unsafe right.text.utf8.withContiguousStorageIfAvailable {
      unsafe left.text.isEncoded(as: UnsafeRawBufferPointer($0))
    }
    return isSame ?? left.text.utf8.elementsEqual(right.text.utf8)
  }
}
