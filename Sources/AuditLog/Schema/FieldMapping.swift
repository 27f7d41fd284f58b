/// The source of a field's value, and the way in which it is read.
package struct FieldMapping: Sendable, Equatable {
  package enum Source: Sendable, Equatable {
    /// The value at the first of them that is present: there, and not `null`.
    case pointers([JSONPointer])
    case template([TemplatePart])
    case constant(String)
  }
  package var source: Source
  /// The encoding of bytes. If it is nil, the field is read as by the default schema, and templates
  /// and constants as UTF-8.
  package var encoding: FieldEncoding?
  /// Words that values stand for; only of `kind` and `decision`.
  package var values: ValueTable?
  /// The form of a time. Only `time` has one, and `duration` a unit.
  package var time: TimeForm
  /// Whether client data that is absent has zero bytes (`records.R93`).
  package var isEmptyIfAbsent: Bool

  package init(
    _ source: Source, encoding: FieldEncoding? = nil, values: ValueTable? = nil,
    unit: TimeUnit? = nil, time: TimeForm? = nil, isEmptyIfAbsent: Bool = false
  ) {
    self.isEmptyIfAbsent = isEmptyIfAbsent
    self.source = source
    self.encoding = encoding
    self.values = values
    self.time = time ?? TimeForm(unit: unit)
  }

  package var pointers: [JSONPointer] {
    switch source {
    case .pointers(let pointers): pointers
    case .template(let parts):
      parts.compactMap { part in if case .pointer(let pointer, _) = part { pointer } else { nil } }
    case .constant: []
    }
  }
}

package enum TemplatePart: Sendable, Equatable {
  case text(String)
  case pointer(JSONPointer, TemplateForm = .text)
}

/// The bytes that a value becomes in a template.
package enum TemplateForm: String, CaseIterable, Sendable {
  /// The decoded text of a string, or a number's text.
  case text
  /// The bytes that a text encodes.
  case base64
  /// The same bytes as a member of an assertion in CBOR. The signature is the first one.
  case signature, authenticatorData

  /// The CBOR before the byte string of the member.
  package var head: [UInt8] {
    switch self {
    case .text, .base64: []
    case .signature: [0xA2, 0x69] + Array(rawValue.utf8)
    case .authenticatorData: [0x71] + Array(rawValue.utf8)
    }
  }
}

package enum FieldEncoding: String, CaseIterable, Sendable {
  /// The encoding by which the default schema reads the field.
  case auto
  /// The bytes of the decoded string.
  case utf8
  /// Either alphabet, padded or not.
  case base64
  /// The same as `base64`: either alphabet, padded or not.
  case base64url
  case hex
  /// The bytes of the JSON value as they stand.
  case raw
}

package struct ValueTable: Sendable, Equatable {
  /// A value's text, or `1xx` to `5xx` for three-digit numbers of that class, and its word. Words can follow a number of
  /// three digits in the log.
  package struct Entry: Sendable, Equatable {
    package var value: String
    package var word: String

    package init(_ value: String, _ word: String) {
      self.value = value
      self.word = word
    }
  }
  package var entries: [Entry]
  /// The word of all other values, or nil if they are `record.bad_encoding`.
  package var otherwise: String?

  package init(_ entries: [Entry], otherwise: String? = nil) {
    self.entries = entries
    self.otherwise = otherwise
  }
}
