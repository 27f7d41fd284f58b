/// How sure a find is.
enum Sureness: String {
  /// Cryptography says so: it decodes, a hash agrees, or a signature holds.
  case certain
  /// The values leave little doubt.
  case likely
  /// It may be something else: written as a comment.
  case guess
}

/// Where a field was found.
struct FoundField {
  /// How the field comes out of a line.
  enum Form: Equatable {
    /// The first pointer that is present, and the encoding and the unit that stand beside it.
    case pointers([Int], encoding: String? = nil, unit: String? = nil)
    case template([FoundPart])
    /// A table from the texts at a pointer to words, in its order; without `otherwise` a text that is
    /// not in it makes the line unreadable.
    case table(Int, [(text: String, word: String)], otherwise: String?)

    static func == (left: Form, right: Form) -> Bool {
      switch (left, right) {
      case (.pointers(let a, let b, let c), .pointers(let d, let e, let f)):
        a == d && b == e && c == f
      case (.template(let a), .template(let b)): a == b
      case (.table(let a, let b, let c), .table(let d, let e, let f)):
        a == d && c == f && b.elementsEqual(e, by: ==)
      default: false
      }
    }
  }

  /// The field's name in a schema.
  var name: String
  var form: Form
  /// What stands there, in a few words.
  var what: String
  var sureness: Sureness
  /// Lines on which it was found.
  var lines: Int
  /// Lines that were looked at for it.
  var of: Int

  /// Whether the field is written as one that counts.
  var isActive: Bool { sureness != .guess }
}

/// What lines have to hold for a rule.
struct FoundCondition: Equatable {
  enum Test: Equatable {
    /// One of these texts stands at the pointer.
    case isOne([String])
    /// Something stands there, and none of these texts: as where a proxy writes "" or "-" for what
    /// was not sent.
    case isNone([String])
    /// Anything but `null` stands there.
    case isPresent
  }

  var pointer: Int
  var test: Test

  /// The texts, where the condition is one of them.
  var values: [String] {
    if case .isOne(let values) = test { values } else { [] }
  }

  /// Whether a line meets the condition.
  func holds(_ line: SampleLine) -> Bool {
    guard let value = line[pointer], value.kind != .null else { return false }
    switch test {
    case .isPresent: return true
    case .isNone(let texts): return !texts.contains { $0.utf8.elementsEqual(value.text) }
    case .isOne(let texts):
      guard value.isText || value.kind == .boolean else { return false }
      return texts.contains { $0.utf8.elementsEqual(value.text) }
    }
  }
}

/// A rule that was found.
struct FoundRule {
  var role: Role
  var conditions: [FoundCondition]
  var fields: [FoundField]
  /// What was looked for and not found, one line each.
  var missing: [String]
  /// The lines that showed the way, by their indexes.
  var examples: [Int]

  /// Whether an audit could make records by the rule: it has what lines of its kind need.
  var isComplete: Bool {
    let names = Set(fields.filter(\.isActive).map(\.name))
    let hasData = !names.isDisjoint(with: ["challenge", "clientData", "clientDataHash"])
    switch role {
    case .attestation: return names.isSuperset(of: ["keyId", "token"]) && hasData
    case .assertion:
      return names.contains("token") && hasData
        && (names.contains("keyId") || names.contains("deviceId"))
    case .challenge: return names.contains("challenge")
    case .deviceCheckToken: return names.contains("token")
    }
  }

  /// Whether all conditions hold of a line.
  func fits(_ line: SampleLine) -> Bool { conditions.allSatisfy { $0.holds(line) } }
}

/// The mapping that was found.
struct FoundSchema {
  var rules: [FoundRule] = []
  /// The fields of all rules.
  var shared: [FoundField] = []
  /// What was looked for in all lines and not found, one line each.
  var missing: [String] = []
  /// Whether client data are the clientDataHash itself.
  var isRaw = false
  /// `global` or `exact`.
  var replayScope = "global"
  /// Why that scope.
  var replayReason = ""
  /// Whether lines have a time, without which no record is made.
  var hasTime: Bool { shared.contains { $0.name == "time" } }
  /// The rules that an audit can read lines by. One without conditions stands alone.
  var completeRules: [FoundRule] {
    guard hasTime else { return [] }
    let complete = rules.filter(\.isComplete)
    return complete.count == 1 ? complete : complete.filter { !$0.conditions.isEmpty }
  }
  /// Whether the log is in the form of the default schema.
  var isDefault = false
}
