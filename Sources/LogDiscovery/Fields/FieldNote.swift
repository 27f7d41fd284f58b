package import AuditLog

/// The certainty of a find.
package enum Sureness: String {
  /// Cryptography confirms it: it decodes, a hash agrees, or a signature is valid.
  case certain
  /// It is the only candidate.
  case likely
  /// It may be something else. It is written as a comment.
  case guess
}

/// A field with the place where it was found, and the evidence for it.
package struct FieldNote {
  package var field: LogField
  package var mapping: FieldMapping
  /// A description of the values, in a few words.
  package var what: String
  package var sureness = Sureness.certain
  /// The number of lines on which it was found, and of those that were examined for it.
  package var lines, of: Int

  /// Whether the field is written as an active one, and not as a comment.
  package var isActive: Bool { sureness != .guess }

  package var evidence: String { "\(what), \(lines) of \(of) lines" }
}

extension PointerTable {
  /// Returns the mapping of a field that is at one of some pointers.
  func mapping(
    _ numbers: [Int], encoding: FieldEncoding? = nil, values: ValueTable? = nil,
    time: TimeForm? = nil
  ) -> FieldMapping {
    FieldMapping(.pointers(numbers.map(pointer)), encoding: encoding, values: values, time: time)
  }
}
