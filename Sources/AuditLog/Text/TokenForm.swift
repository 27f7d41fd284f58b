internal import CSimdjson

/// A way in which a token is written in a text.
enum TokenForm: Int, CaseIterable {
  /// Base64 of either alphabet. Line breaks and tabs are passed over; a space is a plus (`records.R33`).
  case base64
  /// The same, with spaces passed over (`records.R36`).
  case base64WithoutSpaces
  /// The same two as lenient servers read them: other characters are passed over (`records.R34`).
  case lenient, lenientWithoutSpaces
  /// The same two, with dashes and underscores passed over, too.
  case withoutDashes, withoutDashesAndSpaces
  case hex, array

  var sign: attest_sign {
    switch self {
    case .hex: ATTEST_SIGN_HEX
    case .array: ATTEST_SIGN_ARRAY
    default: ATTEST_SIGN_BASE64
    }
  }

  /// Whether only a complete token counts: the next of other values can follow its characters.
  var isLenient: Bool { reading & UInt32(ATTEST_OTHERS_DROPPED) != 0 }

  func passesOver(_ character: UInt8) -> Bool {
    let isDash = character == UInt8(ascii: "-") || character == UInt8(ascii: "_")
    return Base64.value(character) == nil
      || isDash && reading & UInt32(ATTEST_DASHES_DROPPED.rawValue) != 0
  }

  /// Whether no characters are passed over, and no candidates begin within others.
  var isDense: Bool { self == .hex || self == .array }

  func count(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let text = unsafe UnsafeBufferPointer(rebasing: text)
    return unsafe text.baseAddress.map { unsafe attest_count_base64($0, text.count, reading) } ?? 0
  }

  /// The characters without which the form is the same as one before it.
  var distinguishing: UInt32 { Self.forms[rawValue].distinguishing }

  private var reading: UInt32 { Self.forms[rawValue].reading }

  private static let forms: [(reading: UInt32, distinguishing: UInt32)] = {
    let plus = UInt32(ATTEST_SPACES_ARE_PLUS.rawValue)
    let lenient = UInt32(ATTEST_OTHERS_DROPPED)
    let dashless = lenient | UInt32(ATTEST_DASHES_DROPPED.rawValue)
    let (space, other) = (UInt32(ATTEST_SEEN_SPACE), UInt32(ATTEST_SEEN_OTHER))
    let dash = UInt32(ATTEST_SEEN_DASH)
    return [
      (plus, 0), (0, space), (lenient | plus, other), (lenient, other | space),
      (dashless | plus, dash), (dashless, dash | space), (0, 0), (0, 0),
    ]
  }()

  /// Appends the bytes of the token that begins a text, at most so many. Returns the place after their characters:
  /// what is there cannot be decoded, or was not wanted. The characters that other forms read differently are added to
  /// `seen`.
  func decode(
    _ text: UnsafeBufferPointer<UInt8>, atMost most: Int, into output: inout ByteBuffer,
    _ seen: inout UInt32
  ) -> Int {
    switch self {
    case .hex: return unsafe Self.decodeHex(text, most, &output)
    case .array:
      return unsafe ByteArray.decode(Span(_unsafeElements: text), atMost: most, into: &output)
    default:
      guard let start = text.baseAddress else { return 0 }
      var end = 0
      _ = unsafe output.append(atMost: min(most, text.count / 4 * 3 + 3)) { room in
        guard let target = room.baseAddress else { return nil }
        var count = 0
        end = unsafe attest_read_base64(
          start, text.count, reading, room.count, target, &count, &seen)
        return count
      }
      return end
    }
  }

  /// Returns whether a token that was decoded to a place goes on there. White space ends it there.
  func goesOn(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    guard place < text.count else { return false }
    return switch self {
    case .hex:
      unsafe place + 1 < text.count && PercentCode.byte(text[place], text[place + 1]) != nil
    case .array: unsafe ByteArray.goesOn(Span(_unsafeElements: text), place)
    default: unsafe Base64.value(text[place]) != nil
    }
  }

  private static func decodeHex(
    _ text: UnsafeBufferPointer<UInt8>, _ most: Int, _ output: inout ByteBuffer
  ) -> Int {
    var at = 0
    while at + 1 < text.count, at / 2 < most,
      let byte = unsafe PercentCode.byte(text[at], text[at + 1])
    {
      output.append(byte)
      at += 2
    }
    return at
  }
}

/// The bytes of a text in one form. Those of base64 are decoded once, however many candidates there are: all whose groups of
/// four characters are the same have one stream.
struct FormBytes {
  /// Bytes of a candidate: whether there are no more, the place after all their characters, and the work that they took.
  struct Part {
    var range: Range<Int>
    var isEnd: Bool
    var end: Int
    var work: Int
    /// The number of its first byte among all in the text, in fourths of a byte.
    fileprivate var number: Int
  }

  private struct Stream {
    var bytes = ByteBuffer(capacity: 64)
    /// The number of characters before it, its end in the text, and whether it cannot go on there.
    var first = 0
    var end = 0
    var isEnd = true
    var seen: UInt32 = 0
    /// The place of a name in the bytes, or the number of bytes that were searched for one.
    private var name = 0
    private var hasName = false
    /// The characters before a candidate that are kept.
    private static let mostBefore = 1 << 16

    mutating func read(
      _ form: TokenForm, _ place: TokenSearch.Place, _ index: Int, _ most: Int
    ) -> Part {
      if end <= place.at {
        bytes.removeAll(keeping: 1 << 18)
        (first, end, isEnd, seen) = (index, place.at, false, 0)
        (name, hasName) = (0, false)
      } else if index - first > Self.mostBefore {
        let dropped = min(bytes.count, (index - first) / 4 * 3)
        bytes.keepLast(bytes.count - dropped)
        first += dropped / 3 * 4
        hasName = hasName && name >= dropped
        name = max(0, name - dropped)
      }
      let before = end
      let start = (index - first) / 4 * 3
      // Whole groups, so that it can go on.
      let next = (start + most + 2) / 3 * 3
      if next > bytes.count, !isEnd {
        let rest = unsafe UnsafeBufferPointer(rebasing: place.text[end...])
        end += unsafe form.decode(rest, atMost: next - bytes.count, into: &bytes, &seen)
        isEnd = bytes.count < next
      }
      let last = min(bytes.count, start + most)
      return Part(
        range: min(start, last)..<last, isEnd: isEnd && last == bytes.count, end: end,
        work: end - before, number: 3 * first + 4 * start)
    }

    /// Returns whether one of the names of a token is in bytes; ranges must be given in their order.
    mutating func hasName(in range: Range<Int>) -> Bool {
      if !hasName || name < range.lowerBound {
        let from = max(range.lowerBound, hasName ? 0 : name - Self.longestName)
        name = unsafe bytes.storage[from..<max(from, range.upperBound)].withUnsafeBufferPointer {
          unsafe from + attest_find_name($0.baseAddress, $0.count)
        }
        hasName = name < range.upperBound
      }
      return hasName && name < range.upperBound
    }
    /// The most bytes of a name in chunks that decide.
    private static let longestName = 64
  }

  private let form: TokenForm
  private var streams = [Stream](repeating: Stream(), count: 4)
  /// The number of the text, and the place of the last candidate, with the number of characters before it.
  private var text = 0
  private var place = 0
  private var index = 0
  /// The numbers of bytes that are heads of tags, as bits.
  private var tags: [UInt64] = []

  init(_ form: TokenForm) { self.form = form }

  subscript(_ part: Part) -> ArraySlice<UInt8> { streams[index & 3].bytes.storage[part.range] }

  /// Reads up to `most` bytes of the candidate at a place. Places of one text come in their order.
  mutating func read(_ place: TokenSearch.Place, atMost most: Int, _ seen: inout UInt32) -> Part {
    if text != place.number || form.isDense {
      (text, self.place, index) = (place.number, place.at, 0)
      for stream in streams.indices { streams[stream].end = 0 }
      tags.removeAll(keepingCapacity: tags.count < 1 << 14)
    }
    unsafe index += form.count(place.text[self.place..<place.at])
    self.place = place.at
    let part = streams[index & 3].read(form, place, index, most)
    seen |= streams[index & 3].seen
    return part
  }

  mutating func hasName(in part: Part) -> Bool { streams[index & 3].hasName(in: part.range) }

  /// Returns whether a candidate has tags that one before it has, and remembers them if it `isJudged`: it is the same token.
  mutating func repeatsTags(_ part: Part, isJudged: Bool) -> Bool {
    let bytes = self[part]
    var at = 0
    while at < bytes.count, bytes[bytes.startIndex + at] >> 5 == 6,
      let size = CBORFront.head(bytes.span, at)
    {
      let (word, bit) = ((part.number + 4 * at) / 64, UInt64(1) << ((part.number + 4 * at) & 63))
      if !isJudged, word < tags.count, tags[word] & bit != 0 { return true }
      if isJudged {
        if word >= tags.count { tags += [UInt64](repeating: 0, count: word + 1 - tags.count) }
        tags[word] |= bit
      }
      at += size
    }
    return false
  }
}
