/// A string that stands for another one.
package struct SchemaWrapping: Sendable, Equatable {
  package enum Form: String, CaseIterable, Sendable {
    /// The base64 of its bytes, either alphabet, padded or not.
    case base64
    /// The string with percent signs and two hex digits for characters.
    case percent
    /// JSON of a string.
    case json
  }
  /// The place of the string. Pointers may go on behind it.
  package var pointer: JSONPointer
  package var form: Form
  /// The place of the value that says whether the string is wrapped: `true`, `1` or `base64`, case
  /// aside. It is nil if the string always is wrapped.
  package var flag: JSONPointer?

  package init(_ pointer: JSONPointer, _ form: Form, flag: JSONPointer? = nil) {
    self.pointer = pointer
    self.form = form
    self.flag = flag
  }
}
