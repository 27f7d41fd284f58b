internal import CSimdjson

extension ValueTable {
  /// The decisions that HTTP statuses stand for (`records.R94`).
  package static let ofStatuses = ValueTable(
    [Entry("2xx", "accepted"), Entry("304", "accepted")]
      + [307, 308, 400, 401, 403, 404, 405, 409, 410, 422, 429, 503].map {
        Entry(String($0), "rejected")
      }, otherwise: "unknown")
}

/// A value table in the form that values are looked up in.
@safe struct ValueWords {
  enum Meaning {
    case word(Int)
    /// The same as if there were no value.
    case nothing
    case unlisted
  }

  private let values: TextPool
  private let words: TextPool
  private let isUnknown: [Bool]
  /// The index of the word for `1xx` to `5xx`, or -1 for none.
  private let classes: [Int]
  /// The index of the word for all others, or -1 for none.
  private let otherwise: Int

  init(_ table: ValueTable) {
    let entries = table.entries
    var texts: [String] = []
    var exactWords: [String] = []
    for entry in entries where Self.numberClass(entry.value) == nil {
      texts.append(entry.value)
      exactWords.append(entry.word)
    }
    var allWords = exactWords
    var classes = [Int](repeating: -1, count: 6)
    for entry in entries {
      guard let number = Self.numberClass(entry.value) else { continue }
      classes[number] = allWords.count
      allWords.append(entry.word)
    }
    if let word = table.otherwise {
      otherwise = allWords.count
      allWords.append(word)
    } else {
      otherwise = -1
    }
    self.classes = classes
    values = TextPool(texts)
    words = TextPool(allWords)
    isUnknown = allWords.map { $0 == "unknown" }
  }

  /// Returns the class of `1xx` to `5xx`.
  static func numberClass(_ key: String) -> Int? {
    guard key.utf8.count == 3, key.hasSuffix("xx"), let first = key.utf8.first,
      (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(first)
    else { return nil }
    return Int(first - UInt8(ascii: "0"))
  }

  func meaning(of text: attest_json_value) -> Meaning {
    var found = unsafe values.index(of: text) ?? -1
    if found < 0 { found = unsafe classWord(attest_json_whole(text)) }
    if found < 0, let status = unsafe Self.status(text) {
      found = unsafe values.index(of: status) ?? classWord(status)
    }
    if found < 0 { found = otherwise }
    if found < 0 { return .unlisted }
    return isUnknown[found] ? .nothing : .word(found)
  }

  subscript(word: Int) -> attest_json_value { unsafe words[word] }

  /// Returns the status that words follow, as in `401 Unauthorized`, or nil.
  private static func status(_ text: attest_json_value) -> attest_json_value? {
    guard unsafe text.length > 4, let bytes = unsafe text.bytes,
      (0..<3).allSatisfy({ unsafe bytes[$0] &- UInt8(ascii: "0") <= 9 }),
      unsafe bytes[3] == UInt8(ascii: " ")
    else { return nil }
    return unsafe attest_json_value(bytes: bytes, length: 3)
  }

  private func classWord(_ text: attest_json_value) -> Int {
    guard unsafe text.length == 3, let bytes = unsafe text.bytes else { return -1 }
    let number = unsafe bytes[0] &- UInt8(ascii: "0")
    guard number >= 1, number <= 5, unsafe bytes[1] &- UInt8(ascii: "0") <= 9,
      unsafe bytes[2] &- UInt8(ascii: "0") <= 9
    else { return -1 }
    return classes[Int(number)]
  }
}
