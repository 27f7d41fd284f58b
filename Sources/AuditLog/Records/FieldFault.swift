/// A fault in the fields of a record.
struct FieldFault: Error {
  let code: Reject.Code
  /// Returns one English sentence. The argument gives a field the name that people look for in the log.
  let reason: @Sendable ((LogField) -> String) -> String
  private(set) var wrongType: LogField?

  init(_ code: Reject.Code, _ reason: @escaping @Sendable ((LogField) -> String) -> String) {
    self.code = code
    self.reason = reason
  }

  /// Makes a fault of one field. `words` follow its name.
  init(_ code: Reject.Code, _ field: LogField, _ words: String) {
    self.init(code) { name in "The field \(name(field)) \(words)." }
  }

  static func missing(_ field: LogField) -> FieldFault {
    FieldFault(.missingField, field, "is missing")
  }

  static func wrongType(_ field: LogField) -> FieldFault {
    var fault = FieldFault(.missingField, field, "has the wrong type")
    fault.wrongType = field
    return fault
  }

  static func unknownWord(_ field: LogField) -> FieldFault {
    FieldFault(.badEncoding, field, "contains an unknown word")
  }

  static func length(_ field: LogField, _ count: Int, _ needed: String) -> FieldFault {
    FieldFault(.badEncoding, field, "has \(count) bytes, not \(needed)")
  }

  func reject(_ name: (LogField) -> String) -> Reject { Reject(code, reason(name)) }
}
