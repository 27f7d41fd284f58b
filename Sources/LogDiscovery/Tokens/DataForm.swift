import AppAttest
import AuditLog
import Basics

/// A piece of a template.
package enum FoundPart: Hashable {
  case text(String)
  /// The text at a pointer, or if it is in base64, the bytes that it encodes.
  case value(Int, isBase64: Bool = false)
}

/// A derivation of a clientDataHash from a line: a value or several, a change, and hashing.
package struct DataForm: Hashable {
  /// A change of a value before it is hashed.
  enum Change: Hashable {
    case utf8, base64, hex, raw
    case rewritten(JSONForm)
    case inBase64, percentDecoded, plusForSpaces, spacesForPlus, lineEnd, trimmed

    /// The words after the value's name.
    var words: String {
      switch self {
      case .utf8: ""
      case .base64: " decoded from base64"
      case .hex: " decoded from hex"
      case .raw: " with its quotes and escapes"
      case .rewritten(let form): " " + form.words
      case .inBase64: " in base64"
      case .percentDecoded: " with percent signs decoded"
      case .plusForSpaces: " with '+' for each space, which form decoding ate"
      case .spacesForPlus: " with a space for each '+', as form decoding makes"
      case .lineEnd: " with a line end after it"
      case .trimmed: " without the white space after it"
      }
    }

    /// The rank among changes, simpler ones first.
    var rank: Int {
      switch self {
      case .utf8: 0
      case .base64: 1
      case .hex: 2
      case .raw: 3
      case .rewritten(let form): form.isSorted ? 9 : 8
      default: 10
      }
    }

    /// The encoding of the value in a schema, or nil if no schema can express the change.
    var encoding: FieldEncoding? {
      switch self {
      case .utf8: .utf8
      case .base64: .base64
      case .hex: .hex
      case .raw: .raw
      default: nil
      }
    }
  }

  /// A step from client data to the clientDataHash.
  enum Step: Hashable {
    case sha256, hexText, base64Text

    func apply(_ bytes: [UInt8]) -> [UInt8] {
      switch self {
      case .sha256: Digest256.sha256(bytes.span).bytes
      case .hexText: Array(Hex.text(bytes).utf8)
      case .base64Text: Array(Base64Text.text(bytes).utf8)
      }
    }

    var words: String {
      switch self {
      case .sha256: "the SHA-256 of "
      case .hexText: "the hex text of "
      case .base64Text: "the base64 text of "
      }
    }
  }

  /// The value, or the pieces of a template.
  var parts: [FoundPart]
  var change = Change.utf8
  var steps: [Step] = [.sha256]

  /// Whether the value is the clientDataHash itself, and not the data that is hashed.
  var isHash: Bool { steps.isEmpty }

  /// Whether a schema can express the form.
  var isExpressible: Bool {
    change.encoding != nil && (isHash ? change != .raw : steps == [.sha256])
  }

  /// The pointers of its values.
  var pointers: [Int] {
    parts.compactMap { if case .value(let pointer, _) = $0 { pointer } else { nil } }
  }

  /// The pointer of the value, or nil for a template.
  var pointer: Int? { parts.count == 1 ? pointers.first : nil }

  /// The encoding of the value. A template is text.
  var encoding: FieldEncoding { change.encoding ?? .utf8 }

  /// The length of the longest text that is changed, in bytes.
  private static let changedBytes = 64 << 10
  /// The lengths of a clientDataHash, in bytes (`records.R19`).
  static let hashBytes = 16...255

  /// Returns the client data of a line, or its clientDataHash if the value is that.
  func bytes(in line: SampleLine) -> [UInt8]? {
    if let pointer { return line[pointer].flatMap { Self.bytes(of: $0, change) } }
    var bytes: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): bytes += Array(text.utf8)
      case .value(let pointer, let isBase64):
        guard let text = line[pointer].flatMap({ Self.bytes(of: $0, isBase64 ? .base64 : .utf8) })
        else { return nil }
        bytes += text
      }
    }
    return bytes
  }

  /// Returns the clientDataHash of a line, or nil if the line does not have it in this form.
  package func hash(in line: SampleLine) -> [UInt8]? {
    guard let bytes = bytes(in: line) else { return nil }
    let hash = steps.reduce(bytes) { $1.apply($0) }
    return Self.hashBytes.contains(hash.count) ? hash : nil
  }

  /// Returns the form in words: `the SHA-256 of the field body`.
  package func words(_ pointers: PointerTable) -> String {
    let name = parts.map { part in
      switch part {
      case .text(let text): "'\(text.replacing("\n", with: "\\n"))'"
      case .value(let pointer, let isBase64):
        "the field \(pointers.words(pointer))" + (isBase64 ? ", decoded from base64," : "")
      }
    }.joined(separator: " and ")
    switch (steps, change) {
    case ([], .utf8): return name + " itself, not hashed"
    case ([], _): return "the bytes of \(name)\(change.words), not hashed"
    case ([.sha256, .sha256], _): return name + change.words + " hashed twice"
    default: return steps.reversed().map(\.words).joined() + name + change.words
    }
  }

  /// Returns the rank among forms that explain the same lines, simpler ones first: by encoding,
  /// then by pointer.
  func order(_ pointers: PointerTable) -> (Int, Int, String) {
    if let pointer {
      return (
        (isHash ? 4 : 0) + change.rank + 20 * max(0, steps.count - 1), pointers.depth(pointer),
        pointers.text(pointer)
      )
    }
    let texts = parts.map { part in
      switch part {
      case .text(let text): text
      case .value(let pointer, _): pointers.text(pointer)
      }
    }
    return (10 + parts.count, 0, texts.joined())
  }

  // MARK: Forms of a value

  /// Returns all forms of a line, the likeliest first.
  package static func all(in line: SampleLine, _ pointers: PointerTable) -> [DataForm] {
    line.values.flatMap(forms) + TemplateForms.forms(in: line, excluding: [], pointers)
      + line.values.flatMap(oddForms)
  }

  /// Returns the forms of a value that a schema can express.
  static func forms(of value: SampleValue) -> [DataForm] {
    [Change.utf8, .base64, .hex, .raw].flatMap { change -> [DataForm] in
      guard bytes(of: value, change) != nil else { return [] }
      let form = DataForm(parts: [.value(value.pointer)], change: change)
      return change == .raw
        ? [form] : [form, DataForm(parts: form.parts, change: change, steps: [])]
    }
  }

  /// Hashing that servers and apps do by mistake: they hash twice, or pass on or hash a hash's text.
  private static let oddSteps: [[Step]] = [
    [.sha256, .sha256], [.sha256, .hexText], [.sha256, .hexText, .sha256], [.sha256, .base64Text],
    [.sha256, .base64Text, .sha256],
  ]

  /// Returns the forms of a value that no schema can express, the likeliest first.
  static func oddForms(of value: SampleValue) -> [DataForm] {
    let isContainer = value.kind == .object || value.kind == .array
    let text = isContainer ? value.raw : value.text
    guard isContainer || value.isText, text.count <= changedBytes else { return [] }
    let parts = [FoundPart.value(value.pointer)]
    let rewritten = JSONForm.forms(of: text).map {
      DataForm(parts: parts, change: .rewritten($0.form))
    }
    guard !isContainer else { return rewritten }
    return rewritten + oddSteps.map { DataForm(parts: parts, steps: $0) }
      + [Change.inBase64, .plusForSpaces, .spacesForPlus, .percentDecoded, .lineEnd, .trimmed]
      .filter { change in bytes(of: value, change).map { $0 != Array(text) } ?? false }
      .map { DataForm(parts: parts, change: $0) }
  }

  private static func bytes(of value: SampleValue, _ change: Change) -> [UInt8]? {
    let (space, plus) = (UInt8(ascii: " "), UInt8(ascii: "+"))
    switch change {
    case .utf8: return value.isText ? Array(value.text) : nil
    case .base64:
      return (value.kind == .string ? ValueDecoder.base64(value.text) : nil)
        ?? ValueDecoder.marked(value)
    case .hex: return value.kind == .string ? ValueDecoder.hex(value.text) : nil
    case .raw:
      switch value.kind {
      case .string, .object, .array: return Array(value.raw)
      case .number, .boolean, .null: return nil
      }
    case .rewritten(let form):
      let isContainer = value.kind == .object || value.kind == .array
      let text = isContainer ? value.raw : value.text
      return text.count <= changedBytes ? form.bytes(of: text) : nil
    case .inBase64: return Array(Base64Text.text(Array(value.text)).utf8)
    case .percentDecoded: return PercentCode.decoded(Array(value.text).span)
    case .plusForSpaces: return value.text.map { $0 == space ? plus : $0 }
    case .spacesForPlus: return value.text.map { $0 == plus ? space : $0 }
    case .lineEnd: return value.text + [0x0A]
    case .trimmed:
      return value.text.lastIndex { $0 > 0x20 }.map { Array(value.text[...$0]) }
    }
  }
}
