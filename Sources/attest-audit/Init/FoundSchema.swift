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
    case template([TemplatePart])
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
  var pointer: Int
  /// The texts, one of which stands at the pointer; empty: anything but `null` does.
  var values: [String]

  /// Whether a line meets the condition.
  func holds(_ line: SampleLine) -> Bool {
    guard let value = line[pointer], value.kind != .null else { return false }
    if values.isEmpty { return true }
    guard value.isText || value.kind == .boolean else { return false }
    return values.contains { $0.utf8.elementsEqual(value.text) }
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
  /// Whether the log is in the form of the default schema.
  var isDefault = false
}
