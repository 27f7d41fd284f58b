internal import Basics

/// The ways to write base64 that a strict reader refuses and lenient ones accept, all for the same
/// bytes.
package enum OddBase64: Int, Sendable, CaseIterable {
  /// A punctuation mark within the text.
  case foreignMark
  /// One `=` too many.
  case longPadding
  /// `+`, `/` and `=` as percent signs and digits, as in a form or a query.
  case percentSigns
  /// `-` or `_` beside `+` or `/`.
  case mixedAlphabets
  /// A space in front.
  case leadingSpace
  /// Unused bits that are set.
  case spareBits
  /// Characters behind the padding.
  case textBehindPadding
  /// A letter of another script.
  case foreignLetter
  /// One `=` instead of two.
  case shortPadding
  /// A space at the end.
  case trailingSpace
  /// A NUL.
  case zeroByte
  /// `=` in the middle of a group.
  case earlyPadding

  /// Returns bytes in the spelling of a number, or in any for a question mark.
  static func encode(
    _ way: Substring, _ bytes: [UInt8], _ random: inout ForgeRandom
  ) -> [UInt8] {
    (Int(way).map { allCases[$0] } ?? random.pick(allCases)).encode(bytes, &random)
  }

  /// Returns `bytes` in this spelling. Bytes that have none, since a text of their length has no
  /// padding or its letters are the same in both alphabets, are spelled with a foreign mark.
  package func encode(_ bytes: [UInt8], _ random: inout ForgeRandom) -> [UInt8] {
    let text = TextCode.base64.encode(bytes)
    let left = bytes.count % 3
    switch self {
    case .foreignMark: return Self.marked(text, &random)
    case .longPadding: return text + [0x3D]
    case .percentSigns: return Self.percentEncoded(text)
    case .mixedAlphabets: return Self.mixed(text) ?? Self.marked(text, &random)
    case .leadingSpace: return [0x20] + text
    case .spareBits:
      return left == 0 ? Self.marked(text, &random) : Self.withSpareBits(text, left)
    case .textBehindPadding:
      return left == 0 ? Self.marked(text, &random) : text + Array("AAAA".utf8)
    case .foreignLetter: return Self.inserting(Array("\u{E9}".utf8), into: text, &random)
    case .shortPadding: return left == 1 ? text.dropLast() : Self.marked(text, &random)
    case .trailingSpace: return text + [0x20]
    case .zeroByte: return Self.inserting([0], into: text, &random)
    case .earlyPadding: return text.prefix(1) + [0x3D] + text.dropFirst()
    }
  }

  private static func marked(_ text: [UInt8], _ random: inout ForgeRandom) -> [UInt8] {
    inserting([random.pick(Array("!*#.~,;:&$".utf8))], into: text, &random)
  }

  /// Returns `text` with `others` behind one of its characters, in front of the padding.
  private static func inserting(
    _ others: [UInt8], into text: [UInt8], _ random: inout ForgeRandom
  ) -> [UInt8] {
    let place = 1 + random.below(text.count - 3)
    return text[..<place] + others + text[place...]
  }

  private static func percentEncoded(_ text: [UInt8]) -> [UInt8] {
    var encoded = [UInt8]()
    for (place, character) in text.enumerated() {
      // The first character as well, since there may be none that must be encoded.
      if place == 0 || [0x2B, 0x2F, 0x3D].contains(character) {
        encoded += [0x25] + TextCode.upperHex.encode([character])
      } else {
        encoded.append(character)
      }
    }
    return encoded
  }

  private static func mixed(_ text: [UInt8]) -> [UInt8]? {
    guard let first = text.firstIndex(where: { $0 == 0x2B || $0 == 0x2F }),
      text[(first + 1)...].contains(where: { $0 == 0x2B || $0 == 0x2F })
    else { return nil }
    var mixed = text
    mixed[first] = text[first] == 0x2B ? 0x2D : 0x5F
    return mixed
  }

  private static func withSpareBits(_ text: [UInt8], _ left: Int) -> [UInt8] {
    var other = text
    let place = text.count - (left == 1 ? 3 : 2)
    other[place] = TextCode.next(after: text[place])
    return other
  }
}
