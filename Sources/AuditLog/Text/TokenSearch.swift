package import Basics
internal import CSimdjson

/// A search for App Attest tokens in texts (`records.R52`, `records.R53`). Each thread has its own.
///
/// A fast pass finds signs: places at which a token can begin, and runs of base64 that can contain one. At each place
/// there is one candidate for each ``TokenForm``, and ``judge(_:_:)`` says what it is. A text with escapes,
/// percent signs or base64 is decoded, and searched again; what an escape cuts is judged there, and as lenient servers
/// read it. If the text at hand is too much work, the search gives up, which counts as a token.
@safe package final class TokenSearch {
  /// A function that returns the facts about the token with which bytes begin. The second argument is the greatest
  /// number of bytes that can follow those given.
  package typealias Test = (Span<UInt8>, Int) -> TokenFront

  /// A function that decodes so many characters, and returns the number of bytes that it wrote.
  private typealias Decoder = (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Int

  /// The number of times that base64, percent-encoding and arrays of numbers are decoded (`records.R52`).
  private static let wrappings = 3
  /// The number of times that escapes of JSON are decoded, strings of JSON in strings of JSON, before the search gives
  /// up: an attacker must not make it slow.
  private static let escapes = 16
  /// The work for each byte of a text, of which a character that is decoded takes 1. A body of 256 KB beside the audited
  /// token needs less; prose of some megabytes needs more.
  private static let workPerByte = 256
  /// The bytes that are decoded at most for each byte of a text to show that it contains no token, and how many of them are
  /// as much work as one that is searched.
  private static let (workToClear, clearedAtOnce) = (256, 8)
  /// The most bytes that can follow a text that is cut.
  private static let mostFollowing = 1 << 20
  /// The fewest bytes of an array of numbers that are searched as a text.
  private static let leastText = 16

  /// A buffer. An object, so that one is read while another is written.
  private final class Text {
    var bytes = ByteBuffer(capacity: 64)
    /// The places at which base64 began after white space, in their order: what is before them is another text.
    var beginnings: [Int] = []
  }

  /// How a text was decoded.
  struct Level {
    /// The number of wrappings around it.
    var wrapping = 0
    /// Whether it is one string, in which a quote ends nothing.
    var isDecoded = true
    var escapes = KnownText.Escapes.areQuoted
  }

  /// The tokens in a text.
  struct Found {
    /// An audited token, or a part of it.
    var isAudited = false
    /// The beginning of a further token, and a complete one.
    var isPart = false
    var isWhole = false

    static let audited = Found(isAudited: true)
    static let part = Found(isPart: true)
    static let further = Found(isWhole: true)

    mutating func add(_ other: Found) {
      isAudited = isAudited || other.isAudited
      isPart = isPart || other.isPart
      isWhole = isWhole || other.isWhole
    }

    /// Adds what another reading of the same text shows. If one of the two shows an audited token, the other garbles it:
    /// only a complete further token counts there.
    mutating func add(reading other: Found) {
      isPart = isPart && (isAudited || !other.isAudited) || other.isPart && !isAudited
      isAudited = isAudited || other.isAudited
      isWhole = isWhole || other.isWhole
    }
  }

  let test: Test
  /// The text in so many wrappings, and what its escapes are decoded to: each in turn.
  private let texts = (0...wrappings).map { _ in (Text(), Text()) }
  /// The runs of base64 at hand, by the number of wrappings around them.
  private let runs = (0..<wrappings).map { _ in Text() }
  var token = ByteBuffer(capacity: 1024)
  /// The bytes of the text in so many wrappings in each form, and the number of texts until then.
  var forms = (0...wrappings).map { _ in TokenForm.allCases.map { FormBytes($0) } }
  private var textCount = 0
  /// The tokens that do not count.
  var audited = AuditedTokens()
  /// The work that may be done yet, for the text at hand.
  private var budget = 0
  /// The most bytes that can follow the text at hand.
  var following = 0
  /// Whether the text at hand has several readings, so that the beginning of a further token does not end the search.
  var hasReadings = false
  /// The end of the copy of an audited token that was read last: what begins within it is a part of it.
  var copyEnd = 0
  /// Whether a reading of the place at hand shows a whole object of another format: other readings can garble it.
  var isOfOther = false
  /// The characters that other forms of the token at hand read differently.
  var seen: UInt32 = 0
  /// Whether the last search ended before the end of the text.
  package private(set) var gaveUp = false

  package init(_ test: @escaping Test) { self.test = test }

  /// Forgets the tokens that do not count.
  package func forget() { audited.removeAll() }

  /// Adds a token that does not count, and the text from which it was read (`records.R83`).
  package func know(_ text: UnsafeBufferPointer<UInt8>, _ bytes: Span<UInt8>) {
    unsafe audited.append(text, bytes)
  }

  /// Returns whether a text contains a token other than those known. After the text
  /// ``LineBatch/padding`` bytes are readable.
  ///
  /// - Parameter isCut: Whether the text is a part of a longer one.
  /// - Parameter isDecoded: Whether the text is one string, in which a quote ends nothing.
  package func finds(
    _ text: UnsafeBufferPointer<UInt8>, isCut: Bool = false, isDecoded: Bool = false
  ) -> Bool {
    budget = 1 << 22 + Self.workPerByte * text.count
    gaveUp = false
    hasReadings = false
    following = isCut ? Self.mostFollowing : 0
    let level = Level(isDecoded: isDecoded, escapes: isDecoded ? .areQuoted : .areDecoded)
    if unsafe isClear(text, level) { return gaveUp }
    var found = Found()
    let none = unsafe UnsafeBufferPointer<Int>(start: nil, count: 0)
    if unsafe scan(text, none, level, &found, decodingInto: texts[0].0) {
      search(Level(escapes: .areLeft), &found)
    }
    return found.isPart || found.isWhole || gaveUp
  }

  /// Returns whether the search still goes on after so much work.
  func spend(_ work: Int) -> Bool {
    budget -= work
    if budget <= 0 { gaveUp = true }
    return !gaveUp
  }

  private func isEnough(_ found: Found) -> Bool {
    found.isWhole || found.isPart && !hasReadings || gaveUp
  }

  // MARK: Texts

  /// Searches the text in so many wrappings, and what its escapes are decoded to, until there are none.
  private func search(_ level: Level, _ found: inout Found) {
    var (text, decoded) = texts[level.wrapping]
    var level = level
    for _ in 0..<Self.escapes {
      let isDecoded = unsafe text.beginnings.withUnsafeBufferPointer { beginnings in
        unsafe text.bytes.withHeldBytes {
          unsafe scan($0, beginnings, level, &found, decodingInto: decoded)
        }
      }
      guard isDecoded else { return }
      swap(&text, &decoded)
      text.beginnings = []
      level.escapes = .areLeft
    }
    gaveUp = true
  }

  /// Decodes the escapes in a text, all of those in copies of audited tokens at once. Returns false if there are none.
  private func decodeEscapes(
    _ text: UnsafeBufferPointer<UInt8>, _ copies: [(range: Range<Int>, text: Range<Int>)],
    into target: inout ByteBuffer
  ) -> Bool {
    guard spend(text.count) else { return false }
    target.removeAll()
    var from = 0
    for copy in copies {
      unsafe decode(text[from..<copy.range.lowerBound], attest_decode_escapes, after: &target)
      target.append(audited[copy.text].span)
      from = copy.range.upperBound
    }
    unsafe decode(text[from...], attest_decode_escapes, after: &target)
    return target.count < text.count
  }

  /// Searches a text as it is. Returns whether it has escapes, which are decoded then.
  private func scan(
    _ text: UnsafeBufferPointer<UInt8>, _ beginnings: UnsafeBufferPointer<Int>, _ level: Level,
    _ found: inout Found, decodingInto decoded: Text
  ) -> Bool {
    guard let start = text.baseAddress, text.count > 0 else { return false }
    var scan = unsafe attest_scan_start(start, text.count, level.isDecoded ? 1 : 0)
    unsafe scan.beginnings = beginnings.baseAddress
    unsafe scan.beginning_count = beginnings.count
    textCount += 1
    let last = unsafe following > 0 ? text.count : attest_end_of_names(start, text.count)
    var place = unsafe Place(text: text, number: textCount, level: level)
    /// The end of the last string that was read as lenient servers read it.
    var lenientEnd = 0
    var copies: [(range: Range<Int>, text: Range<Int>)] = []
    while !isEnough(found) {
      let sign = unsafe attest_next_sign(&scan)
      if sign == ATTEST_SIGN_NONE { break }
      let at = unsafe scan.found - start
      place.at = at
      if sign == ATTEST_SIGN_RUN {
        var hasWhite: CInt = 0
        let end = unsafe attest_run_end(scan.found, scan.end, &hasWhite) - start
        guard level.wrapping < Self.wrappings else { continue }
        if at >= lenientEnd {
          let string = unsafe Self.string(around: at..<end, in: text, level)
          lenientEnd = string.upperBound
          if unsafe Self.hasBase64(text[string.lowerBound..<at])
            || Self.hasBase64(text[end..<lenientEnd])
          {
            let places = unsafe Self.places(beginnings, in: string)
            found.isWhole =
              unsafe search(string, of: text) { unsafe searchRun($0, places, level) }.isWhole
          }
        }
        guard !found.isWhole, unsafe !isCut(text, end, level) else { continue }
        let places = unsafe Self.places(beginnings, in: at..<end)
        unsafe found.add(
          search(at..<end, of: text) {
            unsafe hasWhite == 0
              ? searchTexts($0, places, level) : searchRun($0, places, level)
          })
      } else if sign != ATTEST_SIGN_ARRAY, at >= last {
        continue
      } else if let copy = unsafe audited.copy(
        in: text, at: at, level.escapes, { test($0.span, 0).length != nil })
      {
        found.isAudited = true
        copies.append(copy)
        unsafe pass(&scan, to: copy.range.upperBound)
      } else {
        copyEnd = 0
        found.add(read(sign, place))
        if copyEnd > 0 { unsafe pass(&scan, to: copyEnd) }
        if sign == ATTEST_SIGN_ARRAY, !isEnough(found) {
          unsafe found.add(searchArray(UnsafeBufferPointer(rebasing: text[at...]), level))
        }
      }
    }
    if unsafe scan.has_percents != 0, level.wrapping < Self.wrappings, !isEnough(found) {
      unsafe found.add(searchDecoded(text, level, attest_decode_percents))
    }
    return unsafe scan.has_escapes != 0 && !isEnough(found)
      && decodeEscapes(text, copies, into: &decoded.bytes)
  }

  /// Returns whether a text surely contains no token.
  private func isClear(_ text: UnsafeBufferPointer<UInt8>, _ level: Level) -> Bool {
    guard let start = text.baseAddress else { return true }
    let most = Self.workToClear * text.count
    var left = most
    var searched = unsafe attest_searched_text(
      text: start, length: text.count, known: nil, known_length: 0)
    let isClear = unsafe attest_is_clear(&searched, 1, level.isDecoded ? 1 : 0, &left)
    return isClear != 0 || !spend((most - left) / Self.clearedAtOnce)
  }

  /// Passes over all before a place.
  private func pass(_ scan: inout attest_scan, to place: Int) {
    unsafe scan.at = scan.begin + place
    unsafe scan.run = scan.at
    unsafe scan.is_run_found = 0
    unsafe scan.second = nil
  }

  /// Returns what a search finds in a part of a text. What ends before the text does goes on nowhere.
  private func search(
    _ part: Range<Int>, of text: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Found
  ) -> Found {
    let before = following
    defer { following = before }
    if part.upperBound < text.count { following = 0 }
    return unsafe body(UnsafeBufferPointer(rebasing: text[part]))
  }

  /// Searches a text that is decoded. It is not searched again if there was nothing to decode.
  private func searchDecoded(
    _ text: UnsafeBufferPointer<UInt8>, _ level: Level, _ decoder: Decoder,
    beginnings: [Int] = []
  ) -> Found {
    guard text.count > 0, spend(text.count) else { return Found() }
    return search(within: level, beginnings) { target in
      target.removeAll()
      unsafe decode(text[...], decoder, after: &target)
      return target.count < text.count
    }
  }

  private func decode(
    _ part: Slice<UnsafeBufferPointer<UInt8>>, _ decoder: Decoder, after target: inout ByteBuffer
  ) {
    let text = unsafe UnsafeBufferPointer(rebasing: part)
    _ = unsafe target.append(atMost: text.count + LineBatch.padding) { room in
      guard let from = text.baseAddress, let to = room.baseAddress else { return nil }
      return unsafe decoder(from, text.count, to)
    }
    target.reserve(LineBatch.padding)
  }

  /// Searches the text that the array of numbers at the beginning of a text contains (`records.R82`).
  private func searchArray(_ text: UnsafeBufferPointer<UInt8>, _ level: Level) -> Found {
    guard level.wrapping < Self.wrappings else { return Found() }
    return search(within: level) { target in
      let text = unsafe Span(_unsafeElements: text)
      for most in [Self.leastText, .max] {
        target.removeAll()
        let end = ByteArray.decode(text, atMost: most, into: &target)
        let isText = target.storage.prefix(target.count).prefix(Self.leastText).allSatisfy {
          $0 < 0x80
        }
        guard target.count >= Self.leastText, isText, spend(end) else { return false }
      }
      target.reserve(LineBatch.padding)
      return true
    }
  }

  /// Searches the text that `write` writes, unless it returns false.
  private func search(
    within level: Level, _ beginnings: [Int] = [], _ write: (inout ByteBuffer) -> Bool
  ) -> Found {
    var found = Found()
    let wrapping = level.wrapping + 1
    let text = texts[wrapping].0
    text.beginnings = beginnings
    guard write(&text.bytes),
      unsafe !text.bytes.withHeldBytes({ unsafe isClear($0, Level(wrapping: wrapping)) })
    else { return found }
    search(Level(wrapping: wrapping), &found)
    return found
  }

  /// Searches the texts that the base64 in a text contains. Its spaces are plus signs, or are dropped (`records.R33`,
  /// `records.R36`).
  private func searchRun(
    _ run: UnsafeBufferPointer<UInt8>, _ beginnings: [Int], _ level: Level
  ) -> Found {
    let wasReading = hasReadings
    defer { hasReadings = wasReading }
    hasReadings = true
    var found = unsafe searchCompacted(run, beginnings, ATTEST_SPACES_ARE_PLUS.rawValue, level)
    guard !found.isWhole, unsafe run.contains(UInt8(ascii: " ")) else { return found }
    unsafe found.add(reading: searchCompacted(run, beginnings, 0, level))
    return found
  }

  private func searchCompacted(
    _ run: UnsafeBufferPointer<UInt8>, _ beginnings: [Int], _ reading: UInt32, _ level: Level
  ) -> Found {
    guard spend(run.count) else { return Found() }
    let characters = runs[level.wrapping]
    characters.bytes.removeAll()
    unsafe decode(
      run[...], { unsafe attest_compact_run($0, $1, reading, $2) }, after: &characters.bytes)
    let compacted = unsafe Self.compacted(beginnings, run, reading)
    return unsafe characters.bytes.withHeldBytes { unsafe searchTexts($0, compacted, level) }
  }

  /// Returns those of some places that are in a part of a text, counted from its start.
  private static func places(
    _ places: UnsafeBufferPointer<Int>, in part: Range<Int>
  ) -> [Int] {
    unsafe places.filter(part.contains).map { $0 - part.lowerBound }
  }

  /// Returns the number of characters that are kept of a run before each place at which base64 can begin in it: those
  /// given, and those after white space.
  private static func compacted(
    _ beginnings: [Int], _ run: UnsafeBufferPointer<UInt8>, _ reading: UInt32
  ) -> [Int] {
    var (count, wasWhite, places) = (0, false, [Int]())
    var rest = beginnings[...]
    for index in run.indices {
      let byte = unsafe run[index]
      let isWhite = byte == UInt8(ascii: " ") || (9...13).contains(byte)
      let isGiven = rest.first == index
      if isGiven { rest.removeFirst() }
      if isGiven || wasWhite && !isWhite { places.append(count) }
      wasWhite = isWhite
      unsafe count += [byte].withUnsafeBufferPointer {
        unsafe attest_count_base64($0.baseAddress.unsafelyUnwrapped, 1, reading)
      }
    }
    return places
  }

  /// Searches a run of base64 that has ASCII when it is decoded. In places it can have other characters, which lenient
  /// decoders drop.
  private func searchTexts(
    _ run: UnsafeBufferPointer<UInt8>, _ beginnings: [Int], _ level: Level
  ) -> Found {
    var found = Found()
    guard let start = run.baseAddress, spend(run.count) else { return found }
    let phases = unsafe attest_text_phases(start, run.count)
    for phase in 0..<4 where phases >> phase & 1 != 0 && !isEnough(found) {
      let places = beginnings.filter { $0 % 4 == phase }.map { $0 / 4 * 3 }
      unsafe found.add(
        search(phase..<run.count, of: run) {
          unsafe searchDecoded($0, level, attest_decode_characters, beginnings: places)
        })
    }
    return found
  }

  /// Returns whether a text goes on at a place in a way that is decoded first: with an escape other than that of a
  /// quote, or with a percent sign and two hex digits.
  func isCut(_ text: UnsafeBufferPointer<UInt8>, _ place: Int, _ level: Level) -> Bool {
    guard place < text.count else { return false }
    if unsafe text[place] == UInt8(ascii: "%") {
      return unsafe level.wrapping < Self.wrappings && text.count - place > 2
        && PercentCode.byte(text[place + 1], text[place + 2]) != nil
    }
    return unsafe text.baseAddress.map {
      unsafe attest_is_decoded($0 + place, $0 + text.count) != 0
    } ?? false
  }

  private static func hasBase64(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    unsafe text.contains { Base64.value($0) != nil }
  }

  /// Returns the string that contains a part of a text: in a decoded text all of it. An escaped quote is in the string.
  private static func string(
    around part: Range<Int>, in text: UnsafeBufferPointer<UInt8>, _ level: Level
  ) -> Range<Int> {
    guard !level.isDecoded else { return text.indices }
    func isEnd(_ index: Int) -> Bool {
      unsafe text[index] == UInt8(ascii: "\"")
        && (index == 0 || text[index - 1] != UInt8(ascii: "\\"))
    }
    let start = (0..<part.lowerBound).last(where: isEnd).map { $0 + 1 } ?? 0
    return start..<((part.upperBound..<text.count).first(where: isEnd) ?? text.count)
  }
}
