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

  /// Sets of fields, one of each of which a rule for the role needs.
  var needs: [Set<LogField>] {
    switch self {
    case .attestation:
      [[.time], [.keyId], [.token], [.challenge, .clientData, .clientDataHash]]
    case .assertion:
      [[.time], [.keyId, .deviceId], [.token], [.payload, .clientData, .clientDataHash]]
    case .challenge: [[.time], [.challenge]]
    case .deviceCheckToken: [[.time], [.token]]
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
    let ranked = Dictionary(grouping: found, by: \.pointer)
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let least = max(1, Int(Double(found.count) * Self.leastShare))
    pointers = ranked.filter { $0.value.count >= least }.prefix(Self.mostPointers).map(\.key)
    form =
      Dictionary(grouping: ranked.first?.value ?? [], by: \.form)
      .max { ($0.value.count, $0.key.rawValue) < ($1.value.count, $1.key.rawValue) }?.key
      ?? .base64
    var lines: Set<Int> = []
    tokens = found.filter { pointers.contains($0.pointer) && lines.insert($0.line).inserted }
  }
}
