import AppAttest
package import AuditLog

/// A string that stands for another one.
package struct FoundWrapping: Equatable {
  package var pointer: Int
  package var form: SchemaWrapping.Form
  /// The pointer to the flag for wrapped strings, or nil if the string is always wrapped.
  package var flag: Int?

  /// Returns whether the strings of a line are wrapped so.
  func isOn(_ line: SampleLine) -> Bool {
    flag.map { line[$0].map(Self.isTrue) ?? false } ?? true
  }

  /// Returns whether a flag's value means that a string is wrapped.
  static func isTrue(_ value: SampleValue) -> Bool {
    (value.isText || value.kind == .boolean) && value.text.count <= 8
      && ["true", "1", "base64"].contains(value.string.lowercased())
  }
}

/// A search for strings that stand for others: base64 of JSON or bodies, percent code, quotes.
struct WrappingSearch {
  /// The texts of a pointer.
  private struct Texts {
    var (lines, percents, quoted) = (0, 0, 0)
    /// Whether they consist of characters that are never encoded, and of encoded characters.
    var areEncoded = true
    /// Whether they consist of characters that a URL may hold, and a token is in the encoded part.
    var areOfURLs = true
    var holdPercentTokens = false
    /// The number of those that hold JSON in base64.
    var documents = 0
    /// Whether one of these holds a token. Other documents are client data, read unchanged.
    var holdTokens = false
  }

  let sample: LogSample
  private let search = AuditLog.TokenSearch(AppAttestSniffer.tokenFront)

  init(sample: LogSample) { self.sample = sample }

  /// Returns the wrappings, by their pointers.
  func find() -> [FoundWrapping] {
    var texts: [Int: Texts] = [:]
    for value in sample.lines.lazy.flatMap(\.values)
    where value.kind == .string && !value.text.isEmpty {
      add(value.text, to: &texts[value.pointer, default: Texts()])
    }
    let flagged = flagged()
    for wrapping in flagged { texts[wrapping.pointer] = nil }
    return flagged
      + texts.sorted { $0.key < $1.key }.compactMap { pointer, texts in
        let arePercentEncoded =
          texts.percents > 0 && (texts.areEncoded || (texts.areOfURLs && texts.holdPercentTokens))
        let form: SchemaWrapping.Form? =
          texts.holdTokens && isBase64(pointer, texts)
          ? .base64
          : texts.quoted == texts.lines ? .json : arePercentEncoded ? .percent : nil
        return form.map { FoundWrapping(pointer: pointer, form: $0) }
      }
  }

  private func add(_ text: ArraySlice<UInt8>, to texts: inout Texts) {
    texts.lines += 1
    addPercents(text, to: &texts)
    if text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\""),
      let inner = ValueDecoder.unwrap(text, .json), Self.mayBeDocument(inner)
    {
      texts.quoted += 1
    }
    // The base64 of '{' and of '[' begins with these.
    guard text.count >= 8, text.first == UInt8(ascii: "e") || text.first == UInt8(ascii: "W"),
      let bytes = ValueDecoder.base64(text), Self.mayBeDocument(bytes[...]),
      JSONDocument().read(bytes[...]) != nil
    else { return }
    texts.documents += 1
    texts.holdTokens = texts.holdTokens || search.finds(bytes[...])
  }

  private func addPercents(_ text: ArraySlice<UInt8>, to texts: inout Texts) {
    guard texts.areOfURLs else { return }
    // Characters that nobody encodes, and those that some leave unencoded (RFC 3986, section 2).
    let (unreserved, reserved) = (Array("%-_.~!*'()".utf8), Array(":/?#[]@$&+,;=".utf8))
    texts.areEncoded = texts.areEncoded && Self.isPercentEncoded(text, besides: unreserved)
    texts.areOfURLs =
      texts.areEncoded || Self.isPercentEncoded(text, besides: unreserved + reserved)
    guard texts.areOfURLs, text.contains(UInt8(ascii: "%")) else { return }
    texts.percents += 1
    if !texts.areEncoded, !texts.holdPercentTokens {
      texts.holdPercentTokens = ValueDecoder.unwrap(text, .percent).map(search.finds) ?? false
    }
  }

  private static func mayBeDocument(_ text: ArraySlice<UInt8>) -> Bool {
    let first = text.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Returns whether a text consists of letters, digits, some signs, and encoded characters.
  private static func isPercentEncoded(
    _ text: ArraySlice<UInt8>, besides signs: [UInt8]
  ) -> Bool {
    text.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || signs.contains(byte)
    } && ValueDecoder.isPercentEncoded(text)
  }

  /// Returns whether the strings of a pointer are base64, and mostly of JSON.
  private func isBase64(_ pointer: Int, _ texts: Texts) -> Bool {
    if texts.documents * 100 >= texts.lines * 99 { return true }
    let all = sample.lines.count { Self.isBase64($0[pointer]?.text ?? []) }
    return all * 100 >= sample.lines.count * 99
  }

  private static func isBase64(_ text: ArraySlice<UInt8>) -> Bool {
    text.isEmpty || ValueDecoder.base64(text) != nil
  }

  /// Returns the wrappings of bodies that are base64 according to a flag beside them.
  private func flagged() -> [FoundWrapping] {
    let flags = sample.lines.counts { value in
      FoundWrapping.isTrue(value)
        && NameWords(sample.pointers.name(value.pointer)).contains(WordLists.encodingFlags)
    }
    return flags.keys.sorted().compactMap { flag in
      body(of: flag).map { FoundWrapping(pointer: $0, form: .base64, flag: flag) }
    }
  }

  /// Returns the string beside a flag that is base64 on all lines with that flag set.
  private func body(of flag: Int) -> Int? {
    let parent = sample.pointers.parent(flag)
    let lines = sample.lines.filter { $0[flag].map(FoundWrapping.isTrue) ?? false }
    return lines.counts { value in
      value.kind == .string && value.pointer != flag
        && sample.pointers.parent(value.pointer) == parent
        && NameWords(sample.pointers.name(value.pointer)).contains(WordLists.encodedBodies)
    }.filter { body, _ in
      lines.allSatisfy { line in
        line[body].map { $0.kind != .string || Self.isBase64($0.text) } ?? true
      }
    }.most?.pointer
  }
}
