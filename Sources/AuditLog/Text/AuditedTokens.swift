internal import Basics
internal import CSimdjson

/// The audited tokens of a line, without the tags before them, and the texts from which they were read (`records.R83`).
struct AuditedTokens {
  /// The most tokens whose texts are compared: of more, the bytes are.
  private static let mostTexts = 8

  private var room = ByteBuffer(capacity: 4096)
  /// The tokens, in the order of their bytes if they are sorted.
  private var tokens: [(text: Range<Int>, bytes: Range<Int>)] = []
  private var isSorted = true
  /// Whether what is in a copy can be another token, which another reading of its characters shows.
  private(set) var hideOthers = false

  var isEmpty: Bool { tokens.isEmpty }

  mutating func removeAll() {
    room.removeAll()
    tokens.removeAll(keepingCapacity: true)
    hideOthers = false
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ bytes: Span<UInt8>) {
    hideOthers =
      unsafe hideOthers
      || text.baseAddress.map { unsafe attest_has_further_names($0, text.count) != 0 } ?? false
    let text = unsafe room.append(copying: UnsafeRawBufferPointer(text))
    let bytes = room.append(bytes.extracting(CBORFront.tags(bytes)...))
    tokens.append((text, bytes))
    isSorted = tokens.count == 1
  }

  /// Returns the part of a token's text that lenient decoders read as these bytes (`records.R34`), with the padding after
  /// it.
  static func readPart(
    _ text: UnsafeBufferPointer<UInt8>, _ bytes: ArraySlice<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    var decoded = ByteBuffer(capacity: bytes.count)
    func read(_ length: Int, _ reading: Base64.Reading) -> ArraySlice<UInt8> {
      decoded.removeAll()
      let part = unsafe UnsafeBufferPointer(rebasing: text[..<length])
      _ = unsafe Base64.decodeLoosely(part, reading, dropsLeftOver: true, into: &decoded)
      return decoded.storage[..<decoded.count]
    }
    let reading = Base64.Reading.allCases.first { read(text.count, $0) == bytes }
    guard let reading else { return unsafe text }
    var end = (0..<text.count).searched { read($0, reading).count < bytes.count }
    let signs = ["=", "%3D", "%3d"]
    while let sign = signs.first(where: { unsafe text[end...].starts(with: $0.utf8) }) {
      end += sign.utf8.count
    }
    return unsafe UnsafeBufferPointer(rebasing: text[..<end])
  }

  var byteCount: Int { room.count }

  /// Returns whether a token contains bytes.
  func contain(_ bytes: ArraySlice<UInt8>) -> Bool {
    tokens.contains { room.storage[$0.bytes].contains(bytes) }
  }

  /// Returns whether a text is that from which an audited token was read.
  func hasText(_ text: ArraySlice<UInt8>) -> Bool {
    tokens.contains { !$0.text.isEmpty && room.storage[$0.text].elementsEqual(text) }
  }

  /// Returns the copy of the text of an audited token at a place, and that text, if its bytes are complete and all servers
  /// read the same in it.
  func copy(
    in text: UnsafeBufferPointer<UInt8>, at place: Int, _ escapes: KnownText.Escapes,
    _ isWhole: (ArraySlice<UInt8>) -> Bool
  ) -> (range: Range<Int>, text: Range<Int>)? {
    guard tokens.count <= Self.mostTexts, !hideOthers else { return nil }
    for token in tokens where !token.text.isEmpty && token.text.count <= text.count - place {
      let known = room.storage[token.text]
      let length = unsafe known.withUnsafeBufferPointer {
        unsafe KnownText.length(of: $0, in: text, at: place, escapes)
      }
      guard let length, Self.isPlain(known), isWhole(room.storage[token.bytes]) else { continue }
      return (place..<(place + length), token.text)
    }
    return nil
  }

  /// Returns whether a text has only characters that all servers read as the same, and padding.
  private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return text.dropLast(padding).allSatisfy {
      Base64.value($0) != nil && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_")
    }
  }

  /// Returns the number of first bytes that a candidate has in common with the audited token that it resembles most, and
  /// whether these are all of it.
  mutating func agreement(
    _ candidate: ArraySlice<UInt8>
  ) -> (count: Int, isWhole: Bool) {
    let held = room.storage
    if !isSorted {
      tokens.sort { held[$0.bytes].lexicographicallyPrecedes(held[$1.bytes]) }
      isSorted = true
    }
    // The tokens before it are less than the candidate.
    let low = tokens.indices.searched {
      held[tokens[$0].bytes].lexicographicallyPrecedes(candidate)
    }
    var best = (count: 0, isWhole: false)
    for token in tokens[max(0, low - 1)..<min(tokens.count, low + 1)] {
      let count = zip(held[token.bytes], candidate).prefix { $0.0 == $0.1 }.count
      if count > best.count { best = (count, count == token.bytes.count) }
    }
    return best
  }

  /// Returns the bytes of a token, or its text.
  subscript(_ token: Range<Int>) -> ArraySlice<UInt8> { room.storage[token] }
}
