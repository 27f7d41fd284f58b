import FindingCodes

/// A way to break a good line, so that an audit cannot read a record from it.
struct RecordFlaw: Sendable {
  /// The code of the reject, or ``FindingCode/recordNotAudited`` if the line is no record of the
  /// log any more, or nil if it holds no token either and an audit skips it.
  let code: FindingCode?
  /// The kind of record that is broken.
  let kind: LogRecord.Kind
  let edit: @Sendable (inout JSONLine) -> Void

  init(
    _ code: FindingCode?, _ kind: LogRecord.Kind,
    _ edit: @escaping @Sendable (inout JSONLine) -> Void
  ) {
    self.code = code
    self.kind = kind
    self.edit = edit
  }
}

extension RecordFlaw {
  /// Returns lines whose field `name` is missing, is null, or has a type that it cannot have.
  static func absent(_ name: String, _ kind: LogRecord.Kind, wrongType: String) -> [RecordFlaw] {
    [
      RecordFlaw(.recordMissingField, kind) { $0.remove(name) },
      RecordFlaw(.recordMissingField, kind) { $0.set(name, raw: "null") },
      RecordFlaw(.recordMissingField, kind) { $0.set(name, raw: wrongType) },
    ]
  }

  /// Returns lines with another value of `name` in front of it: under the same name, under a name
  /// with an escape in it, and under names in another case, all of which Go's decoder accepts.
  static func twice(_ name: String, _ kind: LogRecord.Kind, raw other: String) -> [RecordFlaw] {
    [
      RecordFlaw(.recordAmbiguousField, kind) { $0.precede(name, raw: other) },
      RecordFlaw(.recordAmbiguousField, kind) {
        $0.precede(name, as: escaped(name), raw: other)
      },
      RecordFlaw(.recordAmbiguousField, kind) {
        $0.precede(name, as: name.uppercased(), raw: other)
      },
    ] + folded(name, kind, raw: other)
  }

  /// Returns a line with another value under a name that equals it only by Unicode's folding, if
  /// the name has a letter for that.
  private static func folded(_ name: String, _ kind: LogRecord.Kind, raw other: String)
    -> [RecordFlaw]
  {
    let twin = name.replacing("k", with: "\u{212A}", maxReplacements: 1)
      .replacing("s", with: "\u{17F}", maxReplacements: 1)
    guard twin != name else { return [] }
    return [RecordFlaw(.recordAmbiguousField, kind) { $0.precede(name, as: twin, raw: other) }]
  }

  /// Returns the same flaws, within the object that the field `name` is or holds as text.
  static func within(_ name: String, _ flaws: [RecordFlaw]) -> [RecordFlaw] {
    flaws.map { flaw in RecordFlaw(flaw.code, flaw.kind) { $0.edit(name, flaw.edit) } }
  }

  /// Returns `name` in another spelling of JSON: with its first character escaped.
  private static func escaped(_ name: String) -> String {
    guard let first = name.unicodeScalars.first else { return name }
    let digits = String(
      decoding: TextCode.hex.encode([UInt8(truncatingIfNeeded: first.value)]), as: UTF8.self)
    return #"\u00"# + digits + name.unicodeScalars.dropFirst().map { String($0) }.joined()
  }

  /// Base64 of 31 bytes, one fewer than a key identifier has.
  static let shortKeyID = #""AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==""#
  /// Base64 of 32 bytes that are no key identifier in use.
  static let otherKeyID = #""AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=""#
  /// A text that is no base64 in any alphabet.
  static let noBase64 = #""*** no base64 ***""#
}
