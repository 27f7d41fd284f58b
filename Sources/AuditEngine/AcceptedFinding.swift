package import AppAttest

/// A finding that was looked into, and is kept out of the reports until a day has passed.
package struct AcceptedFinding: Sendable, Equatable {
  /// Which findings are meant.
  package enum Target: Sendable, Hashable {
    /// The one with this fingerprint (`reports.md`), the first digit in the highest bits.
    case fingerprint(UInt64)
    /// All of a code at a key.
    case key(FindingCode, Digest256)
  }
  package var target: Target
  /// Why, in somebody's words; never empty.
  package var reason: String
  /// The last day on which it holds, `2026-12-31`.
  package var expires: String

  package init(_ target: Target, reason: String, expires: String) {
    self.target = target
    self.reason = reason
    self.expires = expires
  }

  /// Whether it holds in a run of that day (``AuditConfiguration/day``).
  package func holds(on day: String) -> Bool { day <= expires }

  /// For people: that it holds no longer.
  var expiry: String {
    let subject =
      switch target {
      case .fingerprint(let value): "the finding \(Fingerprint.text(value))"
      case .key(let code, let keyID): "\(code.name) of the key \(keyID.hex)"
      }
    return "\(subject) was accepted until \(expires) and is reported again"
  }
}
