import AppAttest
package import AuditLog

/// A string that stands for another one.
package struct FoundWrapping: Equatable {
  package var pointer: Int
  package var form: SchemaWrapping.Form
  /// The pointer to the flag for wrapped strings, or nil if the string is always wrapped.
  package var flag: Int?

  func isOn(_ line: SampleLine) -> Bool { flag.map { line[$0].map(Self.isTrue) ?? false } ?? true }

  /// Returns whether a flag's value means that a string is wrapped.
  static func isTrue(_ value: SampleValue) -> Bool {
    (value.isText || value.kind == .boolean) && value.text.count <= 8
      && ["true", "1", "base64"].contains(value.string.lowercased())
  }
}

/// A search for strings that stand for others: base64 of JSON or bodies, percent code, quotes.
struct WrappingSearch {
  let sample: LogSample
  private let search = AuditLog.TokenSearch(AppAttestSniffer.tokenFront)

  init(sample: LogSample) { self.sample = sample }

  func find() -> [FoundWrapping] {
    let flagged = flagged()
    let texts = sample.collect(sample.lines.indices, at: \.self) { _, value in
      value.kind == .string && !value.text.isEmpty ? value.text : nil
    }
    return flagged
      + texts.sorted { $0.key < $1.key }.compactMap { pointer, texts in
        guard !flagged.contains(where: { $0.pointer == pointer }) else { return nil }
        return form(of: texts, at: pointer).map { FoundWrapping(pointer: pointer, form: $0) }
      }
  }

  /// Returns the form in which the texts of a pointer are wrapped, or nil if they are not.
  private func form(of texts: [ArraySlice<UInt8>], at pointer: Int) -> SchemaWrapping.Form? {
    let documents = texts.compactMap(Self.document)
    // Documents without a token are client data, read unchanged.
    if documents.contains(where: search.finds),
      documents.count * 100 >= texts.count * 99 || isBase64(pointer)
    {
      return .base64
    }
    if texts.allSatisfy(Self.isQuoted) { return .json }
    // Characters that nobody encodes, and those that some leave unencoded (RFC 3986, section 2).
    let (unreserved, reserved) = (Array("%-_.~!*'()".utf8), Array(":/?#[]@$&+,;=".utf8))
    func areEncoded(besides signs: [UInt8]) -> Bool {
      texts.allSatisfy { Self.isPercentEncoded($0, besides: signs) }
    }
    let encoded = texts.filter { $0.contains(UInt8(ascii: "%")) }
    guard !encoded.isEmpty, areEncoded(besides: unreserved + reserved) else { return nil }
    let isWrapped =
      areEncoded(besides: unreserved)
      || encoded.contains { ValueDecoder.unwrap($0, .percent).map(search.finds) ?? false }
    return isWrapped ? .percent : nil
  }

  /// Returns the JSON in a text of base64, or nil if there is none.
  private static func document(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    // The base64 of '{' and of '[' begins with these.
    guard text.count >= 8, text.first == UInt8(ascii: "e") || text.first == UInt8(ascii: "W"),
      let bytes = ValueDecoder.base64(text), mayBeDocument(bytes[...]),
      JSONDocument().read(bytes[...]) != nil
    else { return nil }
    return bytes[...]
  }

  private static func isQuoted(_ text: ArraySlice<UInt8>) -> Bool {
    text.first == UInt8(ascii: "\"") && text.last == UInt8(ascii: "\"")
      && ValueDecoder.unwrap(text, .json).map(mayBeDocument) ?? false
  }

  private static func mayBeDocument(_ text: ArraySlice<UInt8>) -> Bool {
    let first = text.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Returns whether a text consists of letters, digits, some signs, and encoded characters.
  private static func isPercentEncoded(_ text: ArraySlice<UInt8>, besides signs: [UInt8]) -> Bool {
    text.allSatisfy { $0.isLetterOrDigit || signs.contains($0) }
      && ValueDecoder.isPercentEncoded(text)
  }

  private func isBase64(_ pointer: Int) -> Bool {
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
