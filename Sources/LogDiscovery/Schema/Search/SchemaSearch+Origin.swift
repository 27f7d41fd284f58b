import AuditLog

/// The author of the value at a pointer: the server, or the client that it is about.
extension SchemaSearch {
  /// Returns whether the value at a pointer comes from a client: it is a part of its request, or of
  /// the signed data, or a copy of these.
  func isClients(_ pointer: Int) -> Bool {
    if sample.pointers.isOfRequest(pointer, tokens: tokenPointers, methods: methods) { return true }
    return tokens.kinds.contains { kind in
      guard let form = kind.form(sample.pointers) else { return false }
      if let signed = form.pointer,
        pointer == signed || sample.pointers.isInside(pointer, signed)
      {
        return true
      }
      return isCopied(pointer, from: form, lines[kind.role] ?? [])
    }
  }

  /// The number of lines that are searched for copies of the signed data.
  private static let copyLimit = 40

  /// Returns whether the values of a pointer also occur under the same name in the signed JSON.
  private func isCopied(_ pointer: Int, from form: DataForm, _ lines: [Int]) -> Bool {
    let name = Array("\"\(sample.pointers.name(pointer))\"".utf8)
    let copies = lines.lazy.compactMap { index -> Bool? in
      guard let value = sample.lines[index][pointer], !value.text.isEmpty,
        let bytes = form.bytes(in: sample.lines[index])
      else { return nil }
      guard let place = bytes.firstRange(of: name) else { return false }
      return bytes[place.upperBound...].drop { $0 == 0x20 || $0 == 0x3A || $0 == 0x22 }
        .starts(with: value.text)
    }
    let seen = Array(copies.prefix(Self.copyLimit))
    return !seen.isEmpty && seen.count { $0 } * 10 >= seen.count * 9
  }

  /// Returns whether a pointer is in an object that holds tokens or the signed data, and that has
  /// the method of the request beside it: whatever its name, the client may have sent it. If a
  /// field occurs inside and outside, the outside one counts.
  func isBesideToken(_ pointer: Int) -> Bool {
    tokenObjects.contains { sample.pointers.isInside(pointer, $0) }
  }

  func isClientsOrBeside(_ pointer: Int) -> Bool { isClients(pointer) || isBesideToken(pointer) }

  /// Returns whether a pointer may hold a decision. It may not be in an object that the client may
  /// have sent, unless that refers to attestations.
  func mayDecide(_ pointer: Int) -> Bool {
    tokenObjects.allSatisfy { object in
      !sample.pointers.isInside(pointer, object)
        || DecisionSearch.speaksOfTokens(sample.pointers.name(object))
    }
  }

  /// Returns a field with a warning if a client can choose its values and nothing proves them.
  /// Whoever writes `platform` and `format` changes nothing (`records.R31`).
  func warned(_ note: FieldNote) -> FieldNote {
    let isProven = note.sureness == .certain && note.field != .serverCounter
    let isChosen = note.field == .decision ? isClients : isClientsOrBeside
    guard !isProven, note.field != .platform, note.field != .format,
      note.mapping.pointers.compactMap(sample.pointers.number).contains(where: isChosen)
    else { return note }
    var note = note
    note.what +=
      [.clientIP, .userAgent, .route].contains(note.field)
      ? ", chosen by the client, never used for judging" : ", unsafe: chosen by the client"
    return note
  }

  /// Returns the fields that a search finds with the first of the conditions that leads to any.
  func first(
    _ search: (_ isClients: (Int) -> Bool) -> [FieldNote], among conditions: [(Int) -> Bool]
  ) -> [FieldNote] {
    for isClients in conditions {
      let notes = search(isClients)
      if !notes.isEmpty { return notes }
    }
    return []
  }

  /// Returns the pointers at which most lines have the method of their request.
  func findMethods() -> Set<Int> {
    let lines = requestLines
    let counts = lines.counts { $0.kind == .string && RequestMethod.texts.contains($0.text) }
    return Set(counts.filter { $0.value * 2 > lines.count }.keys)
  }

  /// Returns the objects around tokens, and around the signed data, that have the method of the
  /// request beside them, and not inside.
  func findTokenObjects() -> Set<Int> {
    let signed = tokens.kinds.flatMap { kind in
      kind.lines.pointers + kind.data.forms(sample.pointers).compactMap(\.form.pointer)
    }
    return Set(signed.flatMap(sample.pointers.parents)).filter {
      sample.pointers.isBeside(methods, $0)
    }
  }
}
