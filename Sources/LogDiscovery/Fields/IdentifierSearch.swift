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
    var places: [Int: [ArraySlice<UInt8>]] = [:]
    for value in lines.lazy.flatMap(\.values)
    where value.isText && (6...textLimit).contains(value.text.count)
      && !excluding.contains(value.pointer)
    {
      places[value.pointer, default: []].append(value.text)
    }
    var seen: Set<Set<ArraySlice<UInt8>>> = []
    return FieldNote.ranked(
      places.sorted { $0.key < $1.key }.compactMap { pointer, texts in
        let different = Set(texts)
        guard Double(texts.count) >= Double(lines.count) * leastShare,
          Double(different.count) >= Double(texts.count) * leastUnique, !isClients(pointer),
          // A copy is not another candidate.
          seen.insert(different).inserted
        else { return nil }
        let isNamed = pointers.meaning(pointer).ends(WordLists.requestIDs)
        let note = FieldNote(
          .requestId, pointers.mapping(pointer), "\(different.count) different texts",
          isNamed ? .likely : .guess, on: texts.count, of: lines.count)
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
        && !excluding.contains(value.pointer) && values[value.pointer]?[key]?.count ?? 0 <= 4
      {
        values[value.pointer, default: [:]][key, default: [:]][value.text, default: 0] += 1
      }
    }
    var seen: Set<[Digest256: Set<ArraySlice<UInt8>>]> = []
    return FieldNote.ranked(
      values.sorted { $0.key < $1.key }.compactMap { pointer, byKey in
        let repeated = byKey.values.filter { $0.values.reduce(0, +) >= 2 }
        let constant = repeated.count { $0.count == 1 }
        guard !repeated.isEmpty,
          Double(constant) >= Double(repeated.count) * leastConstant,
          Set(byKey.values.flatMap(\.keys)).count >= max(2, byKey.count / 4),
          seen.insert(byKey.mapValues { Set($0.keys) }).inserted
        else { return nil }
        let isNamed = sample.pointers.meaning(pointer).isOne(WordLists.subjects)
        let lines = byKey.values.reduce(0) { $0 + $1.values.reduce(0, +) }
        let note = FieldNote(
          .subject, sample.pointers.mapping(pointer),
          "the same on \(constant) of \(repeated.count) keys", isNamed ? .likely : .guess,
          on: lines, of: keys.count)
        return (note, isNamed ? 1 : Double(lines) / 1e9 - Double(pointer) / 1e12)
      })
  }

  /// Returns the fields `platform` and `format` of lines with tokens, as far as they are present on
  /// at least half of them.
  static func platforms(_ lines: [SampleLine], _ pointers: PointerTable) -> [FieldNote] {
    [(LogField.platform, "ios"), (.format, "apple-app-attest")].compactMap { field, word in
      let found = lines.counts { value in
        value.kind == .string && value.text.count == word.utf8.count
          && value.string.lowercased() == word
      }.most
      guard let (pointer, count) = found, count * 2 >= lines.count else { return nil }
      return FieldNote(
        field, pointers.mapping(pointer), "'\(word)' on lines with tokens", .likely, on: count,
        of: lines.count)
    }
  }

  /// Returns the pointer of DeviceCheck tokens and the lines that have one, or nil if there are
  /// none: long base64 that holds no CBOR map, under a name for such tokens.
  static func deviceTokens(
    _ sample: LogSample, excluding: Set<Int>
  ) -> (pointer: Int, lines: [Int])? {
    // A push token has 32.
    let shortest = 33
    func isToken(_ value: SampleValue) -> Bool {
      guard value.kind == .string, value.text.count > shortest,
        sample.pointers.meaning(value.pointer).ends(WordLists.deviceTokens),
        let bytes = ValueDecoder.base64(value.text)
      else { return false }
      return bytes.count >= shortest && bytes[0] >> 5 != 5
    }
    let others = sample.lines.indices.filter { !excluding.contains($0) }
    return others.lazy.map { sample.lines[$0] }.counts(where: isToken).most.map { pointer, _ in
      (pointer, others.filter { sample.lines[$0][pointer].map(isToken) ?? false })
    }
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
    var agreeing: [Int: [UInt32]] = [:]
    for token in tokens {
      guard let counter = token.assertion?.assertion.counter else { continue }
      for value in sample.lines[token.line].values
      where value.isText && value.text.allSatisfy({ (0x30...0x39).contains($0) }) {
        guard value.text.count <= 10, let number = UInt32(value.string) else { continue }
        present[value.pointer, default: 0] += 1
        if number &+ 1 == counter, counter > 0 {
          agreeing[value.pointer, default: []].append(number)
        }
      }
    }
    let found = agreeing.filter { pointer, numbers in
      !isClients(pointer) && numbers.count >= leastLines && Set(numbers).count >= 2
        && Double(numbers.count) >= Double(present[pointer] ?? 0) * leastShare
    }
    return found.mapValues(\.count).most.map { pointer, count in
      FieldNote(
        .serverCounter, sample.pointers.mapping(pointer), "one below the assertion's counter",
        on: count, of: present[pointer] ?? count)
    }
  }
}
