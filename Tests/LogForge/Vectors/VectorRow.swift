/// The device and the app that a vector begins with.
struct VectorBase: Sendable {
  var app = SyntheticApp.bank
  var system = System.iOS17
  var isDevelopment = false
}

/// The text on which the expectation of a vector rests: a step of Apple's page, an RFC, or a fact about
/// genuine bytes.
struct VectorReason: Sendable {
  /// The code of the finding, or nil if the token has no fault.
  var code: String?
  /// The step, the section or the fact, in one sentence.
  var text: String
  private var ownRules: [Substring]

  var rules: [String] { ownRules.map { $0.hasPrefix("R") ? "verification.\($0)" : String($0) } }

  private static let all = Dictionary(
    uniqueKeysWithValues: DataTable.rows(PackageResources.reasons_txt).map { row in
      (
        row[0],
        VectorReason(
          code: String(row[1]), text: String(row[2]), ownRules: row[3].split(separator: " "))
      )
    })

  /// Returns the reasons of a row: names with further rules (`category+R40`), of checks that are passed
  /// (`passed:category`), or a sentence with its rules in parentheses.
  static func list(_ text: Substring) -> [VectorReason] {
    if text.hasSuffix(")"), let start = text.lastIndex(of: "(") {
      let rules = text[start...].dropFirst().dropLast().split(separator: " ")
      return [VectorReason(code: nil, text: String(text[..<start].dropLast()), ownRules: rules)]
    }
    return text.split(separator: " ").map { word in
      let isPassed = word.hasPrefix("passed:")
      let parts = (isPassed ? word.dropFirst(7) : word).split(separator: "+")
      guard var reason = all[parts[0]] else { preconditionFailure("no such reason: \(word)") }
      reason.ownRules += parts.dropFirst()
      if isPassed { (reason.code, reason.text) = (nil, "The check is passed.") }
      return reason
    }
  }
}

/// A row in the tables of vectors: an honest token with one change, and the result that is expected.
struct VectorRow: Sendable {
  let name: String
  /// `valid`, `invalid` or `acceptable`, as in Wycheproof.
  let result: Substring
  let reasons: [VectorReason]
  let flags: [String]
  private(set) var base = VectorBase()
  /// The changes before the token is made, and after that.
  let edits: Edits
  let later: Edits

  /// Makes a row of four columns: the result, the base after @ and the flags; the name; the reasons; the edits.
  init(_ columns: [Substring]) {
    let words = columns[0].split(separator: " ")
    result = words[0]
    name = String(columns[1])
    reasons = VectorReason.list(columns[2])
    let parts = (columns.count > 3 ? columns[3] : "").split(
      separator: "then ", maxSplits: 1, omittingEmptySubsequences: false)
    edits = Edits(parts[0])
    later = Edits(parts.count > 1 ? parts[1] : "")
    flags = words.dropFirst().filter { !$0.hasPrefix("@") }.map(String.init)
    for word in words where word.hasPrefix("@") {
      switch word {
      case "@game": base.app = .game
      case "@vault": base.app = .vault
      case "@development": base.isDevelopment = true
      default: base.system = System.named[String(word.dropFirst())] ?? base.system
      }
    }
  }
}

/// Rows about one subject.
struct VectorGroup: Sendable {
  let subject: String
  private(set) var rows: [VectorRow] = []

  /// Returns the groups of a table. The row `builds` stands for all builds and policies on builds, with the reasons for
  /// category, code and form.
  static func groups(_ table: [UInt8]) -> [VectorGroup] {
    var groups: [VectorGroup] = []
    for row in DataTable.rows(table) {
      switch row[0] {
      case "group": groups.append(VectorGroup(subject: String(row[1])))
      case "builds": groups[groups.count - 1].rows = builds(row[1].split(separator: " "))
      default: groups[groups.count - 1].rows.append(VectorRow(row))
      }
    }
    return groups
  }

  private static func builds(_ reasons: [Substring]) -> [VectorRow] {
    let (category, code, form) = (reasons[0], reasons[1], reasons[2])
    let attempts = DataTable.rows(PackageResources.builds_txt).map { row in
      let isDuplicate = ["again", "before", "twice"].contains { row[1].contains($0) }
      let (head, reason): (Substring, Substring) =
        switch row[0] {
        case "category": ("invalid Category BundleVersion", category)
        case "code": ("invalid CodeHash", code)
        case "malformed":
          (isDuplicate ? "invalid CodeHash DuplicateKey" : "acceptable CodeHash Unread", form)
        default:
          (
            "valid Category BundleVersion CodeHash",
            "The build meets the policy. (\(rules(category, code)))"
          )
        }
      let edits = row[2].split(separator: "; ").map { "claims." + $0 }.joined(separator: "; ")
      return VectorRow([head + " @vault @iOS27", "a build: " + row[1], reason, edits[...]])
    }
    let policies = DataTable.rows(PackageResources.policies_txt).map { row in
      var row = row
      row[2] = row[2].replacing("category", with: category).replacing("code", with: code)[...]
      return VectorRow(row)
    }
    return attempts + policies
  }

  private static func rules(_ names: Substring...) -> String {
    names.flatMap { VectorReason.list($0).flatMap(\.rules) }.joined(separator: " ")
  }
}

extension System {
  /// Every system once, by the name that tables give it.
  static let named: [String: System] = [
    "iOS14Beta": iOS14Beta, "iOS14": iOS14, "iOS16": iOS16, "iOS17": iOS17, "iOS18": iOS18,
    "iOS26": iOS26, "iOS27": iOS27, "macOS27": macOS27,
  ]
}
