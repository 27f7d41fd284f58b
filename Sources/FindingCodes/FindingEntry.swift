/// The facts about one finding code. This is the one place where they are written.
///
/// The audit, its reports, the command line and the documentation read names, severities and
/// explanations from here.
package struct FindingEntry: Sendable {
  package let code: FindingCode
  /// The public code, `family.word`.
  package let name: String
  /// A few words for people, without a full stop: `signed request used twice`.
  package let title: String
  /// The severity before the server's decision and the pipeline file are considered.
  package let severity: Severity
  /// The effect of the server's own decision on the severity.
  package let decision: DecisionEffect
  /// The meaning, in one or two sentences.
  package let meaning: String
  /// The use that an attacker makes of it.
  package let abuse: String
  /// The innocent causes that it may have.
  package let harmless: String
  /// The advice on how to respond.
  package let remedy: String

  /// The address of the explanation in the documentation. It never changes.
  package var address: String { "Findings.md#\(name)" }

  /// The part of the name before the point.
  package var family: Substring { name.prefix { $0 != "." } }

  /// The effect of the server's own decision on a severity (`detection.md`, "The server's own
  /// decision").
  package enum DecisionEffect: Sendable {
    /// If accepted, high becomes critical. If rejected, a severity above low becomes low.
    case follows
    /// If accepted, it becomes high, since the request was kept out of the audit; also if there is a
    /// token and no decision. If rejected, it stays.
    case hides
    /// No effect.
    case none
  }

  /// Makes an entry. Its severity follows the server's decision unless `decision` gives another
  /// effect.
  init(
    _ code: FindingCode, _ name: String, _ severity: Severity, _ title: String,
    decision: DecisionEffect = .follows, meaning: String, abuse: String, harmless: String,
    remedy: String
  ) {
    self.code = code
    self.name = name
    self.title = title
    self.severity = severity
    self.decision = decision
    self.meaning = meaning
    self.abuse = abuse
    self.harmless = harmless
    self.remedy = remedy
  }
}
