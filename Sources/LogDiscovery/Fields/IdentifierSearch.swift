import AppAttest
import AuditLog

/// A search for the identifiers and other values that lines carry beside their tokens.
enum IdentifierSearch {
  /// The length of the longest text of an identifier, in bytes.
  private static let textLimit = 128

  /// Returns the candidates for the field `requestId`, whose values are unique on nearly every line.
  /// Each is a guess if its name is not that of a request identifier.
  ///
  /// - Parameter isClients: Returns whether a client writes the value at a pointer. Whoever replays
  ///   a request would replay its identifier, too.
  static func requestID(
    _ lines: [SampleLine], _ pointers: PointerTable, excluding: Set<Int>,
    isClients: (Int) -> Bool = { _ in false }
  ) -> [FieldNote] {
    let (leastShare, leastUnique) = (0.9, 0.8)
    guard lines.count >= 3 else { return [] }
    var texts: [Int: (lines: Int, values: Set<ArraySlice<UInt8>>)] = [:]
    for line in lines {
      for value in line.values
      where value.isText && (6...textLimit).contains(value.text.count)
        && !excluding.contains(value.pointer)
      {
        texts[value.pointer, default: (0, [])].lines += 1
        texts[value.pointer, default: (0, [])].values.insert(value.text)
      }
    }
    var seen: Set<Set<ArraySlice<UInt8>>> = []
    let found = texts.sorted { $0.key < $1.key }.filter { pointer, text in
      Double(text.lines) >= Double(lines.count) * leastShare
        && Double(text.values.count) >= Double(text.lines) * leastUnique && !isClients(pointer)
        // A copy is not another candidate.
        && seen.insert(text.values).inserted
    }
    return FieldNote.ranked(
      found.map { pointer, text in
        let isNamed = NameWords(pointers.meaning(pointer)).ends(WordLists.requestIDs)
        let note = FieldNote(
          field: .requestId, mapping: FieldMapping(.pointers([pointers.pointer(pointer)])),
          what: "\(text.values.count) different texts", sureness: isNamed ? .likely : .guess,
          lines: text.lines, of: lines.count)
        return (note, isNamed ? 1 : -Double(pointer) / 1e6)
      })
  }

  /// Returns the candidates for the field `subject`, whose values repeat with the key. Each is a
  /// guess if its name is not that of a subject.
  ///
  /// - Parameter keys: The lines whose key is known, by their indexes.
  static func subject(
    _ keys: [Int: Digest256], _ sample: LogSample, excluding: Set<Int>
  ) -> [FieldNote] {
    let leastConstant = 0.8
    var values: [Int: [Digest256: [ArraySlice<UInt8>: Int]]] = [:]
    for (index, key) in keys.sorted(by: { $0.key < $1.key }) {
      for value in sample.lines[index].values
      where value.isText && (1...textLimit).contains(value.text.count)
        && !excluding.contains(value.pointer)
      {
        if values[value.pointer]?[key]?.count ?? 0 <= 4 {
          values[value.pointer, default: [:]][key, default: [:]][value.text, default: 0] += 1
        }
      }
    }
    var seen: Set<[Digest256: Set<ArraySlice<UInt8>>]> = []
    return FieldNote.ranked(
      values.sorted { $0.key < $1.key }.compactMap { pointer, byKey in
        let repeated = byKey.values.filter { $0.values.reduce(0, +) >= 2 }
        let constant = repeated.filter { $0.count == 1 }
        guard !repeated.isEmpty,
          Double(constant.count) >= Double(repeated.count) * leastConstant,
          Set(byKey.values.flatMap(\.keys)).count >= max(2, byKey.count / 4),
          seen.insert(byKey.mapValues { Set($0.keys) }).inserted
        else { return nil }
        let isNamed = NameWords(sample.pointers.meaning(pointer)).isOne(WordLists.subjects)
        let lines = byKey.values.reduce(0) { $0 + $1.values.reduce(0, +) }
        let note = FieldNote(
          field: .subject, mapping: FieldMapping(.pointers([sample.pointers.pointer(pointer)])),
          what: "the same on \(constant.count) of \(repeated.count) keys",
          sureness: isNamed ? .likely : .guess, lines: lines, of: keys.count)
        return (note, isNamed ? 1 : Double(lines) / 1e9 - Double(pointer) / 1e12)
      })
  }

  /// Returns the fields `platform` and `format` of lines with tokens, as far as they are present on
  /// at least half of them.
  static func platforms(_ lines: [SampleLine], _ pointers: PointerTable) -> [FieldNote] {
    [(LogField.platform, "ios"), (.format, "apple-app-attest")].compactMap { field, word in
      var counts: [Int: Int] = [:]
      for line in lines {
        for value in line.values
        where value.kind == .string && value.text.count == word.utf8.count
          && value.string.lowercased() == word
        {
          counts[value.pointer, default: 0] += 1
        }
      }
      guard let (pointer, count) = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
        count * 2 >= lines.count
      else { return nil }
      return FieldNote(
        field: field, mapping: FieldMapping(.pointers([pointers.pointer(pointer)])),
        what: "'\(word)' on lines with tokens", sureness: .likely, lines: count, of: lines.count)
    }
  }

  /// Returns the pointer of DeviceCheck tokens and the lines that have one, or nil if there are
  /// none: long base64 that holds no CBOR map, under a name for such tokens.
  static func deviceTokens(
    _ sample: LogSample, excluding: Set<Int>
  ) -> (pointer: Int, lines: [Int])? {
    // A push token has 32.
    let shortest = 33
    var found: [Int: [Int]] = [:]
    for (index, line) in sample.lines.enumerated() where !excluding.contains(index) {
      for value in line.values where value.kind == .string {
        guard value.text.count > shortest,
          NameWords(sample.pointers.meaning(value.pointer)).ends(WordLists.deviceTokens),
          let bytes = ValueDecoder.base64(value.text), bytes.count >= shortest, bytes[0] >> 5 != 5
        else { continue }
        found[value.pointer, default: []].append(index)
      }
    }
    return found.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
      .map { ($0.key, $0.value) }
  }

  /// Returns the field `serverCounter` of assertions, or nil if no pointer holds one: an integer one
  /// step behind the counter of the assertion.
  ///
  /// - Parameter isClients: Returns whether a client writes the value at a pointer.
  static func serverCounter(
    _ tokens: [FoundToken], _ sample: LogSample, isClients: (Int) -> Bool
  ) -> FieldNote? {
    let (leastLines, leastShare) = (3, 0.7)
    var present: [Int: Int] = [:]
    var agreeing: [Int: Int] = [:]
    var different: [Int: Set<UInt32>] = [:]
    for token in tokens {
      guard let counter = token.assertion?.assertion.counter else { continue }
      for value in sample.lines[token.line].values where value.isText && value.text.count <= 10 {
        guard value.text.allSatisfy({ (0x30...0x39).contains($0) }),
          let number = UInt32(value.string)
        else { continue }
        present[value.pointer, default: 0] += 1
        if number &+ 1 == counter, counter > 0 {
          agreeing[value.pointer, default: 0] += 1
          different[value.pointer, default: []].insert(number)
        }
      }
    }
    let found = agreeing.filter { pointer, count in
      !isClients(pointer) && count >= leastLines && (different[pointer]?.count ?? 0) >= 2
        && Double(count) >= Double(present[pointer] ?? 0) * leastShare
    }
    return found.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { pointer, count in
      FieldNote(
        field: .serverCounter, mapping: FieldMapping(.pointers([sample.pointers.pointer(pointer)])),
        what: "one below the assertion's counter", sureness: .certain, lines: count,
        of: present[pointer] ?? count)
    }
  }
}
