import AppAttest

/// A search for the identifiers that lines carry beside their tokens.
enum IdentifierSearch {
  /// The length of the longest text of an identifier, in bytes.
  private static let textLimit = 128

  private static let requestNames = [
    "requestid", "reqid", "traceid", "correlationid", "rid", "rayid", "xrequestid",
  ]
  private static let subjectNames = [
    "user", "userid", "username", "subject", "subjectid", "sub", "account", "accountid", "customer",
    "customerid", "member", "memberid", "uid", "principal", "login", "email",
  ]

  /// Returns the field `requestId`, whose values are unique on nearly every line. It is a guess if
  /// its name is not that of a request identifier.
  ///
  /// - Parameter isClients: Returns whether a client writes the value at a pointer. Whoever replays
  ///   a request would replay its identifier, too.
  static func requestID(
    _ lines: [SampleLine], _ pointers: PointerTable, excluding: Set<Int>,
    isClients: (Int) -> Bool = { _ in false }
  ) -> FoundField? {
    let leastShare = 0.9
    let leastUnique = 0.8
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
    let found = texts.filter { pointer, text in
      lines.count >= 3 && Double(text.lines) >= Double(lines.count) * leastShare
        && Double(text.values.count) >= Double(text.lines) * leastUnique && !isClients(pointer)
    }
    func rank(_ pointer: Int) -> Int {
      NameWords(pointers.meaning(pointer)).ends(requestNames) ? 1 : 0
    }
    guard
      let (pointer, text) = found.max(by: {
        (rank($0.key), $0.value.lines, $1.key) < (rank($1.key), $1.value.lines, $0.key)
      })
    else { return nil }
    return FoundField(
      name: "requestId", form: .pointers([pointer]),
      what: "\(text.values.count) different texts", sureness: rank(pointer) > 0 ? .likely : .guess,
      lines: text.lines, of: lines.count)
  }

  /// Returns the field `subject`, whose values repeat with the key. It is a guess if its name is
  /// not that of a subject.
  ///
  /// - Parameter keys: The lines whose key is known, by their indexes.
  static func subject(
    _ keys: [Int: Digest256], _ sample: LogSample, excluding: Set<Int>
  ) -> FoundField? {
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
    var best: (field: FoundField, rank: Int)?
    for (pointer, byKey) in values.sorted(by: { $0.key < $1.key }) {
      let repeated = byKey.values.filter { $0.values.reduce(0, +) >= 2 }
      let constant = repeated.filter { $0.count == 1 }
      let texts = Set(byKey.values.flatMap(\.keys))
      guard !repeated.isEmpty,
        Double(constant.count) >= Double(repeated.count) * leastConstant,
        texts.count >= max(2, byKey.count / 4)
      else { continue }
      let rank = NameWords(sample.pointers.meaning(pointer)).isOne(subjectNames) ? 1 : 0
      let lines = byKey.values.reduce(0) { $0 + $1.values.reduce(0, +) }
      if let best, (rank, lines) <= (best.rank, best.field.lines) { continue }
      best = (
        FoundField(
          name: "subject", form: .pointers([pointer]),
          what: "the same on \(constant.count) of \(repeated.count) keys",
          sureness: rank > 0 ? .likely : .guess, lines: lines, of: keys.count), rank
      )
    }
    return best?.field
  }
}
