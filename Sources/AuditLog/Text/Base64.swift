internal import CSimdjson
internal import Glibc

/// Base64 and base64url (RFC 4648, sections 4 and 5) as logs hold them: padded or not, with line
/// breaks (RFC 2045), and with a space where form decoding has eaten a `+`.
package enum Base64 {
  /// Appends the decoded bytes to `output` and returns their range. Returns nil, with `output` as
  /// it was, if `text` is not base64. It is not base64 either with characters of both alphabets, or
  /// with bits that no byte holds.
  @inline(__always)
  package static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer
  ) -> Range<Int>? {
    var hasSpaces = false
    return unsafe decode(text, into: &output, hasSpaces: &hasSpaces)
  }

  /// Does the same; `hasSpaces` becomes true if a space was read as a `+`.
  @inline(__always)
  static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer, hasSpaces: inout Bool
  ) -> Range<Int>? {
    if let range = unsafe decode(unbroken: text, into: &output, &hasSpaces) { return range }
    return unsafe decode(broken: text, into: &output, &hasSpaces)
  }

  private static func decode(
    unbroken text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer,
    _ hasSpaces: inout Bool
  ) -> Range<Int>? {
    guard let (length, count) = unsafe measure(text) else { return nil }
    guard count > 0, let text = text.baseAddress else { return output.count..<output.count }
    return unsafe output.append(atMost: count) { target in
      guard let start = target.baseAddress else { return nil }
      return unsafe isDecoded(attest_base64_decode(text, length, start), &hasSpaces) ? count : nil
    }
  }

  @inline(__always)
  private static func isDecoded(_ form: attest_base64_form, _ hasSpaces: inout Bool) -> Bool {
    if form == ATTEST_BASE64_WITH_SPACES { hasSpaces = true }
    return form != ATTEST_BASE64_NONE
  }

  /// Returns the number of characters before the padding, and of their bytes, or nil for other lengths.
  @inline(__always)
  private static func measure(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> (length: Int, count: Int)? {
    var length = text.count
    var padding = 0
    while padding < 2, length > 0, unsafe text[length - 1] == UInt8(ascii: "=") {
      length -= 1
      padding += 1
    }
    let rest = length % 4
    guard rest != 1, padding == 0 || padding == (4 - rest) % 4 else { return nil }
    return (length, length / 4 * 3 + (rest == 0 ? 0 : rest - 1))
  }

  /// Decodes a text with line breaks or tabs, which are passed over, or nil if it has none.
  @inline(never)
  private static func decode(
    broken text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer,
    _ hasSpaces: inout Bool
  ) -> Range<Int>? {
    var breaks = 0
    for index in 0..<text.count where unsafe isBreak(text[index]) { breaks += 1 }
    guard breaks > 0 else { return nil }
    let length = text.count - breaks
    // The text without its breaks stands behind the bytes that it holds.
    let room = length / 4 * 3 + 3
    return unsafe output.append(atMost: room + length) { target in
      var at = room
      for index in 0..<text.count where unsafe !isBreak(text[index]) {
        unsafe target[at] = text[index]
        at += 1
      }
      let whole = unsafe UnsafeBufferPointer(rebasing: target[room..<(room + length)])
      guard let (length, count) = unsafe measure(whole) else { return nil }
      guard count > 0, let start = target.baseAddress else { return 0 }
      return unsafe isDecoded(attest_base64_decode(start + room, length, start), &hasSpaces)
        ? count : nil
    }
  }

  private static func isBreak(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Returns the value of a character of either alphabet, or nil.
  @inline(__always)
  static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }

  // MARK: Lenient decoders

  /// The way in which a lenient decoder takes what decoders differ in.
  package struct Reading: CaseIterable, Sendable {
    /// A percent sign and two hex digits are one character; else the sign alone is passed over.
    package var decodesPercents: Bool
    /// A space is a plus; else it is passed over.
    package var takesSpaces: Bool
    /// `-` and `_` are passed over (Python's `b64decode`, Java's MIME), or of the other alphabet.
    package var dropsDashes = false
    /// Characters outside ASCII are cut to 8 bits (Node's `Buffer.from`), or passed over.
    package var cutsUnits = false

    /// All readings, in the order in which they are tried: those of most decoders come first.
    package static let allCases: [Reading] = [(false, false), (true, false), (false, true)]
      .flatMap { dropsDashes, cutsUnits in
        [(true, true), (true, false), (false, true), (false, false)].map {
          Reading(
            decodesPercents: $0, takesSpaces: $1, dropsDashes: dropsDashes, cutsUnits: cutsUnits)
        }
      }

    /// Whether dashes are passed over, or units are cut. Most decoders do neither.
    var isRare: Bool { dropsDashes || cutsUnits }

    fileprivate var flags: UInt32 {
      (takesSpaces ? ATTEST_SPACES_ARE_PLUS.rawValue : 0)
        | (decodesPercents && !cutsUnits ? ATTEST_PERCENTS_DECODED.rawValue : 0)
        | (dropsDashes ? ATTEST_DASHES_DROPPED.rawValue : 0)
    }

    /// Returns whether the reading may differ from those in front of it.
    func isDistinct(_ signs: Signs) -> Bool {
      // What a percent sign encodes is any character.
      let percent = decodesPercents && signs.percent
      // The lower eight bits of a unit may be any character, too.
      let isAny = percent || (cutsUnits && signs.wide)
      return (decodesPercents || signs.percent) && (takesSpaces || signs.space || isAny)
        && (!dropsDashes || signs.dash || percent) && (!cutsUnits || signs.wide || percent)
    }
  }

  /// The signs that lenient decoders take in more than one way.
  struct Signs {
    let space: Bool
    let percent: Bool
    let dash: Bool
    /// Whether a character outside ASCII does.
    let wide: Bool

    init(_ text: UnsafeBufferPointer<UInt8>) {
      space = unsafe holds(text, UInt8(ascii: " "))
      percent = unsafe holds(text, UInt8(ascii: "%"))
      dash = unsafe holds(text, UInt8(ascii: "-")) || holds(text, UInt8(ascii: "_"))
      wide = unsafe text.contains { $0 >= 0x80 }
    }
  }

  static func holds(_ text: UnsafeBufferPointer<UInt8>, _ character: UInt8) -> Bool {
    guard let start = text.baseAddress else { return false }
    return unsafe memchr(start, Int32(character), text.count) != nil
  }

  /// Appends the bytes that a lenient decoder makes of `text`, and tells where they lie: the
  /// characters of `reading` are taken, all others passed over, up to the first `=` that completes
  /// a group. Nil, with `output` as it was, where a single character is left over, unless
  /// `dropsLeftOver`.
  package static func decodeLoosely(
    _ text: UnsafeBufferPointer<UInt8>, _ reading: Reading, dropsLeftOver: Bool = false,
    into output: inout ByteBuffer
  ) -> Range<Int>? {
    guard reading.cutsUnits else {
      return unsafe decodeLoosely(text, reading.flags, dropsLeftOver, into: &output)
    }
    let bytes = unsafe reading.decodesPercents ? PercentCode.decoded(text.span) : Array(text)
    // Invalid bytes become U+FFFD.
    let units = String(decoding: bytes, as: UTF8.self).utf16.map(UInt8.init(truncatingIfNeeded:))
    return unsafe units.withUnsafeBufferPointer {
      unsafe decodeLoosely($0, reading.flags, dropsLeftOver, into: &output)
    }
  }

  private static func decodeLoosely(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: UInt32, _ dropsLeftOver: Bool,
    into output: inout ByteBuffer
  ) -> Range<Int>? {
    guard let source = text.baseAddress else { return output.count..<output.count }
    return unsafe output.append(atMost: text.count / 4 * 3 + 3) { target in
      guard let start = target.baseAddress else { return nil }
      var leftOver = 0
      let count = unsafe attest_base64_decode_loosely(
        source, text.count, flags, start, &leftOver)
      return leftOver == 0 || dropsLeftOver ? count : nil
    }
  }
}
