/// Steps through JSON text (RFC 8259) value by value, without recursion of its own; what is left of a
/// text that is no JSON is never looked at.
struct JSONScanner {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
    skipSpace()
  }

  /// The byte at hand; 0, which begins nothing, at the end.
  var peek: UInt8 { position < bytes.endIndex ? bytes[position] : 0 }

  var isAtEnd: Bool { position >= bytes.endIndex }

  /// Passes over the byte at hand and the white space behind it.
  mutating func pass() {
    position += 1
    skipSpace()
  }

  /// Passes over `byte` where it is the one at hand.
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte, !isAtEnd else { return false }
    pass()
    return true
  }

  /// The text from `start` on that has been passed, without white space at its end.
  func slice(from start: Int) -> ArraySlice<UInt8> {
    var end = position
    while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
    return bytes[start..<end]
  }

  /// Reads a string: its UTF-8, escapes decoded; nil where there is none.
  mutating func readString() -> ArraySlice<UInt8>? {
    guard peek == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    var at = start
    var hasEscapes = false
    while at < bytes.endIndex, bytes[at] != UInt8(ascii: "\"") {
      guard bytes[at] >= 0x20 else { return nil }
      if bytes[at] == UInt8(ascii: "\\") {
        hasEscapes = true
        at += 1
      }
      at += 1
    }
    guard at < bytes.endIndex else { return nil }
    let text = bytes[start..<at]
    position = at
    pass()
    return hasEscapes ? JSONEscapes.decode(text) : text
  }

  /// Reads a number, `true`, `false` or `null`.
  mutating func readWord() -> (kind: SampleValue.Kind, text: ArraySlice<UInt8>)? {
    let start = position
    var at = start
    while at < bytes.endIndex, !Self.isSpace(bytes[at]),
      ![0x2C, 0x5D, 0x7D, 0x3A, 0x22, 0x5B, 0x7B].contains(bytes[at])
    {
      at += 1
    }
    let text = bytes[start..<at]
    position = at
    skipSpace()
    switch text.first {
    case UInt8(ascii: "t") where text.elementsEqual("true".utf8): return (.boolean, text)
    case UInt8(ascii: "f") where text.elementsEqual("false".utf8): return (.boolean, text)
    case UInt8(ascii: "n") where text.elementsEqual("null".utf8): return (.null, [])
    case UInt8(ascii: "-"), .some(0x30...0x39):
      return text.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        ? (.number, text) : nil
    default: return nil
    }
  }

  /// Passes over one value, however deep it nests.
  mutating func skip() -> Bool {
    var depth = 0
    repeat {
      switch peek {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        pass()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return false }
        depth -= 1
        pass()
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { return false }
        pass()
      case UInt8(ascii: "\""):
        guard skipString() else { return false }
      default:
        guard readWord() != nil else { return false }
      }
    } while depth > 0
    return true
  }

  private mutating func skipString() -> Bool {
    var at = position + 1
    while at < bytes.endIndex, bytes[at] != UInt8(ascii: "\"") {
      at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard at < bytes.endIndex else { return false }
    position = at
    pass()
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.endIndex, Self.isSpace(bytes[position]) { position += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

/// The escapes of JSON strings.
enum JSONEscapes {
  /// The UTF-8 of a string's content; nil where an escape is none, or half of a surrogate pair.
  static func decode(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    var at = text.startIndex
    while at < text.endIndex {
      guard text[at] == UInt8(ascii: "\\") else {
        out.append(text[at])
        at += 1
        continue
      }
      guard at + 1 < text.endIndex else { return nil }
      let escape = text[at + 1]
      at += 2
      if escape == UInt8(ascii: "u") {
        guard let scalar = scalar(text, &at) else { return nil }
        out += Array(String(Character(scalar)).utf8)
      } else {
        guard let byte = simple[escape] else { return nil }
        out.append(byte)
      }
    }
    return out[...]
  }

  private static let simple: [UInt8: UInt8] = [
    0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
  ]

  /// The scalar whose digits begin at `at`, with a second escape where it takes two.
  private static func scalar(_ text: ArraySlice<UInt8>, _ at: inout Int) -> Unicode.Scalar? {
    guard let first = unit(text, &at) else { return nil }
    guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
    guard at + 1 < text.endIndex, text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "u")
    else { return nil }
    at += 2
    guard let second = unit(text, &at), (0xDC00..<0xE000).contains(second) else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private static func unit(_ text: ArraySlice<UInt8>, _ at: inout Int) -> UInt32? {
    guard text.endIndex - at >= 4 else { return nil }
    let digits = text[at..<(at + 4)]
    guard digits.allSatisfy({ UInt8(ascii: "0") <= $0 && $0 != UInt8(ascii: "+") }) else {
      return nil
    }
    at += 4
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
