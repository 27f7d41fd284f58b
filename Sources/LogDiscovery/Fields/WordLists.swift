import AuditLog

/// The words by which names (lower case letters) and values are recognised: `Words/words.txt`.
@dynamicMemberLookup
enum WordLists {
  private static let lists: [String: [String]] = {
    var lists: [String: [String]] = [:]
    var name = ""
    let text = String(decoding: PackageResources.words_txt, as: UTF8.self)
    for word in text.split(separator: "\n").lazy.filter({ !$0.hasPrefix("#") })
      .flatMap({ $0.split(separator: " ") })
    {
      if word.hasSuffix(":") {
        name = String(word.dropLast())
      } else {
        lists[name, default: []].append(String(word))
      }
    }
    return lists
  }()

  static subscript(dynamicMember name: String) -> [String] {
    guard let list = lists[name] else { preconditionFailure("no list of words is called \(name)") }
    return list
  }

  static let decisionWords = ["unknown", "accepted", "rejected"].map {
    (decision: $0, words: WordLists[dynamicMember: $0])
  }
  static let unitsOfDurations = WordLists.durations.compactMap { text in
    let parts = text.split(separator: "=").map(String.init)
    return TimeUnit(rawValue: parts[1]).map { (name: parts[0], unit: $0) }
  }
}

struct NameWords {
  private let letters: String

  init(_ name: String) {
    letters = String(
      decoding: name.utf8.map { $0 | 0x20 }.filter { (0x61...0x7A).contains($0) }, as: UTF8.self)
  }

  func contains(_ words: [String]) -> Bool { words.contains { letters.contains($0) } }
  func ends(_ words: [String]) -> Bool { words.contains { letters.hasSuffix($0) } }
  func isOne(_ words: [String]) -> Bool { words.contains(letters) }
}

/// The methods of HTTP requests that logs have (RFC 9110, section 9; RFC 5789).
enum RequestMethod {
  static let names: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
  static let texts = Set(names.map { Array($0.utf8)[...] })
}
