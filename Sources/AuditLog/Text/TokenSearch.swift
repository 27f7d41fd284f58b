internal import CSimdjson

/// A search for App Attest tokens in texts (`records.R52`, `records.R53`). Each thread has its own.
///
/// A fast pass finds signs: places at which a token can begin, and runs of base64 that can contain one. At each place
/// there is one candidate for each ``TokenForm``, and ``judge(_:_:_:_:_:)`` says what it is. A text with escapes,
/// percent signs or base64 is decoded, and searched again; what an escape cuts is judged there, and as lenient servers
/// read it. If the text at hand is too much work, the search gives up, which counts as a token.
@safe package final class TokenSearch {
  /// A function that returns the length of the token with which bytes begin: 0 if there is none, more than their number
  /// if it goes on after them, less than 0 if no bytes complete it, and nil if more bytes decide. The second argument is
  /// the greatest number of bytes that can follow those given.
  package typealias Test = (Span<UInt8>, Int) -> Int?

  /// A function that decodes so many characters, and returns the number of bytes that it wrote.
  private typealias Decoder = (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Int

  /// The number of times that base64, percent-encoding and arrays of numbers are decoded (`records.R52`).
  private static let wrappings = 3
  /// The number of times that escapes of JSON are decoded, strings of JSON in strings of JSON, before the search gives
  /// up: an attacker must not make it slow.
  private static let escapes = 64
  /// The characters that may be read slowly for each byte of a text: arrays of numbers need 90, and long texts with a copy
  /// of the audited token more with their length.
  private static let workPerByte = 256
  /// The most bytes that can follow a text that is cut.
  private static let mostFollowing = 1 << 20
  /// The fewest bytes of an array of numbers that are searched as a text.
  private static let leastText = 16

  /// A buffer. An object, so that one is read while another is written.
  private final class Text {
    var bytes = ByteBuffer(capacity: 1024)
  }

  /// How often a text was decoded.
  struct Level {
    var wrapping = 0
    var escape = 0
    /// The number of texts around it.
    var depth: Int { wrapping + escape }

    var wrapped: Level { Level(wrapping: wrapping + 1, escape: escape) }
    var escaped: Level { Level(wrapping: wrapping, escape: escape + 1) }
  }

  /// The tokens in a text.
  struct Found {
    /// An audited token, or its beginning, and all of it.
    var isAudited = false
    var isCopy = false
    /// The beginning of a further token, and a complete one.
    var isPart = false
    var isWhole = false

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
      isCopy = isCopy || other.isCopy
      isAudited = isAudited || other.isAudited
      isWhole = isWhole || other.isWhole
    }
  }

  let test: Test
  /// The texts that contain each other, the innermost last.
  private var texts: [Text] = []
  /// The runs of base64 at hand, by the number of wrappings around them.
  private let runs = (0..<wrappings).map { _ in Text() }
  var token = ByteBuffer(capacity: 1024)
  /// The tokens that do not count.
  var audited = AuditedTokens()
  /// The characters that may be read slowly yet, for the text at hand.
  private var budget = 0
  /// The most bytes that can follow the text at hand, and the offset in it before which the next window does not begin.
  var following = 0
  var lastChance = 0
  /// Whether the text at hand has several readings, so that the beginning of a further token does not end the search.
  var hasReadings = false
  /// The end of the copy of an audited token that was read last: what begins within it is a part of it.
  var copyEnd = 0
  /// The characters that other forms of the token at hand read differently.
  var seen: UInt32 = 0
  /// Whether what follows the text that was searched last decides about a token, and the next window does not contain it.
  var isUndecided = false
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
  /// - Parameter overlap: If the text is the first part of a longer one, the number of its last bytes that are searched
  ///   again with the next part.
  /// - Parameter isDecoded: Whether the text is one string, in which a quote ends nothing.
  package func finds(
    _ text: UnsafeBufferPointer<UInt8>, overlap: Int? = nil, isDecoded: Bool = false
  ) -> Bool {
    budget = 1 << 22 + Self.workPerByte * text.count
    gaveUp = false
    isUndecided = false
    hasReadings = false
    following = overlap == nil ? 0 : Self.mostFollowing
    lastChance = overlap.map { text.count - $0 } ?? 0
    let found = unsafe search(text, Level(escape: isDecoded ? 1 : 0))
    return found.isPart || found.isWhole
  }

  /// Returns whether the search still goes on after it has read so many characters.
  func spend(_ count: Int) -> Bool {
    budget -= count
    if budget <= 0 { gaveUp = true }
    return !gaveUp
  }

  private func isEnough(_ found: Found) -> Bool { found.isWhole || found.isPart && !hasReadings }

  // MARK: Texts

  private func search(_ text: UnsafeBufferPointer<UInt8>, _ level: Level) -> Found {
    var found = Found()
    guard let start = text.baseAddress, text.count > 0 else { return found }
    var scan = unsafe attest_scan_start(
      start, text.count, min(lastChance, text.count), level.depth > 0 ? 1 : 0)
    var names = TokenForm.Names()
    /// The end of the last string that was read as lenient servers read it.
    var lenientEnd = 0
    while !isEnough(found) {
      let sign = unsafe attest_next_sign(&scan)
      if sign == ATTEST_SIGN_NONE { break }
      let place = unsafe scan.found - start
      if sign == ATTEST_SIGN_RUN {
        var hasWhite: CInt = 0
        let end = unsafe attest_run_end(scan.found, scan.end, &hasWhite) - start
        guard level.wrapping < Self.wrappings else { continue }
        if place >= lenientEnd {
          let string = unsafe Self.string(around: place..<end, in: text, level)
          lenientEnd = string.upperBound
          if unsafe Self.hasBase64(text[string.lowerBound..<place])
            || Self.hasBase64(text[end..<lenientEnd])
          {
            found.isWhole = unsafe search(string, of: text) { unsafe searchRun($0, level) }.isWhole
          }
        }
        guard !found.isWhole, unsafe !isCut(text, end, level) else { continue }
        unsafe found.add(
          search(place..<end, of: text) {
            unsafe hasWhite == 0 ? searchTexts($0, level) : searchRun($0, level)
          })
      } else if let length = unsafe auditedLength(text, place) {
        found.isAudited = true
        unsafe pass(&scan, to: place + length)
      } else {
        copyEnd = 0
        unsafe found.add(read(sign, text, place, level, &names))
        if copyEnd > 0 { unsafe pass(&scan, to: copyEnd) }
        if sign == ATTEST_SIGN_ARRAY, !isEnough(found) {
          unsafe found.add(search(place..<text.count, of: text) { unsafe searchArray($0, level) })
        }
      }
    }
    if unsafe scan.has_escapes != 0, !isEnough(found) {
      guard level.escape < Self.escapes else {
        gaveUp = true
        return .further
      }
      unsafe found.add(searchDecoded(text, level.escaped, attest_decode_escapes))
    }
    guard unsafe scan.has_percents != 0, level.wrapping < Self.wrappings, !isEnough(found) else {
      return found
    }
    unsafe found.add(searchDecoded(text, level.wrapped, attest_decode_percents))
    return found
  }

  /// Passes over all before a place.
  private func pass(_ scan: inout attest_scan, to place: Int) {
    unsafe scan.at = scan.begin + place
    unsafe scan.run = scan.at
    unsafe scan.is_run_found = 0
    unsafe scan.digits = nil
  }

  /// Returns what a search finds in a part of a text. What ends before the text does goes on nowhere.
  private func search(
    _ part: Range<Int>, of text: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Found
  ) -> Found {
    let before = (following, lastChance)
    defer { (following, lastChance) = before }
    lastChance = part.upperBound < text.count ? 0 : max(0, lastChance - part.lowerBound)
    if part.upperBound < text.count { following = 0 }
    return unsafe body(UnsafeBufferPointer(rebasing: text[part]))
  }

  /// Searches a text that is decoded. It is not searched again if there was nothing to decode.
  private func searchDecoded(
    _ text: UnsafeBufferPointer<UInt8>, _ level: Level, _ decoder: Decoder
  ) -> Found {
    guard text.count > 0 else { return Found() }
    guard spend(text.count) else { return .further }
    return search(level) { target in
      unsafe decode(text, decoder, into: &target)
      guard target.count < text.count else { return false }
      // Of a text that goes on, the last code, which has 6 characters at most, can be cut.
      let last = target.storage[..<target.count].suffix(lastChance > 0 ? 6 : 0)
      target.drop(
        to: last.firstIndex { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") } ?? target.count)
      return true
    }
  }

  /// Decodes a text, and the place in it before which an undecided token counts.
  private func decode(
    _ text: UnsafeBufferPointer<UInt8>, _ decoder: Decoder, into target: inout ByteBuffer
  ) {
    let lengths = [min(lastChance, text.count), text.count]
    target.removeAll()
    for length in lengths {
      lastChance = target.count
      target.removeAll()
      _ = unsafe target.append(atMost: length) { room in
        guard let from = text.baseAddress, let to = room.baseAddress else { return nil }
        return unsafe decoder(from, length, to)
      }
    }
  }

  /// Searches the text that an array of numbers contains (`records.R82`).
  private func searchArray(_ text: UnsafeBufferPointer<UInt8>, _ level: Level) -> Found {
    guard level.wrapping < Self.wrappings else { return Found() }
    return search(level.wrapped) { target in
      let text = unsafe Span(_unsafeElements: text)
      for most in [Self.leastText, .max] {
        target.removeAll()
        let end = ByteArray.decode(text, atMost: most, into: &target)
        // The next window does not contain the bracket.
        if lastChance > 0, end == text.count { isUndecided = true }
        let isText = target.storage.prefix(target.count).prefix(Self.leastText).allSatisfy {
          $0 < 0x80
        }
        guard target.count >= Self.leastText, isText, spend(end) else { return false }
      }
      (following, lastChance) = (0, 0)
      return true
    }
  }

  /// Searches the text that `write` writes, unless it returns false.
  private func search(_ level: Level, _ write: (inout ByteBuffer) -> Bool) -> Found {
    while texts.count < level.depth { texts.append(Text()) }
    let target = texts[level.depth - 1]
    target.bytes.removeAll()
    let chance = lastChance
    defer { lastChance = chance }
    guard write(&target.bytes) else { return gaveUp ? .further : Found() }
    target.bytes.reserve(LineBatch.padding)
    return unsafe target.bytes.withHeldBytes { unsafe search($0, level) }
  }

  /// Searches the texts that the base64 in a text contains. Its spaces are plus signs, or are dropped (`records.R33`,
  /// `records.R36`).
  private func searchRun(_ run: UnsafeBufferPointer<UInt8>, _ level: Level) -> Found {
    let wasReading = hasReadings
    defer { hasReadings = wasReading }
    hasReadings = true
    var found = unsafe searchCompacted(run, ATTEST_SPACES_ARE_PLUS.rawValue, level)
    guard !found.isWhole, unsafe run.contains(UInt8(ascii: " ")) else { return found }
    unsafe found.add(reading: searchCompacted(run, 0, level))
    return found
  }

  private func searchCompacted(
    _ run: UnsafeBufferPointer<UInt8>, _ reading: UInt32, _ level: Level
  ) -> Found {
    guard spend(run.count) else { return .further }
    let chance = lastChance
    defer { lastChance = chance }
    let characters = runs[level.wrapping]
    unsafe decode(run, { unsafe attest_compact_run($0, $1, reading, $2) }, into: &characters.bytes)
    return unsafe characters.bytes.withHeldBytes { unsafe searchTexts($0, level) }
  }

  /// Searches a run of base64 that has ASCII when it is decoded. In places it can have other characters, which lenient
  /// decoders drop.
  private func searchTexts(_ run: UnsafeBufferPointer<UInt8>, _ level: Level) -> Found {
    var found = Found()
    guard let start = run.baseAddress, spend(run.count) else { return gaveUp ? .further : found }
    var phase = unsafe attest_text_phase(start, run.count, 0)
    while !isEnough(found), phase < 4 {
      unsafe found.add(
        search(Int(phase)..<run.count, of: run) {
          unsafe searchDecoded($0, level.wrapped, attest_decode_characters)
        })
      phase = unsafe attest_text_phase(start, run.count, phase + 1)
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
    guard level.depth == 0 else { return text.indices }
    func isEnd(_ index: Int) -> Bool {
      unsafe text[index] == UInt8(ascii: "\"")
        && (index == 0 || text[index - 1] != UInt8(ascii: "\\"))
    }
    let start = (0..<part.lowerBound).last(where: isEnd).map { $0 + 1 } ?? 0
    return start..<((part.upperBound..<text.count).first(where: isEnd) ?? text.count)
  }
}
