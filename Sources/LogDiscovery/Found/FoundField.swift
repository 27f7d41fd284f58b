/// How sure a find is.
package enum Sureness: String {
  /// Cryptography says so: it decodes, a hash agrees, or a signature holds.
  case certain
  /// The values leave little doubt.
  case likely
  /// It may be something else: written as a comment.
  case guess
}

/// Where a field was found.
package struct FoundField {
  /// How the field comes out of a line.
  package enum Form: Equatable {
    /// The first pointer that is present, and the encoding or the form of the time that stands beside it.
    case pointers([Int], encoding: String? = nil, time: FoundTime? = nil)
    case template([FoundPart])
    /// A table from the texts at a pointer to words, in its order; without `otherwise` a text that is
    /// not in it makes the line unreadable.
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
  /// What stands there, in a few words.
  package var what: String
  package var sureness: Sureness
  /// Lines on which it was found.
  package var lines: Int
  /// Lines that were looked at for it.
  package var of: Int

  /// True where the field is written as one that counts.
  package var isActive: Bool { sureness != .guess }

  /// Returns whether a line has what the field is read from.
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

  /// The word that a line's value stands for; nil where the field has no table, or the line no word.
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
