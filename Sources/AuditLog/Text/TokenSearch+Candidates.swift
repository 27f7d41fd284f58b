internal import CSimdjson

/// The candidates at a place of a text: one for each form in which a token can be written there.
///
/// A candidate's text begins at a sign. In a strict form it ends before the first character that the form does not
/// have; lenient servers pass over such characters, so that it ends with a complete token, whatever is between.
/// One that is not an audited token is a further one, except for a copy that was cut: behind the break, the characters
/// of other values can complete any bytes. See ``isCopy(cutAt:_:_:_:_:)``.
extension TokenSearch {
  /// The bytes after which a token is judged: a few distinguish most texts from a token.
  private static let steps = [12, 96, 512, 4096, 1 << 17, Int.max]
  /// The most bytes of a complete token that matters (`verification.R32`).
  private static let mostWhole = 1 << 16
  /// The bytes of a token that distinguish it from a mark behind a copy that was cut.
  private static let leastOwn = 10
  /// The most bytes of the head of a value in CBOR that a token has.
  private static let mostHead = 3
  /// The signs that a text was cut.
  private static let omissions = ["...", "…"]

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
    // The server of a line that is read reads its strings decoded. In what is decoded, escapes can be characters.
    let isEscaped = unsafe form.isLenient && !audited.isEmpty && hasEscapes(rest[..<end], level)
    if unsafe form.isLenient ? isEscaped && level.depth == 0 : isCut(rest, end, level) {
      return Found()
    }
    let bytes = token.storage[..<token.count]
    let whole = test(bytes.span, 0).flatMap { $0 > 0 && $0 <= bytes.count ? $0 : nil }
    let tags = CBORFront.tags(bytes.span)
    let known = audited.agreement(bytes[tags...])
    let common = tags + known.count
    if isEscaped, form.dropsDashes, unsafe isCopyDecoded(rest[..<end], known.count) {
      return Found()
    }
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
    if known.count > 0, unsafe isCopy(cutAt: common, form, rest[..<end], bytes, whole) {
      return Found(isAudited: !form.isLenient)
    }
    return whole == nil ? Found(isPart: true) : .further
  }

  /// Returns whether a candidate is a copy of an audited token that was cut, so that what follows the bytes in common
  /// belongs to something else.
  ///
  /// It is cut where only a few bytes follow, or where its text breaks off: at a character that the form passes over,
  /// unless its lines are equally long, with the same between them. Behind a break, the characters of other values
  /// complete any bytes. They are a token's if they have more than the end of its last value, or if what ends them is not
  /// between them, too, as it is between words. A complete signature with another first number is a token's.
  private func isCopy(
    cutAt common: Int, _ form: TokenForm, _ text: Slice<UnsafeBufferPointer<UInt8>>,
    _ bytes: ArraySlice<UInt8>, _ whole: Int?
  ) -> Bool {
    if let whole, Self.endsWithSignature(bytes[..<whole], after: common) { return false }
    let own = (whole ?? bytes.count) - common
    if whole == nil, own < Self.leastOwn { return true }
    let rest = unsafe UnsafeBufferPointer(rebasing: text.base[text.startIndex...])
    let near = unsafe end(of: max(0, common - 2), form, rest)
    let far = unsafe end(of: min(common + 3, whole ?? .max), form, rest)
    let place = unsafe rest[near..<max(near, far)].firstIndex(where: form.passesOver)
    guard !form.isArray, let place else { return false }
    let stop = unsafe whole.map { unsafe end(of: $0, form, rest) } ?? text.endIndex
    let lines = unsafe rest[..<stop].split(whereSeparator: form.passesOver).map(\.count)
    if lines.count > 2, Set(lines.dropLast()).count == 1, lines[lines.count - 1] <= lines[0] {
      let between = unsafe rest[..<stop].split { !form.passesOver($0) }.prefix(lines.count - 1)
      if unsafe between.allSatisfy({ unsafe $0.elementsEqual(between[0]) }) { return false }
    }
    guard let whole, own >= Self.leastOwn else { return true }
    if hasMember(bytes[..<whole], from: common) { return false }
    let breaks = unsafe rest[place..<stop].split { !form.passesOver($0) }
    let ending = unsafe rest[stop...].prefix(while: form.passesOver)
    return unsafe form.goesOn(rest, at: stop)
      || Self.omissions.contains { unsafe breaks[0].starts(with: $0.utf8) }
      || breaks.dropFirst().contains { unsafe $0.elementsEqual(ending) }
  }

  /// Returns whether bytes end with a signature in DER of 8 to 72 bytes, whose second number begins after a place: other
  /// characters have the head of that number, and all of its length, with a probability of 2⁻¹⁶ at most.
  private static func endsWithSignature(_ bytes: ArraySlice<UInt8>, after place: Int) -> Bool {
    (max(0, bytes.count - 72)..<max(0, bytes.count - 8)).contains { start in
      let second = start + 4 + Int(bytes[start + 3])
      return bytes[start] == 0x30 && Int(bytes[start + 1]) == bytes.count - start - 2
        && bytes[start + 2] == 0x02 && place < second && second + 1 < bytes.count
        && bytes[second] == 0x02 && Int(bytes[second + 1]) == bytes.count - second - 2
    }
  }

  /// Returns whether a text has escapes in some characters.
  private func hasEscapes(
    _ text: Slice<UnsafeBufferPointer<UInt8>>, _ level: Level
  ) -> Bool {
    let all = unsafe UnsafeBufferPointer(rebasing: text)
    return all.indices.contains {
      unsafe all[$0] == UInt8(ascii: "\\") && isCut(all, $0, level)
    }
  }

  /// Returns whether a text shows more of an audited token than so many bytes once all its escapes are decoded: then it
  /// is a copy, and their letters are in place of its dashes by chance.
  private func isCopyDecoded(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ common: Int) -> Bool {
    var characters = unsafe Array(text)
    var length = 0
    repeat {
      length = characters.count
      characters = unsafe [UInt8](unsafeUninitializedCapacity: length) { room, count in
        count = unsafe attest_decode_escapes(characters, length, room.baseAddress.unsafelyUnwrapped)
      }
    } while characters.count < length && spend(length)
    return [TokenForm.lenient, .lenientWithoutSpaces].contains { form in
      token.removeAll()
      _ = unsafe characters.withUnsafeBufferPointer {
        unsafe form.decode($0, atMost: .max, into: &token, &seen)
      }
      let bytes = token.storage[..<token.count]
      let known = audited.agreement(bytes[CBORFront.tags(bytes.span)...])
      return known.isWhole || known.count >= common + Self.leastOwn
    }
  }

  /// Returns the place after the characters of so many bytes of a candidate.
  private func end(of count: Int, _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>) -> Int {
    token.removeAll()
    return unsafe form.decode(text, atMost: count, into: &token, &seen)
  }

  /// Returns whether the bytes of a complete token behind a place are more than the end of a value: it is none without
  /// them.
  private func hasMember(_ bytes: ArraySlice<UInt8>, from place: Int) -> Bool {
    guard spend(bytes.count) else { return true }
    var other = Array(bytes)
    // The first can be the head of a value, whatever it is.
    for index in other.indices.dropFirst(place + Self.mostHead) { other[index] ^= 0xFF }
    return !isWhole(other[...])
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
      // A last hex digit can be left over, and further digits can follow those of a number.
      let isAtEnd = isEnd && rest.count - end < 2
      if isAtEnd, following > 0, form.isArray { token.drop(to: max(0, token.count - 1)) }
      let length = test(
        token.storage.span.extracting(first: token.count),
        isAtEnd ? following : isEnd ? 0 : following + rest.count - end)
      if let length {
        if length == 0, !isEnd { names.reject(place..<(place + end), form, seen) }
        if length <= 0 || !form.isLenient { return form.isLenient ? 0 : abs(length) }
        if length <= token.count { return length }
      }
      if isAtEnd, place < lastChance { isUndecided = true }
      if isEnd { return 0 }
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
