package import AppAttest

/// A finding that was looked into, and is kept out of the reports until a day has passed.
package struct AcceptedFinding: Sendable, Equatable {
  /// The choice of findings that are meant.
  package enum Target: Sendable, Hashable {
    /// The one with this fingerprint (`reports.md`), the first digit in the highest bits.
    case fingerprint(UInt64)
    case key(FindingCode, Digest256)
    case app(FindingCode, String)
    case code(FindingCode)

    /// A text for people that names these findings.
    package var text: String {
      switch self {
      case .fingerprint(let value): "the finding \(Fingerprint.text(value))"
      case .key(let code, let keyID): "\(code.name) of the key \(keyID.hex)"
      case .app(let code, let appID): "\(code.name) of the app \(appID)"
      case .code(let code): code.name
      }
    }
  }
  package var target: Target
  /// The highest severity that is covered: what is more severe is reported.
  package var severity: Severity
  /// The reason, in somebody's words. It is never empty.
  package var reason: String
  /// The last day on which it holds, `2026-12-31`.
  package var expires: String

  package init(_ target: Target, severity: Severity, reason: String, expires: String) {
    self.target = target
    self.severity = severity
    self.reason = reason
    self.expires = expires
  }

  /// Returns whether it applies on a day (``AuditConfiguration/acceptanceDay``).
  package func holds(on day: String) -> Bool { day <= expires }

  /// A text for people that says that the acceptance holds no longer.
  var expiry: String { "\(target.text) was accepted until \(expires), and is accepted no longer" }

  /// A text for people that says that no such finding is known.
  package var emptiness: String {
    "\(target.text) is accepted until \(expires), but no such finding is known"
  }
}
