internal import CSimdjson

/// The candidates at a place of a text: one for each form in which a token can be written there.
///
/// A candidate's text begins at a sign. In a strict form it ends before the first character that the form does not
/// have; lenient servers pass over such characters, so that it ends with a complete token, whatever is between.
/// One that is not an audited token is a further one, except for a copy that was cut: behind the break, the characters
/// of other values can complete any bytes. See ``isCopy(cutAt:_:_:_:_:_:)``.
extension TokenSearch {
  /// The bytes after which a token is judged: a few distinguish most texts from a token.
  private static let steps = [12, 96, 512, 4096, 1 << 17, Int.max]
  /// The most bytes of a complete token that matters (`verification.R32`).
  private static let mostWhole = 1 << 16
  /// The bytes of the beginning of a token that distinguish it from a mark behind a copy that was cut; and those with
  /// which a token is completed that ends with its value, or goes on. All have a signature, or a name, of more.
  private static let leastOwn = 7
  private static let leastEnding = 20
  private static let leastGoingOn = 48

  /// Judges the candidates at a place.
  func read(
    _ sign: attest_sign, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Found {
    var found = Found()
    seen = 0
    for form in TokenForm.allCases
    where form.sign == sign && form.distinguishing & ~seen == 0 {
      if found.isCopy || found.isWhole || found.isPart && audited.isEmpty { break }
      guard let candidate = unsafe judge(form, text, place, level, &names) else { return Found() }
      found.add(reading: candidate)
    }
    return found
  }

  /// Returns what the candidate in a form is, or nil if it has to be decoded first.
  ///
  /// - It is an audited token if it has the bytes of one, or the beginning of one and ends or is cut there.
  /// - Else it is a further token if it begins as one does; if only lenient servers read it, if it is complete.
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
    let whole = test(bytes.span, 0).flatMap { $0 > 0 && $0 <= bytes.count ? $0 : nil }
    let tags = CBORFront.tags(bytes.span)
    let known = audited.agreement(bytes[tags...])
    let common = tags + known.count
    if common == bytes.count, known.isWhole, unsafe !form.isLenient || !form.goesOn(rest, at: end) {
      return Found(isAudited: true, isCopy: whole != nil)
    }
    if common == bytes.count, whole == nil { return Found(isAudited: true) }
    if known.isWhole, !form.isLenient, common == whole,
      unsafe !form.goesOn(rest, at: self.end(of: common, form, rest))
    {
      return Found(isAudited: true, isCopy: true)
    }
    if known.count > 0, unsafe isCopy(cutAt: common, form, text, place, bytes, whole) {
      return Found(isAudited: !form.isLenient)
    }
    return whole == nil ? Found(isPart: true) : .further
  }

  /// Returns whether a candidate is a copy of an audited token that was cut, so that what follows the bytes in common
  /// belongs to something else.
  ///
  /// It is cut if it is not complete, and only a few bytes follow: more of them where the text breaks off, at white space
  /// that folds nothing or at a character that only lenient servers pass over. A complete one is cut there, too, unless
  /// it is completed within its value, and by much, or by the name of a member.
  private func isCopy(
    cutAt common: Int, _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ place: Int,
    _ bytes: ArraySlice<UInt8>, _ whole: Int?
  ) -> Bool {
    let own = (whole ?? bytes.count) - common
    if whole == nil, own < Self.leastOwn { return true }
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    let near = unsafe end(of: max(0, common - 2), form, rest)
    let between = unsafe near..<max(near, end(of: common + 1, form, rest))
    let isBroken = unsafe rest[between].contains { Base64.value($0) == nil }
    if unsafe form.isArray || !isBroken || isFold(rest, between) { return false }
    guard let whole else { return own < Self.leastGoingOn }
    if hasMember(bytes[..<whole], from: common) { return false }
    if unsafe endsValue(text, place, rest[between]) { return true }
    let isAtEnd = unsafe endsString(rest, end(of: whole, form, rest))
    return own < (isAtEnd ? Self.leastEnding : Self.leastGoingOn)
  }

  /// Returns whether the white space in a range of a text only folds it: the line that it ends has the length of the one
  /// before.
  private func isFold(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    func isWhite(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || 0x09...0x0D ~= byte }
    guard unsafe text[range].allSatisfy({ isWhite($0) || Base64.value($0) != nil }) else {
      return false
    }
    let lengths = unsafe text[..<range.upperBound].split(whereSeparator: isWhite).map(\.count)
    return lengths.count > 2 && lengths[lengths.count - 2] == lengths[lengths.count - 3]
  }

  /// Returns the place after the characters of so many bytes of a candidate.
  private func end(of count: Int, _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>) -> Int {
    token.removeAll()
    return unsafe form.decode(text, atMost: count, into: &token, &seen)
  }

  /// Returns whether the name of a member of a complete token is behind a place. Without the name it is none.
  private func hasMember(_ bytes: ArraySlice<UInt8>, from place: Int) -> Bool {
    ["authData", "authenticatorData", "signature", "attStmt"].contains { name in
      (place..<max(place, bytes.count - name.utf8.count)).contains { start in
        guard bytes[start...].starts(with: name.utf8) else { return false }
        guard spend(bytes.count) else { return true }
        var other = Array(bytes)
        other[start] ^= 0xFF
        return !isWhole(other[...])
      }
    }
  }

  /// Returns whether one of some characters ends the value that has a place: a quote, if one begins it; else also what
  /// ends a value of a form or of a list. A line break ends it if a header follows.
  private func endsValue(
    _ text: UnsafeBufferPointer<UInt8>, _ place: Int,
    _ characters: Slice<UnsafeBufferPointer<UInt8>>
  ) -> Bool {
    let quote = UInt8(ascii: "\"")
    let isString = unsafe beginsString(text, place)
    let isText = unsafe isString && !text[..<place].contains(quote)
    for index in unsafe characters.indices {
      switch unsafe characters[index] {
      case quote: if !isText { return true }
      case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","): if !isString { return true }
      case 0x0A, 0x0D:
        let line = unsafe text[(place + index)...].drop { $0 == 0x0A || $0 == 0x0D }
        let name = unsafe line.prefix { Base64.value($0) != nil }
        let colon = unsafe line.dropFirst(name.count).first ?? UInt8(ascii: ":")
        if colon == UInt8(ascii: ":") { return true }
      default: continue
      }
    }
    return false
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
    if unsafe names.repeats(place, form, in: text, &seen) {
      return spend(Self.steps[0]) ? 0 : 1
    }
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
        if length == 0, !isEnd { names.reject(place..<(place + end), form, seen) }
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
