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
  private let fields: UnsafeMutablePointer<attest_json_fields>
  private let values: UnsafePointer<attest_json_value>

  init() {
    let names = LogField.allCases.map { Array($0.name.utf8) }
    unsafe fields = .allocate(capacity: 1)
    unsafe fields.initialize(to: attest_json_fields())
    unsafe values = UnsafeRawPointer(fields)
      .advanced(by: MemoryLayout<attest_json_fields>.offset(of: \.values) ?? 0)
      .assumingMemoryBound(to: attest_json_value.self)
    let joined = names.flatMap { $0 }
    let parser = unsafe joined.withUnsafeBufferPointer { joined in
      var offset = 0
      var entries: [attest_json_name] = unsafe []
      for name in names {
        unsafe entries.append(
          attest_json_name(
            bytes: joined.baseAddress.unsafelyUnwrapped + offset, length: name.count))
        offset += name.count
      }
      return unsafe entries.withUnsafeBufferPointer { entries in
        unsafe attest_json_create(entries.baseAddress.unsafelyUnwrapped, entries.count)
      }
    }
    guard let parser = unsafe parser else {
      preconditionFailure("out of memory for a JSON parser")
    }
    unsafe self.parser = parser
  }

  deinit {
    unsafe attest_json_destroy(parser)
    unsafe fields.deallocate()
  }

  /// Reads `line`, behind which `padding` bytes are readable. On success `duplicate` is the field
  /// that stands twice, if one does, and `kinds` and `subscript` give the values.
  func read(
    _ line: UnsafeBufferPointer<UInt8>, duplicate: inout LogField?
  ) -> Failure? {
    guard let base = line.baseAddress else { return .malformed }
    let status = unsafe attest_json_read(parser, base, line.count, fields)
    let index = unsafe fields.pointee.duplicate
    duplicate = index < 0 ? nil : LogField(rawValue: Int(index))
    switch status {
    case ATTEST_JSON_OK: return nil
    case ATTEST_JSON_NOT_AN_OBJECT: return .notAnObject
    case ATTEST_JSON_TOO_DEEP: return .tooDeep
    default: return .malformed
    }
  }

  /// What the fields of the line that was read last are.
  var kinds: FieldKinds {
    unsafe FieldKinds(
      strings: FieldSet(bits: fields.pointee.strings),
      numbers: FieldSet(bits: fields.pointee.numbers),
      others: FieldSet(bits: fields.pointee.others))
  }

  /// The text of a string or number in the line that was read last, in the memory of the line or
  /// of the parser, valid until the next line.
  func text(_ field: LogField) -> UnsafeBufferPointer<UInt8> {
    let value = unsafe values[field.rawValue]
    return unsafe UnsafeBufferPointer(start: value.bytes, count: value.length)
  }

  /// The value of a field in the line that was read last.
  subscript(field: LogField) -> Value {
    let set = FieldSet(field).bits
    let kind: Value.Kind
    if unsafe fields.pointee.strings & set != 0 {
      kind = .string
    } else if unsafe fields.pointee.numbers & set != 0 {
      kind = .number
    } else if unsafe fields.pointee.others & set != 0 {
      kind = .other
    } else {
      kind = unsafe fields.pointee.nulls & set != 0 ? .null : .absent
    }
    let hasText = kind == .string || kind == .number
    return unsafe Value(
      kind: kind, text: hasText ? text(field) : UnsafeBufferPointer(start: nil, count: 0))
  }
}
