/// The certainty of a find.
package enum Sureness: String {
  /// Cryptography confirms it: it decodes, a hash agrees, or a signature is valid.
  case certain
  /// The values leave little doubt.
  case likely
  /// It may be something else. It is written as a comment.
  case guess
}

/// A field, and the place where it was found.
package struct FoundField {
  /// The way in which the field is read from a line.
  package enum Form: Equatable {
    /// The first pointer that is present, and the encoding or the form of the time of its value.
    case pointers([Int], encoding: String? = nil, time: FoundTime? = nil)
    case template([FoundPart])
    /// A table from the texts at a pointer to words, in its order. Without `otherwise` a text that
    /// is not in the table makes the line unreadable.
    case table(Int, [(text: String, word: String)], otherwise: String?)

    package static func == (left: Form, right: Form) -> Bool {
      switch (left, right) {
      case (.pointers(let a, let b, let c), .pointers(let d, let e, let f)):
        a == d && b == e && c == f
      case (.template(let a), .template(let b)): a == b
      case (.table(let a, let b, let c), .table(let d, let e, let f)):
        a == d && c == f && b.elementsEqual(e, by: ==)
      default: false
      }
    }
  }

  /// The field's name in a schema.
  package var name: String
  package var form: Form
  /// A description of the values, in a few words.
  package var what: String
  package var sureness: Sureness
  /// The number of lines on which it was found.
  package var lines: Int
  /// The number of lines that were looked at for it.
  package var of: Int

  /// True where the field is written as an active one, and not as a comment.
  package var isActive: Bool { sureness != .guess }

  /// Returns whether a line has the values that the field is read from.
  func isPresent(in line: SampleLine) -> Bool {
    switch form {
    case .pointers(let pointers, let encoding, _):
      guard let pointer = pointers.first(where: line.holds), let value = line[pointer] else {
        return false
      }
      return encoding == "raw" || encoding == nil || value.kind == .string
    case .table(let pointer, _, _): return line.holds(pointer)
    case .template(let parts):
      return parts.allSatisfy { part in
        if case .value(let pointer) = part { line[pointer]?.isText ?? false } else { true }
      }
    }
  }

  /// Returns the word that a line's value stands for, or nil if the field has no table, or the line
  /// no word.
  func word(in line: SampleLine) -> String? {
    guard case .table(let pointer, let table, let otherwise) = form, let value = line[pointer],
      value.isText || value.kind == .boolean
    else { return nil }
    let text = value.string
    if let entry = table.first(where: { $0.text == text }) { return entry.word }
    if text.utf8.count == 3, let digit = text.first,
      let entry = table.first(where: { $0.text == "\(digit)xx" })
    {
      return entry.word
    }
    return otherwise
  }
}
