import AppAttest
import AuditLog
import Basics

package enum FoundPart: Hashable {
  case text(String)
  /// The text at a pointer, or if it is in base64, the bytes that it encodes.
  case value(Int, isBase64: Bool = false)

  fileprivate var pointer: Int? { if case .value(let pointer, _) = self { pointer } else { nil } }
}

/// A derivation of a clientDataHash from a line: a value or several, a change, and hashing.
package struct DataForm: Hashable {
  /// A change of a value before it is hashed.
  struct Change: Hashable, Sendable {
    /// The words after the value's name. Changes with the same words are the same.
    let words: String
    /// The encoding of the value in a schema, or nil if no schema can express the change.
    var encoding: FieldEncoding?
    /// The rank among changes, simpler ones first.
    var rank = 10
    /// The way in which JSON was written again, or nil for another change.
    var json: JSONForm?
    /// Returns the changed bytes of a value, or nil if it cannot be changed so.
    let bytes: @Sendable (SampleValue) -> [UInt8]?

    static func == (left: Change, right: Change) -> Bool { left.words == right.words }
    func hash(into hasher: inout Hasher) { hasher.combine(words) }
  }

  /// A step from client data to the clientDataHash.
  enum Step: String {
    case sha256 = "the SHA-256 of "
    case hexText = "the hex text of "
    case base64Text = "the base64 text of "

    func apply(_ bytes: [UInt8]) -> [UInt8] {
      switch self {
      case .sha256: Digest256.sha256(bytes.span).bytes
      case .hexText: Array(Hex.text(bytes).utf8)
      case .base64Text: Array(Base64Text.text(bytes).utf8)
      }
    }
  }

  /// The value, or the pieces of a template.
  var parts: [FoundPart]
  var change = Self.utf8
  var steps: [Step] = [.sha256]

  /// Whether the value is the clientDataHash itself, and not the data that is hashed.
  var isHash: Bool { steps.isEmpty }

  var isExpressible: Bool {
    change.encoding != nil && (isHash ? change.encoding != .raw : steps == [.sha256])
  }

  var pointers: [Int] { parts.compactMap(\.pointer) }

  /// The pointer of the value, or nil for a template.
  var pointer: Int? { parts.count == 1 ? pointers.first : nil }

  /// The encoding of the value. A template is text.
  var encoding: FieldEncoding { change.encoding ?? .utf8 }

  /// The length of the longest text that is changed, in bytes.
  private static let changedBytes = 64 << 10

  /// Returns the client data of a line, or its clientDataHash if the value is that.
  func bytes(in line: SampleLine) -> [UInt8]? {
    if let pointer { return line[pointer].flatMap(change.bytes) }
    var bytes: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): bytes += Array(text.utf8)
      case .value(let pointer, let isBase64):
        let change = isBase64 ? Self.base64 : Self.utf8
        guard let text = line[pointer].flatMap(change.bytes) else { return nil }
        bytes += text
      }
    }
    return bytes
  }

  /// Returns the clientDataHash of a line, or nil if the line does not have it in this form.
  package func hash(in line: SampleLine) -> [UInt8]? {
    guard let bytes = bytes(in: line) else { return nil }
    let hash = steps.reduce(bytes) { $1.apply($0) }
    // The lengths of a clientDataHash (`records.R19`).
    return (16...255).contains(hash.count) ? hash : nil
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
    switch (steps, change.encoding) {
    case ([], .utf8): return name + " itself, not hashed"
    case ([], _): return "the bytes of \(name)\(change.words), not hashed"
    case ([.sha256, .sha256], _): return name + change.words + " hashed twice"
    default: return steps.reversed().map(\.rawValue).joined() + name + change.words
    }
  }

  /// Returns the rank among forms that explain the same lines, simpler ones first.
  func order(_ pointers: PointerTable) -> (Int, Int, String) {
    if let pointer {
      return (
        (isHash ? 4 : 0) + change.rank + 20 * max(0, steps.count - 1), pointers.depth(pointer),
        pointers.text(pointer)
      )
    }
    return (10 + parts.count, 0, words(pointers))
  }

  // MARK: Forms of a value

  private static let utf8 = Change(words: "", encoding: .utf8, rank: 0) {
    $0.isText ? Array($0.text) : nil
  }
  private static let base64 = Change(words: " decoded from base64", encoding: .base64, rank: 1) {
    ($0.kind == .string ? ValueDecoder.base64($0.text) : nil) ?? ValueDecoder.bytes($0, .clientData)
  }
  /// The changes that a schema can express.
  static let changes = [
    utf8, base64,
    Change(words: " decoded from hex", encoding: .hex, rank: 2) {
      $0.kind == .string ? ValueDecoder.hex($0.text) : nil
    },
    Change(words: " with its quotes and escapes", encoding: .raw, rank: 3) {
      $0.kind == .string || $0.isContainer ? Array($0.raw) : nil
    },
  ]
  /// The changes of texts that no schema can express.
  private static let oddChanges = [
    Change(words: " in base64") { Array(Base64Text.text(Array($0.text)).utf8) },
    Change(words: " with '+' for each space, which form decoding ate") {
      $0.text.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
    },
    Change(words: " with a space for each '+', as form decoding makes") {
      $0.text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    },
    Change(words: " with percent signs decoded") { PercentCode.decoded(Array($0.text).span) },
    Change(words: " with a line end after it") { $0.text + [0x0A] },
    Change(words: " without the white space after it") { value in
      value.text.lastIndex { $0 > 0x20 }.map { Array(value.text[...$0]) }
    },
  ]

  private static func rewritten(_ form: JSONForm) -> Change {
    Change(words: " " + form.words, rank: form.isSorted ? 9 : 8, json: form) {
      $0.json.count <= changedBytes ? form.bytes(of: $0.json) : nil
    }
  }

  /// Hashing that servers and apps do by mistake: they hash twice, or pass on or hash a hash's text.
  private static let oddSteps: [[Step]] = [
    [.sha256, .sha256], [.sha256, .hexText], [.sha256, .hexText, .sha256], [.sha256, .base64Text],
    [.sha256, .base64Text, .sha256],
  ]

  /// Returns all forms of a line, the likeliest first.
  package static func all(in line: SampleLine, _ pointers: PointerTable) -> [DataForm] {
    line.values.flatMap(forms) + TemplateForms.forms(in: line, excluding: [], pointers)
      + line.values.flatMap(oddForms)
  }

  /// Returns the forms of a value that a schema can express.
  static func forms(of value: SampleValue) -> [DataForm] {
    changes.filter { $0.bytes(value) != nil }.flatMap { change in
      (change.encoding == .raw ? [[.sha256]] : [[.sha256], []]).map {
        DataForm(parts: [.value(value.pointer)], change: change, steps: $0)
      }
    }
  }

  /// Returns the forms of a value that no schema can express, the likeliest first.
  static func oddForms(of value: SampleValue) -> [DataForm] {
    guard value.isContainer || value.isText, value.json.count <= changedBytes else { return [] }
    let parts = [FoundPart.value(value.pointer)]
    let rewritten = JSONForm.forms(of: value.json).map {
      DataForm(parts: parts, change: Self.rewritten($0))
    }
    guard !value.isContainer else { return rewritten }
    return rewritten + oddSteps.map { DataForm(parts: parts, steps: $0) }
      + oddChanges.filter { change in change.bytes(value).map { $0 != Array(value.text) } ?? false }
      .map { DataForm(parts: parts, change: $0) }
  }
}

extension SampleValue {
  fileprivate var isContainer: Bool { kind == .object || kind == .array }
  /// The text that can be JSON.
  fileprivate var json: ArraySlice<UInt8> { isContainer ? raw : text }
}
