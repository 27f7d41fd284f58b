internal import CSimdjson
internal import Glibc

/// The fields of one line and the way to read them. Valid until the next line.
@safe struct FieldValues {
  /// The way in which the fields of a rule are written. Each reader has its own.
  final class Reading {
    var encodings = InlineArray<20, FieldEncoding>(repeating: .utf8)
    var kind = SchemaRule.Kind.inferred
    let time: TimeForm
    /// Whether times are read as in the default schema.
    let hasStandardTime: Bool
    var durationUnit = TimeUnit.s
    var formation = LogSchema.HashFormation.sha256
    /// The field to name if there is no client data, or nil for that of the kind's text.
    var clientDataField: LogField?

    /// Makes the reading of the default schema but for the time.
    init(time: TimeForm = TimeForm()) {
      self.time = time.copied()
      hasStandardTime = time == TimeForm()
      for field in [LogField.token, .clientData] { encodings[field.rawValue] = .base64 }
      for field in [LogField.keyId, .clientDataHash] { encodings[field.rawValue] = .auto }
    }
  }

  var kinds: FieldKinds
  /// The values by field. They are stale for fields that are absent.
  let values: UnsafePointer<attest_json_value>
  let reading: Reading

  @inline(__always)
  func encoding(_ field: LogField) -> FieldEncoding { reading.encodings[field.rawValue] }

  /// Returns the text of a field that is a string or a number, or what it is to be hashed as.
  @inline(__always)
  func text(_ field: LogField) -> UnsafeBufferPointer<UInt8> { unsafe values[field.rawValue].text }

  @inline(__always)
  func isWord(_ field: LogField, _ word: StaticString) -> Bool {
    let text = unsafe text(field)
    guard text.count == word.utf8CodeUnitCount, let start = text.baseAddress else { return false }
    return unsafe memcmp(start, word.utf8Start, text.count) == 0
  }

  /// Returns whether a text field is `word`, ASCII letters compared without case.
  func equals(_ field: LogField, _ word: StaticString) -> Bool {
    let text = unsafe text(field)
    guard text.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count {
      var byte = unsafe text[index]
      if byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") { byte |= 0x20 }
      if unsafe byte != word.utf8Start[index] { return false }
    }
    return true
  }

  /// The texts that loggers write for a value that is absent (`records.R22`).
  private static let placeholders: [StaticString] = ["", "-", "null", "none", "unknown", "0"]

  @inline(__always)
  static func isPlaceholder(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count <= 7 && placeholders.contains { unsafe text.elementsEqual($0.bytes) }
  }

  /// Returns whether a text stands for a body or token that is not there (`reports.R71`).
  static func isBlank(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count <= 4
      && ["", "-", "null"].contains { (word: StaticString) in
        unsafe text.elementsEqual(word.bytes)
      }
  }

  static func textField(_ kind: RecordKind) -> LogField {
    kind == .assertion ? .payload : .challenge
  }
}

extension StaticString {
  fileprivate var bytes: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
  }
}
