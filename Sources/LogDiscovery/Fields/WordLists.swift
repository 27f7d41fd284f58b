import AuditLog

/// The words by which names (by their letters, in lower case) and values are recognised: the lists
/// of `Words/words.txt`, which explains them.
enum WordLists {
  private static let lists: [Substring: [String]] = {
    var lists: [Substring: [String]] = [:]
    var name: Substring = ""
    let text = String(decoding: PackageResources.words_txt, as: UTF8.self)
    for word in text.split(separator: "\n").lazy.filter({ !$0.hasPrefix("#") })
      .flatMap({ $0.split(separator: " ") })
    {
      if word.hasSuffix(":") {
        name = word.dropLast()
      } else {
        lists[name, default: []].append(String(word))
      }
    }
    return lists
  }()

  private static func list(_ name: Substring) -> [String] {
    guard let list = lists[name] else { preconditionFailure("no list of words is called \(name)") }
    return list
  }

  static let decisionWords = ["unknown", "accepted", "rejected"].map {
    (decision: String($0), words: list($0))
  }
  static let flags = (accepted: list("acceptedFlags"), rejected: list("rejectedFlags"))
  static let durations = list("durations").compactMap { text in
    let parts = text.split(separator: "=").map(String.init)
    return TimeUnit(rawValue: parts[1]).map { (name: parts[0], unit: $0) }
  }
  static let decisions = list("decisions")
  static let flagBeginnings = [""] + list("flagBeginnings")
  static let statusParents = list("statusParents")
  static let flagParents = list("flagParents")
  static let attestations = list("attestations")
  static let times = list("times")
  static let timeWords = list("timeWords")
  static let shortTimes = list("shortTimes")
  static let foreignTimes = list("foreignTimes")
  static let requestIDs = list("requestIDs")
  static let subjects = list("subjects")
  static let keys = list("keys")
  static let deviceTokens = list("deviceTokens")
  static let challenges = list("challenges")
  static let bodies = list("bodies")
  static let kinds = list("kinds")
  static let clientIPs = list("clientIPs")
  static let otherAddresses = list("otherAddresses")
  static let userAgents = list("userAgents")
  static let routes = list("routes")
  static let beginnings = list("beginnings")
  static let requestParts = list("requestParts")
  static let bodiesOrRecords = list("bodiesOrRecords")
  static let recordMembers = list("recordMembers")
  static let requestBeginnings = list("requestBeginnings")
  static let serverNames = list("serverNames")
  static let encodedBodies = list("encodedBodies")
  static let encodingFlags = list("encodingFlags")
}

/// A member's name as words: letters only, in lower case.
struct NameWords {
  private let letters: String

  init(_ name: String) {
    letters = String(
      decoding: name.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case 0x41...0x5A: byte | 0x20
        case 0x61...0x7A: byte
        default: nil
        }
      }, as: UTF8.self)
  }

  func contains(_ words: [String]) -> Bool { words.contains { letters.contains($0) } }
  func ends(_ words: [String]) -> Bool { words.contains { letters.hasSuffix($0) } }
  func isOne(_ words: [String]) -> Bool { words.contains(letters) }
}

/// The methods of HTTP requests that logs have (RFC 9110, section 9; RFC 5789).
enum RequestMethod {
  static let names: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
  /// The names as bytes of a line.
  static let texts = Set(names.map { Array($0.utf8)[...] })
}
