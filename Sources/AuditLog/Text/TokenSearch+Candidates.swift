internal import Basics
internal import CSimdjson

/// The candidates at a place of a text: one for each form in which a token can be written there.
///
/// A candidate's text begins at a sign. In a strict form it ends before the first character that the form does not have, and
/// counts by its beginning; lenient servers pass over such characters, so that it ends with a complete token, whatever is
/// between. What begins as an audited token is a copy of it that was cut, if it is incomplete, or if only characters of
/// other values complete it: a token has its own signature, and well-formed data, or another statement.
extension TokenSearch {
  /// A place of a text, and the number of the text.
  @safe struct Place {
    var text: UnsafeBufferPointer<UInt8>
    var number: Int
    var level: Level
    var at = 0
    var rest: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(rebasing: text[at...]) }
  }

  /// The bytes after which a token is judged: a few distinguish most texts from a token. Of a token that is longer than
  /// the last (`verification.R32`), the first name is looked for.
  private static let steps = [12, 96, 4096, longest]
  private static let longest = 1 << 16
  /// The bytes that a cut copy has at least if other bytes complete it.
  private static let leastShared = 32
  /// The bytes of a token that distinguish it from a mark behind a copy that was cut.
  private static let leastOwn = 10
  /// The work for each byte that the test reads.
  private static let workOfTest = 4
  /// The characters of the longest code, which can be cut at the end of a text.
  private static let longestCode = 6

  /// Judges the candidates at a place: all readings of it together.
  func read(_ sign: attest_sign, _ place: Place) -> Found {
    var found = Found()
    seen = 0
    isOfOther = false
    for form in TokenForm.allCases
    where form.sign == sign && form.distinguishing & ~seen == 0 && !found.isWhole && !gaveUp {
      found.add(reading: judge(form, place))
    }
    return found
  }

  /// Returns what the candidate in a form is.
  private func judge(_ form: TokenForm, _ place: Place) -> Found {
    guard let length = length(of: form, place) else { return Found() }
    if audited.isEmpty, !hasReadings || form.isLenient { return form.isLenient ? .further : .part }
    guard let part = bytes(of: form, place, form.isLenient ? length : Self.longest)
    else { return Found() }
    let bytes = forms[place.level.wrapping][form.rawValue][part]
    let front = test(bytes.span, 0)
    // What has more bytes than are read is no copy that was cut.
    let isLong = bytes.count >= Self.longest && length >= bytes.count
    let whole = isLong ? length : front.length
    let tags = CBORFront.tags(bytes.span)
    let known = audited.agreement(bytes.dropFirst(tags))
    let common = tags + known.count
    guard spend(Self.workOfTest * front.work + 4 * common) else { return Found() }
    if whole == nil || isLong, common == bytes.count { return .audited }
    if known.isWhole, whole == nil || whole == common {
      let end = end(of: common, form, place)
      let goesOn = unsafe form.goesOn(place.rest, at: end)
      if whole != nil, !goesOn, !form.isLenient, !audited.hideOthers { copyEnd = place.at + end }
      if whole != nil || !goesOn { return .audited }
    }
    guard known.count > 0 else { return whole == nil ? .part : .further }
    // What another reading of a copy shows, and ends within it, has the names of the copy itself.
    if let whole, copyEnd > 0, place.at + end(of: whole, form, place) <= copyEnd { return .audited }
    let isBroken = isBroken(form, place, around: common, whole)
    guard whole != nil else {
      return isBroken || bytes.count - common < Self.leastOwn ? .audited : .part
    }
    let isCopy = isBroken && !isLong && known.count >= max(front.own - tags, Self.leastShared)
    return isCopy ? .audited : .further
  }

  /// Returns whether characters that a form passes over are where the bytes of a candidate begin to differ.
  private func isBroken(
    _ form: TokenForm, _ place: Place, around common: Int, _ whole: Int?
  ) -> Bool {
    guard !form.isDense else { return false }
    let near = end(of: max(0, common - 2), form, place)
    let far = end(of: min(common + 3, whole ?? .max), form, place)
    return unsafe place.rest[near..<max(near, far)].contains(where: form.passesOver)
  }

  /// Returns the place after the characters of so many bytes of a candidate.
  private func end(of count: Int, _ form: TokenForm, _ place: Place) -> Int {
    token.removeAll()
    return unsafe form.decode(place.rest, atMost: count, into: &token, &seen)
  }

  /// Returns bytes of a candidate, or nil if the search gave up, or if an escape cuts them.
  private func bytes(of form: TokenForm, _ place: Place, _ most: Int) -> FormBytes.Part? {
    let part = forms[place.level.wrapping][form.rawValue].read(place, atMost: most, &seen)
    guard spend(part.work) else { return nil }
    return unsafe !form.isLenient && part.isEnd && isCut(place.text, part.end, place.level)
      ? nil : part
  }

  /// Returns the number of bytes of the token that begins at a place in one form, or nil if none does. If the form is
  /// lenient, only a complete token counts, or one that is cut at the end of its text, or longer than any that is audited;
  /// if another form shows an object of another format, only a complete one.
  private func length(of form: TokenForm, _ place: Place) -> Int? {
    var judged: FormBytes.Part?
    defer {
      _ = judged.map { forms[place.level.wrapping][form.rawValue].repeatsTags($0, isJudged: true) }
    }
    var (step, most) = (0, Self.steps[0])
    while let part = bytes(of: form, place, most) {
      if forms[place.level.wrapping][form.rawValue].repeatsTags(part, isJudged: false) {
        return nil
      }
      // At the limit a candidate can end within a token that begins after it.
      judged = most >= Self.longest ? nil : part
      let isInside = unsafe part.isEnd && place.text.count - part.end > Self.longestCode
      let left = unsafe isInside ? 0 : following + (part.isEnd ? 0 : place.rest.count)
      let front = test(forms[place.level.wrapping][form.rawValue][part].span, left)
      guard spend(Self.workOfTest * front.work) else { return nil }
      let isStrict = !form.isLenient && !isOfOther
      switch front.extent {
      case .none: return nil
      case .otherObject:
        isOfOther = true
        return nil
      case .whole(let length):
        // Words before an audited token can look like the first key of a map whose others are of that token.
        guard let name = front.nameBehindWords else { return length }
        guard spend(audited.byteCount) else { return nil }
        let bytes = forms[place.level.wrapping][form.rawValue][part]
        return audited.contain(bytes.prefix(length).dropFirst(name)) ? nil : length
      case .broken: return isStrict ? 1 : nil
      case .open where isStrict: return .max
      // A value that was cut begins as a token does (`records.R53`).
      case .open where part.isEnd && !isInside && !isOfOther: return part.range.count
      case .open, .undecided, .unnamed:
        if part.isEnd || isOfOther && most >= Self.longest { return nil }
        if most >= Self.longest, front.extent != .unnamed { return most }
      }
      if most == Self.steps[0], !form.isDense, !hasName(form, place) { return nil }
      step += 1
      most = step < Self.steps.count ? Self.steps[step] : 4 * most
    }
    return nil
  }

  /// Returns whether one of a token's names follows a place in a form: words that begin like a map have none.
  private func hasName(_ form: TokenForm, _ place: Place) -> Bool {
    var most = Self.longest
    while true {
      let part = forms[place.level.wrapping][form.rawValue].read(place, atMost: most, &seen)
      guard spend(part.work) else { return false }
      if forms[place.level.wrapping][form.rawValue].hasName(in: part) { return true }
      if part.isEnd { return false }
      most *= 4
    }
  }
}
