import AppAttest
package import AuditLog

/// The role of a log's line in an audit.
package enum Role: CaseIterable, Sendable {
  case attestation, assertion, challenge, deviceCheckToken

  /// The kind of a rule for its lines.
  package var kind: SchemaRule.Kind {
    switch self {
    case .attestation: .fixed(.attestation)
    case .assertion: .fixed(.assertion)
    case .challenge: .fixed(.challenge)
    case .deviceCheckToken: .deviceCheckToken
    }
  }

  /// Whether its lines hold an attestation or an assertion.
  package var hasToken: Bool { self == .attestation || self == .assertion }

  /// The name of a rule for the role.
  package var ruleName: String {
    self == .deviceCheckToken ? "device check" : String(describing: self)
  }

  /// The plural word for the role in sentences.
  package var plural: String {
    switch self {
    case .attestation: "attestations"
    case .assertion: "assertions"
    case .challenge: "challenges"
    case .deviceCheckToken: "DeviceCheck tokens"
    }
  }
}

/// The lines that hold a token of a kind, at the pointers of tokens of that kind.
struct TokenLines {
  /// The pointers, the most frequent first.
  var pointers: [Int] = []
  /// The form of most tokens at the first pointer.
  var form = FoundToken.Form.base64
  /// The tokens, one for each line, in the order of the log.
  var tokens: [FoundToken] = []

  /// The share of the tokens below which a pointer does not count: somebody put a token elsewhere.
  private static let leastShare = 0.05
  /// The largest number of pointers of a kind.
  private static let mostPointers = 4

  init(_ found: [FoundToken]) {
    var counts: [Int: Int] = [:]
    for token in found { counts[token.pointer, default: 0] += 1 }
    let ranked = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let least = max(1, Int(Double(found.count) * Self.leastShare))
    pointers = ranked.filter { $0.value >= least }.prefix(Self.mostPointers).map(\.key)
    let forms = Dictionary(grouping: found.filter { $0.pointer == pointers.first }, by: \.form)
    form =
      forms.max { ($0.value.count, $0.key.rawValue) < ($1.value.count, $1.key.rawValue) }?.key
      ?? .base64
    var lines: Set<Int> = []
    for token in found where pointers.contains(token.pointer) {
      if lines.insert(token.line).inserted { tokens.append(token) }
    }
  }
}
