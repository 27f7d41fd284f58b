internal import CSimdjson

/// The candidates at a place of a text: one for each form in which a token can be written there.
extension TokenSearch {
  /// The bytes after which a token is judged: a few distinguish most texts from a token.
  private static let steps = [12, 96, 4096, 1 << 17, Int.max]
  /// The most bytes of a complete token that matters (`verification.R32`).
  private static let mostWhole = 1 << 16

  /// Judges the candidates at a place.
  func read(
    _ sign: attest_sign, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Found {
    var found = Found()
    seen = 0
    copied = 0
    for form in TokenForm.allCases
    where form.sign == sign && form.distinguishing & ~seen == 0 {
      if found.isWhole || found.isPart && audited.isEmpty { break }
      // Lenient servers read a whole string. What follows a copy that is cut can be another token's.
      if form.isLenient, !found.isAudited, unsafe !beginsString(text, place) { continue }
      guard let candidate = unsafe judge(form, text, place, level, &names) else { return Found() }
      found.add(reading: candidate)
      if candidate.isAudited, copied == 0 { break }
    }
    return found
  }

  /// Returns what the candidate in a form is, or nil if it has to be decoded first. ``token`` is as much of it as was
  /// read.
  ///
  /// - It is an audited token if it has the bytes of one, and ends there.
  /// - It is the beginning of an audited token if it ends before that token does, and is not complete.
  /// - It is a further token if it begins as one does. If only lenient servers read it, it must be complete; and after
  ///   the beginning of an audited token it must end its string, or have a name that is not that one's: the next of
  ///   other values can complete any bytes.
  private func judge(
    _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Found? {
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    guard let length = unsafe tokenLength(form, text, place, level, &names) else { return nil }
    if length == 0 { return Found() }
    if gaveUp { return .further }
    if audited.isEmpty, !hasReadings { return form.isLenient ? .further : Found(isPart: true) }
    token.removeAll()
    let most = form.isLenient ? length : max(Self.mostWhole, 2 * audited.longest)
    let end = unsafe form.decode(rest, atMost: most, into: &token, &seen)
    guard spend(end) else { return .further }
    if !form.isLenient, unsafe isCut(rest, end, level) { return nil }
    let bytes = token.storage[..<token.count]
    let tags = CBORFront.tags(bytes.span)
    let isComplete = isWhole(bytes)
    switch audited.likeness(bytes[tags...]) {
    case .equal where unsafe !form.isLenient || !form.goesOn(rest, at: end):
      if !isComplete { copied = bytes.count }
      return Found(isAudited: true)
    case .beginning where !isComplete:
      copied = bytes.count
      return Found(isAudited: true)
    case .longer(let count) where !form.isLenient:
      token.removeAll()
      let end = unsafe form.decode(rest, atMost: tags + count, into: &token, &seen)
      if unsafe form.goesOn(rest, at: end) { break }
      if isWhole(bytes.prefix(tags + count)) { return Found(isAudited: true) }
      // What follows it was not read.
      seen = .max
      copied = tags + count
      if !isComplete { return Found(isAudited: true) }
    case .none, .equal, .beginning, .longer: break
    }
    guard form.isLenient, copied > 0 else {
      return isComplete ? .further : Found(isPart: true)
    }
    let isString = unsafe endsString(rest, end) && !rest[..<end].contains(UInt8(ascii: "\""))
    let own = bytes.dropFirst(copied)
    let isNamed = DecodedForm.namesAuthenticatorData(own.span)
    return isString || isNamed ? .further : Found()
  }

  /// Returns whether bytes begin with a complete token.
  private func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
    let length = test(bytes.span, 0) ?? 0
    return length > 0 && length <= bytes.count
  }

  /// Returns the number of bytes of the token that begins at a place in one form: 0 if none does, and nil if an escape
  /// cuts it. If the form is lenient, only a complete token counts.
  private func tokenLength(
    _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Int? {
    if following == 0, names.exclude(place, form, &seen) { return 0 }
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    for most in Self.steps {
      token.removeAll()
      let end = unsafe form.decode(rest, atMost: most, into: &token, &seen)
      guard spend(end) else { return 1 }
      if unsafe isCut(rest, end, level) { return nil }
      let isEnd = token.count < most
      let length = test(
        token.storage.span.extracting(first: token.count),
        following + (isEnd ? 0 : rest.count - end))
      if let length {
        if length <= 0 || !form.isLenient { return form.isLenient ? 0 : abs(length) }
        if length <= token.count { return length }
      }
      if isEnd { return length == nil && place < lastChance ? 1 : 0 }
      if most == Self.steps[0] {
        guard let isNamed = unsafe names.follow(place, form, in: text, &seen) else {
          // What follows the text is searched with its end.
          if following > 0, place < lastChance { continue }
          return 0
        }
        if !isNamed { return 0 }
      }
    }
    return 0
  }

  /// Returns whether only characters that lenient servers pass over are between a place and a quote, or the beginning.
  private func beginsString(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    let quote = UInt8(ascii: "\"")
    let last = unsafe text[..<place].last { $0 == quote || Base64.value($0) != nil }
    return last ?? quote == quote
  }

  /// Returns whether a quote or the end is at a place, after padding at most.
  private func endsString(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    let after = unsafe text[place...].drop { $0 == UInt8(ascii: "=") }.prefix(2)
    let quote = UInt8(ascii: "\"")
    return unsafe after.first != UInt8(ascii: "\\")
      ? after.first ?? quote == quote : after.last == quote
  }

  /// Returns the length of the text of an audited token at a place, if it ends there: with the string, or as a complete
  /// token. To other servers, one that is not complete can go on after characters that they pass over.
  func auditedLength(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
    guard !audited.isEmpty else { return nil }
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    return unsafe audited.length(in: rest) { length, token in
      let isAtEnd = unsafe length == rest.count || rest[length] == UInt8(ascii: "\"")
      return unsafe isAtEnd && beginsString(text, place) || isWhole(token)
    }
  }
}
