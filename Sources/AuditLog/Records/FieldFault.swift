/// A fault in the fields of a record.
enum FieldFault: Error {
  case missing(LogField)
  case wrongType(LogField)
  case unknownWord(LogField)
  case encoding(LogField, FieldEncoding)
  /// A field that decodes to so many bytes instead of those named.
  case length(LogField, Int, String)
  case time(TimeUnit?)
  case timePattern
  case timeWithoutZone
  case counter
  case duration(TimeUnit)
  /// `clientData` beside another text in that field.
  case twoClientData(LogField)
  case challengeAndPayload
  case challengeAndToken
  case nothingToTellBy

  /// Returns the reject. `name` gives a field the name that people look for in the log.
  func reject(_ name: (LogField) -> String) -> Reject {
    switch self {
    case .missing(let field):
      Reject(.missingField, "The field \(name(field)) is missing.")
    case .wrongType(let field):
      Reject(.missingField, "The field \(name(field)) has the wrong type.")
    case .unknownWord(let field):
      Reject(.badEncoding, "The field \(name(field)) contains an unknown word.")
    case .encoding(let field, let encoding):
      Reject(
        .badEncoding,
        "The field \(name(field)) is not \(encoding == .hex ? "hex digits" : "base64").")
    case .length(let field, let count, let needed):
      Reject(.badEncoding, "The field \(name(field)) has \(count) bytes, not \(needed).")
    case .time(nil):
      Reject(
        .badEncoding,
        "The field \(name(.time)) is neither RFC 3339 with an offset nor a time in range.")
    case .time(.rfc3339):
      Reject(.badEncoding, "The field \(name(.time)) is not RFC 3339 with an offset.")
    case .time(let unit?):
      Reject(
        .badEncoding,
        "The field \(name(.time)) is not a number in \(unit.rawValue) of a time in range.")
    case .timePattern:
      Reject(.badEncoding, "The field \(name(.time)) is not a time of its format.")
    case .timeWithoutZone:
      Reject(
        .badEncoding,
        "The field \(name(.time)) is a time without a zone. Set 'zone' in the schema.")
    case .counter:
      Reject(
        .badEncoding,
        "The field \(name(.serverCounter)) is not a whole number from 0 to 4294967295.")
    case .duration(let unit):
      Reject(
        .badEncoding,
        "The field \(name(.duration)) is not a number of \(unit.rawValue) from 0.")
    case .twoClientData(let field):
      Reject(
        .ambiguousField,
        "The field \(name(.clientData)) contains other bytes than \(name(field)).")
    case .challengeAndPayload:
      Reject(.ambiguousField, "The record has no kind, and both a challenge and a payload.")
    case .challengeAndToken:
      Reject(
        .ambiguousField,
        "The record is a challenge issued, and has a \(name(.token)) all the same.")
    case .nothingToTellBy:
      Reject(.missingField, "The record has neither a kind nor client data to tell it by.")
    }
  }
}
