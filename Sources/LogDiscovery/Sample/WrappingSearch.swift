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
    guard let flag else { return true }
    return line[flag].map(Self.isTrue) ?? false
  }

  /// Returns whether a flag's value means that a string is wrapped.
  static func isTrue(_ value: SampleValue) -> Bool {
    guard value.isText || value.kind == .boolean, value.text.count <= 8 else { return false }
    return ["true", "1", "base64"].contains(value.string.lowercased())
  }
}

/// A search for strings that stand for others: whole fields in base64 that hold JSON, bodies in
/// base64 with a flag, percent encoding, strings in quotes of their own.
struct WrappingSearch {
  private struct Counts {
    var lines = 0
    var percents = 0
    /// Whether the texts consist of characters that are never encoded, and of encoded
    /// characters.
    var areEncoded = true
    /// Whether the texts consist of characters that a URL may hold, and a token is in the
    /// encoded part.
    var areOfURLs = true
    var holdPercentTokens = false
    var quoted = 0
    var base64 = 0
    /// The indexes of those that hold JSON.
    var documents: [Int] = []
    /// Whether one of these holds a token. Other documents are client data, which are read
    /// unchanged.
    var holdTokens = false
  }

  /// The share of the lines on which a wrapping without a flag has to occur, in percent.
  private static let leastPercent = 99
  /// The length of the longest text that is examined, in bytes.
  private static let longest = 1 << 20

  let sample: LogSample
  private let search = AuditLog.TokenSearch(AppAttestSniffer.tokenLength)

  init(sample: LogSample) { self.sample = sample }

  /// Returns the wrappings, by their pointers.
  func find() -> [FoundWrapping] {
    var counts: [Int: Counts] = [:]
    for (index, line) in sample.lines.enumerated() {
      for value in line.values where value.kind == .string && !value.text.isEmpty {
        count(value, index, &counts[value.pointer, default: Counts()])
      }
    }
    var found = flagged()
    for (pointer, counts) in counts.sorted(by: { $0.key < $1.key })
    where !found.contains(where: { $0.pointer == pointer }) {
      if counts.holdTokens, let wrapping = base64(pointer, counts) {
        found.append(wrapping)
      } else if counts.quoted == counts.lines {
        found.append(FoundWrapping(pointer: pointer, form: .json))
      } else if counts.percents > 0,
        counts.areEncoded || (counts.areOfURLs && counts.holdPercentTokens)
      {
        found.append(FoundWrapping(pointer: pointer, form: .percent))
      }
    }
    return found
  }

  private func count(_ value: SampleValue, _ line: Int, _ counts: inout Counts) {
    let text = value.text
    counts.lines += 1
    guard text.count <= Self.longest else {
      counts.areEncoded = false
      counts.areOfURLs = false
      return
    }
    countPercents(text, &counts)
    if text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\""),
      let inner = ValueDecoder.unwrap(text, .json), Self.mayBeDocument(inner)
    {
      counts.quoted += 1
    }
    // The base64 of '{' and of '[' begins with these.
    guard text.count >= 8, text.first == UInt8(ascii: "e") || text.first == UInt8(ascii: "W"),
      let bytes = ValueDecoder.base64(text)
    else { return }
    counts.base64 += 1
    if Self.mayBeDocument(bytes[...]), JSONDocument().read(bytes[...]) != nil {
      counts.documents.append(line)
      counts.holdTokens = counts.holdTokens || search.finds(bytes[...])
    }
  }

  private func countPercents(_ text: ArraySlice<UInt8>, _ counts: inout Counts) {
    guard counts.areOfURLs else { return }
    counts.areEncoded = counts.areEncoded && Self.isPercentEncoded(text, besides: Self.unreserved)
    counts.areOfURLs =
      counts.areEncoded || Self.isPercentEncoded(text, besides: Self.unreserved + Self.reserved)
    guard counts.areOfURLs, text.contains(UInt8(ascii: "%")) else { return }
    counts.percents += 1
    if !counts.areEncoded, !counts.holdPercentTokens,
      let plain = ValueDecoder.unwrap(text, .percent)
    {
      counts.holdPercentTokens = search.finds(plain)
    }
  }

  /// Characters that nobody encodes, and those that some leave unencoded (RFC 3986, section 2).
  private static let unreserved = Array("-_.~!*'()".utf8)
  private static let reserved = Array(":/?#[]@$&+,;=".utf8)

  private static func mayBeDocument(_ text: ArraySlice<UInt8>) -> Bool {
    let first = text.first { $0 > 0x20 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Returns whether a text consists of letters, digits, some signs, and encoded characters.
  private static func isPercentEncoded(
    _ text: ArraySlice<UInt8>, besides signs: [UInt8]
  ) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard ValueDecoder.hex(rest.prefix(2))?.count == 1 else { return false }
        rest = rest.dropFirst(2)
        continue
      }
      let isPlain =
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || signs.contains(byte)
      guard isPlain else { return false }
    }
    return true
  }

  /// Returns a wrapping without a flag for strings that hold JSON in base64, or nil if too few
  /// strings are base64.
  private func base64(_ pointer: Int, _ counts: Counts) -> FoundWrapping? {
    if counts.documents.count * 100 >= counts.lines * Self.leastPercent {
      return FoundWrapping(pointer: pointer, form: .base64)
    }
    let all = sample.lines.count { line in
      guard let text = line[pointer]?.text, !text.isEmpty else { return true }
      return ValueDecoder.base64(text) != nil
    }
    return all * 100 >= sample.lines.count * Self.leastPercent
      ? FoundWrapping(pointer: pointer, form: .base64) : nil
  }

  /// Returns the wrappings of bodies that are base64 according to a flag beside them.
  private func flagged() -> [FoundWrapping] {
    var flags: [Int: Set<Bool>] = [:]
    for line in sample.lines {
      for value in line.values {
        let words = NameWords(sample.pointers.name(value.pointer))
        guard words.contains(WordLists.encodingFlags), value.kind != .object,
          value.kind != .array
        else { continue }
        flags[value.pointer, default: []].insert(FoundWrapping.isTrue(value))
      }
    }
    return flags.filter { $0.value.contains(true) }.keys.sorted().compactMap { flag in
      body(of: flag).map { FoundWrapping(pointer: $0, form: .base64, flag: flag) }
    }
  }

  /// Returns the string beside a flag that is base64 on all lines with that flag set.
  private func body(of flag: Int) -> Int? {
    let parent = sample.pointers.parent(flag)
    let lines = sample.lines.filter { $0[flag].map(FoundWrapping.isTrue) ?? false }
    var held: [Int: Int] = [:]
    for line in lines {
      for value in line.values
      where value.kind == .string && sample.pointers.parent(value.pointer) == parent
        && value.pointer != flag
        && NameWords(sample.pointers.name(value.pointer)).contains(WordLists.encodedBodies)
      {
        let isBase64 = value.text.isEmpty || ValueDecoder.base64(value.text) != nil
        held[value.pointer, default: 0] += isBase64 ? 1 : -lines.count
      }
    }
    return held.filter { $0.value > 0 }.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }
}
