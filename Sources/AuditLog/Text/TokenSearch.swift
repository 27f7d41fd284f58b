internal import CSimdjson

/// A search for App Attest tokens in texts (`records.R52`, `records.R53`). Each thread has its own.
///
/// A fast pass finds signs: places at which a token can begin, and runs of base64 that can contain one. Each sign is
/// read slowly, in each ``TokenForm``. A text with escapes, percent signs or base64 is decoded, and searched again; what
/// an escape cuts is judged only there. If the text at hand is too much work, the search gives up, which counts as a
/// token.
@safe package final class TokenSearch {
  /// A function that returns the length of the token with which bytes begin: 0 if there is none, more than their number
  /// if it goes on after them, less than 0 if no bytes complete it, and nil if more bytes decide. The second argument is
  /// the greatest number of bytes that can follow those given.
  package typealias Test = (Span<UInt8>, Int) -> Int?

  /// The number of times that base64 and percent-encoding are decoded (`records.R52`).
  private static let wrappings = 3
  /// The number of times that escapes of JSON are decoded, strings of JSON in strings of JSON, before the search gives
  /// up: an attacker must not make it slow.
  private static let escapes = 64
  /// The bytes after which a token is judged: a few distinguish most texts from a token.
  private static let steps = [12, 96, 4096, 1 << 17, Int.max]
  /// The most bytes of a complete token that matters (`verification.R32`).
  private static let mostWhole = 1 << 16
  /// The most bytes that can follow a text that is cut.
  private static let mostFollowing = 1 << 20

  /// A buffer. An object, so that one is read while another is written.
  private final class Text {
    var bytes = ByteBuffer(capacity: 1024)
  }

  /// A token that does not count, without the tags before it, and the text from which it was read.
  private final class Known {
    var text = ByteBuffer(capacity: 1024)
    var bytes = ByteBuffer(capacity: 1024)
    /// Whether the bytes are a complete token, if that was asked.
    var isWhole: Bool?
  }

  /// How often a text was decoded.
  private struct Level {
    var wrapping = 0
    var escape = 0
    /// The number of texts around it.
    var depth: Int { wrapping + escape }
  }

  private let test: Test
  /// The texts that contain each other, the innermost last.
  private var texts: [Text] = []
  /// The runs of base64 at hand, by the number of wrappings around them.
  private let runs = (0..<wrappings).map { _ in Text() }
  private var token = ByteBuffer(capacity: 1024)
  /// The tokens that do not count, and how many there are of them. Their memory is used again.
  private var known: [Known] = []
  private var knownCount = 0
  /// The places of known tokens by their beginnings, if there are many.
  private var places: [[UInt8]: [Int]] = [:]
  private static let beginning = 128
  private static let fewKnown = 8
  /// The number of times that known tokens were met.
  private var metCount = 0
  /// The characters that may be read slowly yet, for the text at hand.
  private var budget = 0
  /// The most bytes that can follow the text at hand, and the offset in it before which an undecided token counts.
  private var following = 0
  private var lastChance = 0
  /// Whether only complete tokens count, and the characters that other forms of the token at hand read differently.
  private var wantsWhole = false
  private var seen: UInt32 = 0
  /// Whether the complete token at hand ends before a quote, or at the end of the text.
  private var endsString = false
  /// Whether the last search ended before the end of the text.
  package private(set) var gaveUp = false

  package init(_ test: @escaping Test) { self.test = test }

  /// Forgets the tokens that do not count.
  package func forget() {
    knownCount = 0
    if !places.isEmpty { places = [:] }
  }

  /// Adds a token that does not count, and the text from which it was read (`records.R83`).
  package func know(_ text: UnsafeBufferPointer<UInt8>, _ bytes: Span<UInt8>) {
    if knownCount == known.count { known.append(Known()) }
    let token = known[knownCount]
    knownCount += 1
    token.text.removeAll()
    token.bytes.removeAll()
    unsafe token.text.append(copying: UnsafeRawBufferPointer(text))
    token.bytes.append(bytes.extracting(CBORFront.tags(bytes)...))
    token.isWhole = nil
  }

  /// Returns whether a text contains a token other than those known. After the text
  /// ``LineBatch/padding`` bytes are readable.
  ///
  /// - Parameter overlap: If the text is the first part of a longer one, the number of its last bytes that are searched
  ///   again with the next part.
  package func finds(_ text: UnsafeBufferPointer<UInt8>, overlap: Int? = nil) -> Bool {
    budget = 1 << 16 + 256 * text.count
    gaveUp = false
    metCount = 0
    wantsWhole = false
    following = overlap == nil ? 0 : Self.mostFollowing
    lastChance = overlap.map { text.count - $0 } ?? 0
    return unsafe finds(text, Level())
  }

  /// Returns whether the search still goes on after it has read so many characters.
  private func spend(_ count: Int) -> Bool {
    budget -= count
    if budget <= 0 { gaveUp = true }
    return !gaveUp
  }

  private func finds(_ text: UnsafeBufferPointer<UInt8>, _ level: Level) -> Bool {
    guard let start = text.baseAddress, text.count > 0 else { return false }
    var scan = unsafe attest_scan_start(start, text.count)
    var names = TokenForm.Names()
    while true {
      let sign = unsafe attest_next_sign(&scan)
      if sign == ATTEST_SIGN_NONE { break }
      let place = unsafe scan.found - start
      if sign == ATTEST_SIGN_RUN {
        var hasWhite: CInt = 0
        let end = unsafe attest_run_end(scan.found, scan.end, &hasWhite) - start
        if level.wrapping < Self.wrappings, unsafe !isCut(text, end, level),
          unsafe findsWrapped(
            UnsafeBufferPointer(rebasing: text[place..<end]), hasWhite: hasWhite != 0, level)
        {
          return true
        }
      } else if let length = unsafe knownLength(text, place) {
        metCount += 1
        unsafe scan.at = start + place + length
        unsafe scan.run = scan.at
        unsafe scan.is_run_found = 0
        unsafe scan.digits = nil
      } else if unsafe isToken(sign, text, place, level, &names) {
        return true
      }
    }
    if unsafe scan.has_escapes != 0 {
      guard level.escape < Self.escapes else {
        gaveUp = true
        return true
      }
      let next = Level(wrapping: level.wrapping, escape: level.escape + 1)
      if unsafe findsDecoded(text, next, attest_decode_escapes) { return true }
    }
    guard unsafe scan.has_percents != 0, level.wrapping < Self.wrappings else { return false }
    let next = Level(wrapping: level.wrapping + 1, escape: level.escape)
    return unsafe findsDecoded(text, next, attest_decode_percents)
  }

  /// Searches a text that is decoded. It is not searched again if there was nothing to decode.
  private func findsDecoded(
    _ text: UnsafeBufferPointer<UInt8>, _ level: Level,
    _ decode: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Int
  ) -> Bool {
    guard let source = text.baseAddress, text.count > 0 else { return false }
    while texts.count < level.depth { texts.append(Text()) }
    let target = texts[level.depth - 1]
    target.bytes.removeAll()
    guard spend(text.count) else { return true }
    _ = unsafe target.bytes.append(atMost: text.count) { room in
      unsafe room.baseAddress.map { unsafe decode(source, text.count, $0) }
    }
    guard target.bytes.count < text.count else { return false }
    target.bytes.reserve(LineBatch.padding)
    // The places of a decoded text are not those of the whole.
    let chance = lastChance
    lastChance = 0
    defer { lastChance = chance }
    return unsafe target.bytes.withHeldBytes { unsafe finds($0, level) }
  }

  /// Searches the texts that a run of base64 contains. Its spaces are plus signs, or are dropped (`records.R33`,
  /// `records.R36`). If one of the two readings contains known tokens, the other one garbles them: only a complete token
  /// counts in it.
  private func findsWrapped(
    _ run: UnsafeBufferPointer<UInt8>, hasWhite: Bool, _ level: Level
  ) -> Bool {
    let next = Level(wrapping: level.wrapping + 1, escape: level.escape)
    guard hasWhite else {
      guard spend(run.count) else { return true }
      return unsafe findsStreaks(run, next)
    }
    let wanted = wantsWhole
    defer { wantsWhole = wanted }
    let met = metCount
    var isFound = unsafe findsCompacted(run, dropsSpaces: false, next)
    let isMet = metCount > met
    guard !gaveUp, !isFound || !(isMet || wanted), unsafe run.contains(0x20) else { return isFound }
    wantsWhole = wanted || isMet
    if unsafe findsCompacted(run, dropsSpaces: true, next) { return true }
    if isFound, !isMet, metCount > met {
      wantsWhole = true
      isFound = unsafe findsCompacted(run, dropsSpaces: false, next)
    }
    return isFound
  }

  private func findsCompacted(
    _ run: UnsafeBufferPointer<UInt8>, dropsSpaces: Bool, _ level: Level
  ) -> Bool {
    guard let start = run.baseAddress, spend(run.count) else { return gaveUp }
    let characters = runs[level.wrapping - 1]
    characters.bytes.removeAll()
    _ = unsafe characters.bytes.append(atMost: run.count) { room in
      unsafe room.baseAddress.map {
        unsafe attest_compact_run(start, start + run.count, dropsSpaces ? 1 : 0, $0)
      }
    }
    return unsafe characters.bytes.withHeldBytes { unsafe findsStreaks($0, level) }
  }

  /// Searches the parts of base64 that are ASCII when they are decoded.
  private func findsStreaks(_ run: UnsafeBufferPointer<UInt8>, _ level: Level) -> Bool {
    guard let start = run.baseAddress else { return false }
    var streak = attest_streak()
    while unsafe attest_next_streak(start, run.count, &streak) != 0 {
      let part = unsafe UnsafeBufferPointer(start: start + streak.from, count: streak.length)
      if unsafe findsDecoded(part, level, attest_decode_characters) { return true }
    }
    return false
  }

  /// Returns whether a text goes on at a place in a way that is decoded first: with an escape other than that of a
  /// quote, or with a percent sign and two hex digits.
  private func isCut(_ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level) -> Bool {
    guard place < text.count else { return false }
    if unsafe text[place] == UInt8(ascii: "%") {
      return unsafe level.wrapping < Self.wrappings && text.count - place > 2
        && PercentCode.byte(text[place + 1], text[place + 2]) != nil
    }
    return unsafe text.baseAddress.map {
      unsafe attest_is_decoded($0 + place, $0 + text.count) != 0
    } ?? false
  }

  // MARK: Known tokens

  /// Returns the length of the known text at a place, if one is there and ends there: a complete token, or a whole
  /// string, which is read as the known one was.
  private func knownLength(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
    guard knownCount <= Self.fewKnown else { return nil }
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    for token in known.prefix(knownCount)
    where token.text.count > 0 && token.text.count <= rest.count {
      let length = unsafe token.text.withHeldBytes { unsafe KnownText.length(of: $0, in: rest) }
      guard let length, unsafe KnownText.ends(rest, at: length) else { continue }
      let isString =
        unsafe (length == rest.count || rest[length] == UInt8(ascii: "\""))
        && beginsString(text, place)
      if isString || isWhole(token) { return length }
    }
    return nil
  }

  /// Returns whether the bytes of a known token contain a complete one from their beginning on. To other servers, a
  /// token that is not complete can go on after characters that they pass over.
  private func isWhole(_ known: Known) -> Bool {
    if let isWhole = known.isWhole { return isWhole }
    let length = judge(known.bytes, 0) ?? 0
    let isWhole = length > 0 && length <= known.bytes.count
    known.isWhole = isWhole
    return isWhole
  }

  /// Returns whether a token other than those known is at a place. If one form reads a known token there, another form
  /// garbles it: in that one, only a complete token counts.
  private func isToken(
    _ sign: attest_sign, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Bool {
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    var others: [TokenForm] = []
    var isCopied = false
    var isCutLate = false
    seen = 0
    for form in TokenForm.allCases
    where form.sign == sign && form.distinguishing & ~seen == 0 {
      // Lenient servers read a whole string. What follows a copy that is cut can be another token's.
      if form.isLenient, !isCopied, unsafe !beginsString(text, place) { continue }
      guard let isFound = unsafe begins(form, text, place, level, &names) else { return false }
      guard isFound else { continue }
      if gaveUp { return true }
      switch unsafe copy(form, rest, level) {
      case .decoded: return false
      case .whole where others.isEmpty:
        metCount += 1
        return false
      case .whole: isCopied = true
      case .part:
        isCopied = true
        isCutLate = isCutLate || endsInAuthenticatorData(token)
        others.append(form)
      case nil:
        if knownCount == 0, !wantsWhole { return true }
        if form.isLenient, isCutLate, !endsString { continue }
        others.append(form)
      }
    }
    if isCopied { metCount += 1 }
    guard isCopied || wantsWhole else { return !others.isEmpty }
    return others.contains { unsafe $0.isLenient || isWhole($0, rest) }
  }

  /// Returns whether only characters that lenient servers pass over are between a place and a quote, or the beginning.
  private func beginsString(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    var at = place
    while at > 0, unsafe text[at - 1] != UInt8(ascii: "\""),
      unsafe Base64.value(text[at - 1]) == nil
    {
      at -= 1
    }
    return unsafe at == 0 || text[at - 1] == UInt8(ascii: "\"")
  }

  /// Returns whether a copy that is cut has all that distinguishes a token: a signature, or the statement with the
  /// certificates, is before the authenticator data. Any characters after it can complete the rest.
  private func endsInAuthenticatorData(_ copy: borrowing ByteBuffer) -> Bool {
    let bytes = Array(copy.storage.prefix(copy.count))
    for name in ["signature", "attStmt"] {
      guard let range = bytes.firstRange(of: Array(name.utf8)) else { continue }
      return DecodedForm.namesAuthenticatorData(
        copy.storage.span.extracting(range.upperBound..<copy.count))
    }
    return false
  }

  /// Returns whether a token begins at a place in one form, or nil if an escape cuts it. ``token`` is the complete one if
  /// the form is lenient.
  private func begins(
    _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level,
    _ names: inout TokenForm.Names
  ) -> Bool? {
    if following == 0, names.exclude(place, form, &seen) { return false }
    let rest = unsafe UnsafeBufferPointer(rebasing: text[place...])
    for most in Self.steps {
      token.removeAll()
      let end = unsafe form.decode(rest, atMost: most, into: &token, &seen)
      guard spend(end) else { return true }
      if unsafe isCut(rest, end, level) { return nil }
      let isEnd = token.count < most
      let length = judge(token, following + (isEnd ? 0 : rest.count - end))
      if let length {
        if length <= 0 || !form.isLenient { return length != 0 && !form.isLenient }
        if length <= token.count {
          token.removeAll()
          let end = unsafe form.decode(rest, atMost: length, into: &token, &seen)
          let after = unsafe rest[end...].drop { $0 == UInt8(ascii: "=") }.prefix(2)
          let quote = UInt8(ascii: "\"")
          let isAtEnd =
            unsafe after.first != UInt8(ascii: "\\")
            ? after.first ?? quote == quote : after.last == quote
          endsString = unsafe isAtEnd && !rest[..<end].contains(quote)
          return true
        }
      }
      if isEnd { return length == nil && place < lastChance }
      if most == Self.steps[0] {
        guard let isNamed = unsafe names.follow(place, form, in: text, &seen) else {
          // What follows the text is searched with its end.
          if following > 0, place < lastChance { continue }
          return false
        }
        if !isNamed { return false }
      }
    }
    return false
  }

  /// Returns whether the token that begins a text in one form is complete.
  private func isWhole(_ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    token.removeAll()
    let end = unsafe form.decode(text, atMost: Self.mostWhole, into: &token, &seen)
    guard spend(end), let length = judge(token, 0) else { return gaveUp }
    return length > 0 && length <= token.count
  }

  /// A known token that is here again: a text that is judged after it is decoded, the same bytes, or their beginning.
  private enum Copy { case decoded, whole, part }

  /// Returns whether the token here is a known one. A token that an escape cuts can be one.
  private func copy(
    _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ level: Level
  ) -> Copy? {
    if form.isLenient {
      dropTags()
      return known.prefix(knownCount).contains {
        $0.bytes.count == token.count && Self.begins($0.bytes, with: token)
      } ? .whole : nil
    }
    var candidates = Array(0..<knownCount)
    if knownCount > Self.fewKnown {
      if places.isEmpty {
        for (index, token) in known.prefix(knownCount).enumerated() {
          places[Self.beginning(of: token.bytes), default: []].append(index)
        }
      }
      let end = unsafe decode(form, text, atMost: Self.beginning)
      let isShort = token.count < Self.beginning
      if isShort, unsafe isCut(text, end, level) { return .decoded }
      if !isShort { candidates = places[Self.beginning(of: token)] ?? [] }
    }
    var found: Copy?
    for index in candidates {
      let copy = unsafe copy(of: known[index], form, text, level)
      if copy == .decoded || copy == .whole { return copy }
      found = found ?? copy
    }
    return found
  }

  /// Decodes a token without the tags before it (`verification.R31`), at most so many bytes.
  private func decode(_ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, atMost most: Int)
    -> Int
  {
    token.removeAll()
    let end = unsafe form.decode(text, atMost: most, into: &token, &seen)
    let tags = CBORFront.tags(token.storage.span.extracting(first: token.count))
    guard tags > 0 else { return end }
    token.removeAll()
    let taggedEnd = unsafe form.decode(text, atMost: most + tags, into: &token, &seen)
    dropTags()
    return taggedEnd
  }

  private func dropTags() {
    token.keepLast(token.count - CBORFront.tags(token.storage.span.extracting(first: token.count)))
  }

  private static func beginning(of token: borrowing ByteBuffer) -> [UInt8] {
    Array(token.storage.prefix(min(token.count, beginning)))
  }

  private func copy(
    of other: Known, _ form: TokenForm, _ text: UnsafeBufferPointer<UInt8>, _ level: Level
  ) -> Copy? {
    guard other.bytes.count > 0 else { return nil }
    let end = unsafe decode(form, text, atMost: other.bytes.count)
    guard spend(end) else { return nil }
    let isShort = token.count < other.bytes.count
    if isShort, unsafe isCut(text, end, level) { return .decoded }
    guard Self.begins(other.bytes, with: token), unsafe !form.goesOn(text, at: end) else {
      return nil
    }
    if !isShort {
      if isWhole(other) { return .whole }
      // What follows it was not read.
      seen = .max
      return .part
    }
    // A complete token is another one, if more bytes follow it in the known one.
    return judge(token, 0) == token.count ? nil : .part
  }

  private func judge(_ buffer: borrowing ByteBuffer, _ following: Int) -> Int? {
    test(buffer.storage.span.extracting(first: buffer.count), following)
  }

  /// Returns whether a buffer begins with the bytes of another, which has no more.
  private static func begins(
    _ whole: borrowing ByteBuffer, with part: borrowing ByteBuffer
  ) -> Bool {
    let (left, right) = (whole.storage.span, part.storage.span.extracting(first: part.count))
    return right.indices.allSatisfy { left[$0] == right[$0] }
  }
}
