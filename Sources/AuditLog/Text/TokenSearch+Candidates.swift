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
  /// The bytes of a token that distinguish it from a mark behind a copy that was cut: in one piece, and in several. All
  /// have a signature, or a name, of more.
  private static let leastOwn = 10
  private static let leastEnding = 20
  /// The most bytes of the head of a value in CBOR that a token has, and the head of a key's second coordinate in COSE.
  private static let mostHead = 3
  private static let coordinate: [UInt8] = [0x22, 0x58, 0x20]
  /// The most bytes of a signature in DER.
  private static let mostSignature = 72

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
      unsafe found.add(reading: judge(form, text, place, level, &names))
    }
    return found
  }

  /// Returns what the candidate in a form is.
  ///
  /// - It is an audited token if it has the bytes of one, or the beginning of one and ends or is cut there.
  /// - Else it is a further token if it begins as one does; if only lenient servers read it, if it is complete.
  private func judge(
    _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Found {
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    let length = unsafe tokenLength(form, text, place, level, &names)
    if length == 0 { return Found() }
    if gaveUp { return .further }
    if audited.isEmpty, !hasReadings { return form.isLenient ? .further : Found(isPart: true) }
    token.removeAll()
    let most = form.isLenient ? length : max(Self.mostWhole, 2 * audited.longest)
    let end = unsafe form.decode(rest, atMost: most, into: &token, &seen)
    guard spend(end) else { return .further }
    if unsafe form.isLenient ? hasEscapes(rest[..<end], form, level) : isCut(rest, end, level) {
      return Found()
    }
    let bytes = token.storage[..<token.count]
    let whole = test(bytes.span, 0).flatMap { $0 > 0 && $0 <= bytes.count ? $0 : nil }
    let tags = CBORFront.tags(bytes.span)
    let known = audited.agreement(bytes[tags...])
    let common = tags + known.count
    if common == bytes.count, known.isWhole, unsafe !form.isLenient || !form.goesOn(rest, at: end) {
      if whole != nil, !form.isLenient { copyEnd = place + end }
      return Found(isAudited: true, isCopy: whole != nil)
    }
    if common == bytes.count, whole == nil { return Found(isAudited: true) }
    if known.isWhole, !form.isLenient, common == whole {
      let end = unsafe self.end(of: common, form, rest)
      if unsafe !form.goesOn(rest, at: end) {
        copyEnd = place + end
        return Found(isAudited: true, isCopy: true)
      }
    }
    if known.count > 0, unsafe isCopy(cutAt: common, form, text, place, bytes, whole) {
      return Found(isAudited: !form.isLenient)
    }
    return whole == nil ? Found(isPart: true) : .further
  }

  /// Returns whether a candidate is a copy of an audited token that was cut, so that what follows the bytes in common
  /// belongs to something else.
  ///
  /// It is cut where only a few bytes follow, or where its text breaks off: at a character that the form passes over.
  /// Behind a break the characters of other values complete any bytes. They are a token's if they are one piece that
  /// ends with it, if the string ends with it, or if they have what only a token has.
  private func isCopy(
    cutAt common: Int, _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ place: Int,
    _ bytes: ArraySlice<UInt8>, _ whole: Int?
  ) -> Bool {
    let own = (whole ?? bytes.count) - common
    if whole == nil, own < Self.leastOwn { return true }
    if form.isArray { return false }
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    let near = unsafe end(of: max(0, common - 2), form, rest)
    let far = unsafe end(of: min(common + 3, whole ?? .max), form, rest)
    let other = unsafe rest[near..<max(near, far)].firstIndex(where: form.passesOver)
    let piece = unsafe rest[(other ?? near)...].drop(while: form.passesOver)
      .prefix { !form.passesOver($0) }
    let stop = whole.map { unsafe end(of: $0, form, rest) } ?? .max
    // The lines of a text that is folded are equally long, but for the last, and white space is between them.
    let widths = unsafe rest[..<piece.startIndex].split(whereSeparator: form.passesOver).suffix(2)
      .map { unsafe $0.count }
    let isWhite = unsafe rest[(other ?? near)..<piece.startIndex].allSatisfy {
      $0 == UInt8(ascii: " ") || 0x09...0x0D ~= $0
    }
    let next = unsafe rest[piece.endIndex...].drop(while: form.passesOver)
      .prefix { !form.passesOver($0) }
    let isFull = widths.count > 1 && widths[0] == widths[1]
    let isFold =
      unsafe isWhite
      && (piece.count == widths.last && (isFull || next.count == piece.count)
        || isFull && stop <= piece.endIndex && piece.count < widths[1])
    let isBroken = other != nil && !isFold
    guard isBroken, let whole else { return isBroken }
    if showToken(bytes[..<whole], from: common) { return false }
    let after = unsafe rest[stop...].first { $0 != UInt8(ascii: "=") }
    if unsafe after.flatMap(Base64.value) == nil && stop <= piece.endIndex {
      return own < Self.leastOwn
    }
    return unsafe own < Self.leastEnding || !endsString(rest, stop)
  }

  /// Returns whether a string of a line that is read has escapes in some characters: its server reads it decoded. In a
  /// decoded text they can be characters, but letters in place of dashes are chance.
  private func hasEscapes(
    _ text: Slice<UnsafeBufferPointer<UInt8>>, _ form: TokenForm, _ level: Level
  ) -> Bool {
    guard !audited.isEmpty, level.depth == 0 || form.dropsDashes else { return false }
    let all = unsafe UnsafeBufferPointer(rebasing: text)
    return all.indices.contains {
      unsafe all[$0] == UInt8(ascii: "\\") && isCut(all, $0, level)
    }
  }

  /// Returns the place after the characters of so many bytes of a candidate.
  private func end(of count: Int, _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>) -> Int {
    token.removeAll()
    return unsafe form.decode(text, atMost: count, into: &token, &seen)
  }

  /// Returns whether the bytes of a complete token behind a place are a token's: it is none without them, or they have a
  /// signature, or the second coordinate of a public key.
  private func showToken(_ bytes: ArraySlice<UInt8>, from place: Int) -> Bool {
    guard spend(bytes.count) else { return true }
    var other = Array(bytes)
    // The first can be the head of a value, whatever it is.
    for index in other.indices.dropFirst(place + Self.mostHead) { other[index] ^= 0xFF }
    return !isWhole(other[...]) || endsSignature(bytes, from: place)
      || bytes[place...].contains(Self.coordinate)
  }

  /// Returns whether bytes end with a signature whose second number is behind a place: a sequence of two integers in DER.
  private func endsSignature(_ bytes: ArraySlice<UInt8>, from place: Int) -> Bool {
    /// Returns the end of a short element.
    func element(_ tag: UInt8, at place: Int) -> Int? {
      place + 1 < bytes.endIndex && bytes[place] == tag ? place + 2 + Int(bytes[place + 1]) : nil
    }
    return bytes.indices.suffix(Self.mostSignature).contains { start in
      guard element(0x30, at: start) == bytes.endIndex, let second = element(0x02, at: start + 2)
      else { return false }
      return second >= place && element(0x02, at: second) == bytes.endIndex
    }
  }

  /// Returns whether bytes begin with a complete token.
  private func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
    let length = test(bytes.span, 0) ?? 0
    return length > 0 && length <= bytes.count
  }

  /// Returns the number of bytes of the token that begins at a place in one form: 0 if none does, or if an escape cuts
  /// it. If the form is lenient, only a complete token counts.
  private func tokenLength(
    _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Int {
    if following == 0, names.exclude(place, form, &seen) { return 0 }
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    if unsafe names.repeats(place, form, in: text, &seen) {
      return spend(Self.steps[0]) ? 0 : 1
    }
    for most in Self.steps {
      token.removeAll()
      let end = unsafe form.decode(rest, atMost: most, into: &token, &seen)
      guard spend(end) else { return 1 }
      if !form.isLenient, unsafe isCut(rest, end, level) { return 0 }
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
