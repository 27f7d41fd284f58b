internal import CSimdjson

/// The fields of the default schema (`records.md`), by their order here.
package enum LogField: Int, CaseIterable, Sendable {
  case time, kind, keyId, token, challenge, payload, clientData, clientDataHash, appId, subject
  case requestId, decision, platform, format

  /// The field's name in the log.
  package var name: String { String(describing: self) }
}

/// Reads lines as JSON objects with simdjson; a handle for one thread at a time.
@safe struct JSONLine: ~Copyable {
  /// How a line failed.
  enum Failure {
    case malformed, notAnObject, tooDeep

    /// One English sentence.
    var reason: String {
      switch self {
      case .malformed: "The line is not one whole JSON object in UTF-8."
      case .notAnObject: "The line is JSON, but not an object."
      case .tooDeep: "The line's JSON is nested more than 1024 deep."
      }
    }
  }

  /// A field's value in the memory of the line or of the parser, valid until the next line.
  @safe struct Value {
    enum Kind { case absent, null, string, number, other }
    let kind: Kind
    let text: UnsafeBufferPointer<UInt8>

    /// Whether the field stands in the line with something other than `null`.
    var isPresent: Bool {
      switch kind {
      case .absent, .null: false
      case .string, .number, .other: true
      }
    }
  }

  /// Bytes that must be readable behind every line.
  static let padding = Int(ATTEST_JSON_PADDING)

  private let parser: OpaquePointer
  private let names: UnsafeMutableBufferPointer<attest_json_name>
  private let values: UnsafeMutableBufferPointer<attest_json_value>

  init() {
    guard let parser = unsafe attest_json_create() else {
      preconditionFailure("out of memory for a JSON parser")
    }
    unsafe self.parser = parser
    let count = LogField.allCases.count
    unsafe names = .allocate(capacity: count)
    unsafe values = .allocate(capacity: count)
    for field in LogField.allCases {
      let name = Array(field.name.utf8)
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: name.count)
      _ = unsafe copy.initialize(from: name)
      if let base = copy.baseAddress {
        unsafe (names.baseAddress.unsafelyUnwrapped + field.rawValue).initialize(
          to: attest_json_name(bytes: base, length: name.count))
      }
      unsafe (values.baseAddress.unsafelyUnwrapped + field.rawValue).initialize(
        to: attest_json_value())
    }
  }

  deinit {
    unsafe attest_json_destroy(parser)
    for index in 0..<LogField.allCases.count { unsafe names[index].bytes.deallocate() }
    unsafe names.deallocate()
    unsafe values.deallocate()
  }

  /// Reads `line`, behind which `padding` bytes are readable. On success `duplicate` is the field
  /// that stands twice, if one does, and `subscript` gives the values.
  func read(
    _ line: UnsafeBufferPointer<UInt8>, duplicate: inout LogField?
  ) -> Failure? {
    var index: Int32 = -1
    guard let base = line.baseAddress, let names = unsafe names.baseAddress,
      let values = unsafe values.baseAddress
    else { return .malformed }
    let status = unsafe attest_json_read(
      parser, base, line.count, names, LogField.allCases.count, values, &index)
    duplicate = LogField(rawValue: Int(index))
    switch status {
    case ATTEST_JSON_OK: return nil
    case ATTEST_JSON_NOT_AN_OBJECT: return .notAnObject
    case ATTEST_JSON_TOO_DEEP: return .tooDeep
    default: return .malformed
    }
  }

  /// The value of a field in the line that was read last.
  subscript(field: LogField) -> Value {
    let value = unsafe values[field.rawValue]
    let text = unsafe UnsafeBufferPointer(start: value.bytes, count: value.length)
    switch unsafe value.kind {
    case ATTEST_JSON_STRING: return unsafe Value(kind: .string, text: text)
    case ATTEST_JSON_NUMBER: return unsafe Value(kind: .number, text: text)
    case ATTEST_JSON_NULL: return unsafe Value(kind: .null, text: text)
    case ATTEST_JSON_ABSENT: return unsafe Value(kind: .absent, text: text)
    default: return unsafe Value(kind: .other, text: text)
    }
  }
}
