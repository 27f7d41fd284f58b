internal import CSimdjson
internal import Glibc

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

  /// The forms of base64.
  static let base64Forms = 6

  /// The sign at which a token of this form can be.
  var sign: attest_sign {
    switch self {
    case .hex: ATTEST_SIGN_HEX
    case .array: ATTEST_SIGN_ARRAY
    default: ATTEST_SIGN_BASE64
    }
  }

  /// Whether only a complete token counts: the next of other values can follow its characters.
  var isLenient: Bool { reading & UInt32(ATTEST_OTHERS_DROPPED) != 0 }

  /// Whether dashes and underscores are passed over.
  var dropsDashes: Bool { reading & UInt32(ATTEST_DASHES_DROPPED.rawValue) != 0 }

  /// Returns whether a character is none of the form's.
  func passesOver(_ character: UInt8) -> Bool {
    let isDash = character == UInt8(ascii: "-") || character == UInt8(ascii: "_")
    return Base64.value(character) == nil || isDash && dropsDashes
  }

  /// Whether it has separators of its own.
  var isArray: Bool { self == .array }

  /// The characters without which the form is the same as one before it.
  var distinguishing: UInt32 { Self.forms[rawValue].distinguishing }

  /// How the characters of base64 are read.
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

  /// The names that a text contains in the forms of base64. A token has one (`records.R53`), so that a text without them
  /// is searched in linear time, whatever it repeats.
  struct Names {
    /// A part of the text that was read, up to a name or to the end of base64.
    private struct Part {
      var from = 0
      var to = 0
      var hasName = false
      /// The number of characters of base64 in it.
      var characters = 0
      /// Those among them that other forms read differently.
      var seen: UInt32 = 0
      /// The last characters that were no token, whatever follows them, and those that other forms read differently.
      var rejected = 0..<0
      var rejectedSeen: UInt32 = 0
    }

    private var parts = InlineArray<6, Part>(repeating: Part())

    /// Returns whether what was read before shows that no name follows a place, with nothing after the text.
    func exclude(_ place: Int, _ form: TokenForm, _ seen: inout UInt32) -> Bool {
      guard form.rawValue < TokenForm.base64Forms else { return false }
      let part = parts[form.rawValue]
      guard !part.hasName, place >= part.from, place < part.to else { return false }
      seen |= part.seen
      return true
    }

    /// Remembers characters that are no token, whatever follows them.
    mutating func reject(_ characters: Range<Int>, _ form: TokenForm, _ seen: UInt32) {
      guard form.rawValue < TokenForm.base64Forms else { return }
      parts[form.rawValue].rejected = characters
      parts[form.rawValue].rejectedSeen = seen
    }

    /// Returns whether a place has the characters that were rejected last: what is repeated is read once.
    func repeats(
      _ place: Int, _ form: TokenForm, in text: UnsafeBufferPointer<UInt8>, _ seen: inout UInt32
    ) -> Bool {
      guard form.rawValue < TokenForm.base64Forms else { return false }
      let part = parts[form.rawValue]
      guard !part.rejected.isEmpty, part.rejected.count <= text.count - place,
        let start = text.baseAddress,
        unsafe memcmp(start + place, start + part.rejected.lowerBound, part.rejected.count) == 0
      else { return false }
      seen |= part.rejectedSeen
      return true
    }

    /// Returns whether a name can follow a place, or nil if that depends on what follows the text. Places must be given
    /// in their order. If none follows, the characters that other forms read differently are added to `seen`.
    mutating func follow(
      _ place: Int, _ form: TokenForm, in text: UnsafeBufferPointer<UInt8>, _ seen: inout UInt32
    ) -> Bool? {
      guard form.rawValue < TokenForm.base64Forms, let start = text.baseAddress else { return true }
      var part = parts[form.rawValue]
      if place < part.from || place >= part.to {
        var hasName: CInt = 0
        var next = part
        next.from = place
        next.seen = 0
        let end = unsafe attest_next_name(
          start + place, text.count - place, form.reading, &hasName, &next.characters, &next.seen)
        unsafe next.to = end - start + 1
        next.hasName = hasName != 0
        part = next
        parts[form.rawValue] = part
      }
      seen |= part.seen
      guard !part.hasName, part.to > text.count else { return part.hasName }
      // The first name is within the limit of a token (`verification.R32`), which is 64 KiB.
      return part.characters - (place - part.from) > 1 << 17 ? false : nil
    }
  }
}
